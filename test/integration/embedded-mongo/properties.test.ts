import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { BSONSymbol, Decimal128, Double, Long, MaxKey, MinKey } from 'bson';
import fc from 'fast-check';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { ids } from './suite/case.ts';
import { type Collection, type Document, MongoClient } from './suite/driver.ts';

const started: { dir?: string; server?: EmbeddedMongo; client?: MongoClient } = {};

beforeAll(async () => {
  started.dir = await mkdtemp(join(tmpdir(), 'mongo-properties-'));
  started.server = await startEmbeddedMongo({ dir: started.dir });
  started.client = await MongoClient.connect(started.server.url);
});

afterAll(async () => {
  await started.client?.close();
  await started.server?.close();
  await rm(started.dir!, { recursive: true, force: true });
});

/** Runs `use` on an empty collection. */
async function withCollection(use: (collection: Collection) => Promise<void>): Promise<void> {
  const collection = started.client!.db('properties').collection<Document>('documents');
  await collection.drop();
  await use(collection as Collection);
}

/** Few values, so that documents share them and filters meet documents. */
const common = fc.constantFrom<unknown>(0, 1, 2, 3, null);
const rare = fc.constantFrom<unknown>(
  ...[new Double(-0), new Double(1), 1.5, Long.fromNumber(2), Decimal128.fromString('1.5'), Number.NaN],
  ...['', 'a', 'ab', 'b', true, false, new Date(0), new Date(1), new MinKey(), new MaxKey()],
);
const scalar = fc.oneof({ arbitrary: common, weight: 5 }, { arbitrary: rare, weight: 1 });
const inner = fc.record({ x: scalar, y: scalar }, { requiredKeys: [] });
const given = fc.record(
  {
    a: fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })),
    b: fc.oneof({ arbitrary: scalar, weight: 6 }, { arbitrary: inner, weight: 1 }),
    n: fc.oneof({ arbitrary: inner, weight: 4 }, { arbitrary: scalar, weight: 1 }),
    list: fc.oneof(
      { arbitrary: fc.array(inner, { maxLength: 3 }), weight: 4 },
      { arbitrary: fc.array(fc.oneof(inner, scalar), { maxLength: 3 }), weight: 1 },
      { arbitrary: scalar, weight: 1 },
    ),
  },
  { requiredKeys: [] },
);

const path = fc.constantFrom('a', 'a', 'b', 'n.x', 'list.x', 'list.y');
const direction = fc.constantFrom<1 | -1>(1, -1);
type Keys = Record<string, 1 | -1>;
const keys: fc.Arbitrary<Keys> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .uniqueArray(fc.tuple(path, direction), { minLength: 1, maxLength: 2, selector: ([name]) => name })
      .map((fields): Keys => Object.fromEntries(fields)),
  },
  fc.tuple(direction, direction).map(([x, y]): Keys => ({ 'list.x': x, 'list.y': y })),
);
/** With _id as the last key an order has no ties. */
const totalOrder = fc.tuple(keys, direction).map(([all, last]): Keys => ({ ...all, _id: last }));

const wanted = fc.oneof({ arbitrary: scalar, weight: 6 }, inner, fc.array(scalar, { maxLength: 2 }));
const plain: fc.Arbitrary<unknown> = fc.oneof(
  wanted,
  fc.tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte'), wanted).map(([name, value]) => ({ [name]: value })),
  fc
    .tuple(fc.constantFrom('$gt', '$gte'), common, fc.constantFrom('$lt', '$lte'), common)
    .map(([low, from, high, to]) => ({ [low]: from, [high]: to })),
  fc.array(wanted, { maxLength: 4 }).map((values) => ({ $in: values })),
);
const special: fc.Arbitrary<unknown> = fc.oneof(
  wanted.map((value) => ({ $ne: value })),
  fc.array(wanted, { maxLength: 4 }).map((values) => ({ $nin: values })),
  fc.boolean().map((exists) => ({ $exists: exists })),
  fc.constantFrom(/^a/, /b/, { $not: /^a/ }, { $type: 'number' }, { $size: 1 }, { $mod: [2, 0] }),
  scalar.map((value) => ({ $not: { $gt: value } })),
  scalar.map((value) => ({ $elemMatch: { $gte: value } })),
  fc.tuple(scalar, scalar).map(([x, y]) => ({ $elemMatch: { x, y: { $lte: y } } })),
);
const condition = fc.oneof({ arbitrary: plain, weight: 3 }, { arbitrary: special, weight: 1 });
const fields: fc.Arbitrary<Document> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .uniqueArray(fc.tuple(path, condition), { minLength: 1, maxLength: 2, selector: ([name]) => name })
      .map((entries) => Object.fromEntries(entries) as Document),
  },
  fc.tuple(common, common).map(([x, y]) => ({ 'list.x': x, 'list.y': y })),
);
const filter: fc.Arbitrary<Document> = fc.oneof(
  { arbitrary: fields, weight: 4 },
  fc
    .tuple(fc.constantFrom('$or', '$and', '$nor'), fc.array(fields, { minLength: 1, maxLength: 2 }))
    .map(([name, all]) => ({ [name]: all })),
  fc.tuple(fields, fc.array(fields, { minLength: 1, maxLength: 2 })).map(([one, any]) => ({ ...one, $or: any })),
);

/** Which documents an index has. */
const extent: fc.Arbitrary<Document> = fc.oneof(
  fc.constantFrom({}, { sparse: true }),
  path.map((name) => ({ partialFilterExpression: { [name]: { $exists: true } } })),
  fc.tuple(path, common).map(([name, value]) => ({ partialFilterExpression: { [name]: value } })),
  fc.tuple(path, common).map(([name, value]) => ({ partialFilterExpression: { [name]: { $gt: value } } })),
);

const query = fc.record({
  filter,
  /** An order of its own, or that of an index, forwards or backwards. */
  order: fc.oneof(totalOrder, fc.record({ index: fc.nat(), factor: direction })),
  skip: fc.nat({ max: 2 }),
  limit: fc.nat({ max: 5 }),
});

type Order = Keys | { index: number; factor: 1 | -1 };

function sortOf(order: Order, indexes: Keys[]): Keys {
  if (!('factor' in order)) return order as Keys;
  const key = indexes[order.index % indexes.length]!;
  return Object.fromEntries(Object.entries(key).map(([name, way]) => [name, (way * order.factor) as 1 | -1]));
}

describe('an index', () => {
  test('never changes the answer of a query', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(given, { minLength: 5, maxLength: 25 }),
        fc.array(fc.tuple(fc.oneof(keys, totalOrder), extent), { minLength: 1, maxLength: 4 }),
        fc.array(query, { minLength: 4, maxLength: 10 }),
        (documents, indexes, queries) =>
          withCollection(async (collection) => {
            await collection.insertMany(documents.map((document, _id) => ({ _id, ...document }) as never));
            for (const [key, options] of indexes) {
              // Two arrays in one index, and the same key otherwise, are refused: then there is one index less.
              await collection.createIndex(key, options).catch(() => undefined);
            }
            for (const { filter: q, order, skip, limit } of queries) {
              const sort = sortOf(
                order,
                indexes.map(([key]) => key),
              );
              // An order of an index without _id has ties, which come as they stand in it.
              const ordered = '_id' in sort ? { sort, skip, limit } : { sort: { ...sort, _id: 1 as const } };
              // A sort may be refused, for two arrays of one document; then it is by every plan.
              const answer = (hint?: Document) =>
                collection
                  .find(q, { ...ordered, ...(hint && { hint }) })
                  .toArray()
                  .then(ids, (error: Error) => error.message);
              const scanned = await answer({ $natural: 1 });
              expect(await answer()).toEqual(scanned);
              for (const { key, sparse, partialFilterExpression } of await collection.indexes()) {
                // A sparse index that is asked for lacks documents; a partial one may be refused.
                if (!sparse && !partialFilterExpression) expect(await answer(key)).toEqual(scanned);
              }
              const all = ids(await collection.find(q, { hint: { $natural: 1 } }).toArray());
              expect(ids(await collection.find(q).toArray()).sort()).toEqual(all.sort());
              const command = { count: collection.collectionName, query: q };
              expect((await started.client!.db('properties').command(command)).n).toBe(all.length);
            }
          }),
      ),
      { numRuns: propertyCases(12, 600) },
    );
  });
});

describe('$in', () => {
  const text = fc.constantFrom<unknown>('', 'a', 'ab', 'b', new BSONSymbol('a'), new BSONSymbol('b'));
  const strings = fc.array(fc.constantFrom('', 'a', 'ab', 'b', 'c', 'd'), { minLength: 8, maxLength: 12 });
  const values = fc.oneof(strings, fc.array(fc.oneof(wanted, text), { minLength: 1, maxLength: 12 }));
  const stored = fc.oneof(given, fc.record({ a: fc.oneof(text, fc.array(text, { maxLength: 2 })) }));

  test('finds what one of its values finds, whatever their number and types', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stored, { minLength: 5, maxLength: 20 }), values, (documents, list) =>
        withCollection(async (collection) => {
          await collection.insertMany(documents.map((document, _id) => ({ _id, ...document }) as never));
          const each = { $or: list.map((value) => ({ a: value })) } as Document;
          const expected = ids(await collection.find(each).sort({ _id: 1 }).toArray());
          expect(
            ids(
              await collection
                .find({ a: { $in: list } })
                .sort({ _id: 1 })
                .toArray(),
            ),
          ).toEqual(expected);
        }),
      ),
      { numRuns: propertyCases(12, 600) },
    );
  });
});

type Row = { _id: number; a?: number; b?: number; n?: { x: number }; t?: number[] };
type Step = { filter: Document; matches: (row: Row) => boolean; update: Document; apply: (row: Row) => void };

const small = fc.integer({ min: -3, max: 3 });
const numberName = fc.constantFrom<'a' | 'b'>('a', 'b');

const chosen = fc.oneof(
  fc.nat({ max: 7 }).map((_id) => ({ filter: { _id } as Document, matches: (row: Row) => row._id === _id })),
  small.map((a) => ({ filter: { a: { $gt: a } }, matches: (row: Row) => row.a !== undefined && row.a > a })),
  small.map((a) => ({ filter: { a }, matches: (row: Row) => row.a === a })),
  small.map((t) => ({ filter: { t }, matches: (row: Row) => Boolean(row.t?.includes(t)) })),
  fc.constant({ filter: { n: { $exists: false } }, matches: (row: Row) => row.n === undefined }),
  fc.constant({ filter: {}, matches: () => true }),
);

type Effect = Pick<Step, 'update' | 'apply'>;

const numberEffect: fc.Arbitrary<Effect> = fc.oneof(
  fc.tuple(numberName, small).map(([name, by]) => ({
    update: { $inc: { [name]: by } },
    apply: (row: Row) => {
      row[name] = (row[name] ?? 0) + by;
    },
  })),
  fc.tuple(numberName, small).map(([name, to]) => ({
    update: { $set: { [name]: to, 'n.x': to } },
    apply: (row: Row) => {
      row[name] = to;
      row.n = { x: to };
    },
  })),
  fc.tuple(numberName, small).map(([name, bound]) => ({
    update: { $max: { [name]: bound } },
    apply: (row: Row) => {
      row[name] = Math.max(row[name] ?? bound, bound);
    },
  })),
  numberName.map((name) => ({
    update: { $unset: { [name]: '', n: '' } },
    apply: (row: Row) => {
      delete row[name];
      delete row.n;
    },
  })),
  fc.constant({
    update: { $rename: { a: 'b' } },
    apply: (row: Row) => {
      if (row.a !== undefined) row.b = row.a;
      delete row.a;
    },
  }),
);

const arrayEffect: fc.Arbitrary<Effect> = fc.oneof(
  fc
    .tuple(fc.array(small, { maxLength: 3 }), fc.integer({ min: -4, max: 4 }), fc.nat({ max: 3 }))
    .map(([each, slice, at]) => ({
      update: { $push: { t: { $each: each, $slice: slice, $position: at } } },
      apply: (row: Row) => {
        const array = [...(row.t ?? [])];
        array.splice(at, 0, ...each);
        row.t = slice < 0 ? array.slice(slice) : array.slice(0, slice);
      },
    })),
  fc.array(small, { maxLength: 3 }).map((each) => ({
    update: { $push: { t: { $each: each, $sort: 1 } } },
    apply: (row: Row) => {
      row.t = [...(row.t ?? []), ...each].sort((left, right) => left - right);
    },
  })),
  fc.array(small, { maxLength: 3 }).map((each) => ({
    update: { $addToSet: { t: { $each: each } } },
    apply: (row: Row) => {
      const array = [...(row.t ?? [])];
      for (const one of each) if (!array.includes(one)) array.push(one);
      row.t = array;
    },
  })),
  small.map((bound) => ({
    update: { $pull: { t: { $gte: bound } } },
    apply: (row: Row) => {
      if (row.t) row.t = row.t.filter((one) => one < bound);
    },
  })),
  fc.constantFrom<1 | -1>(1, -1).map((end) => ({
    update: { $pop: { t: end } },
    apply: (row: Row) => {
      if (row.t) row.t = end === 1 ? row.t.slice(0, -1) : row.t.slice(1);
    },
  })),
);

const step: fc.Arbitrary<Step> = fc
  .tuple(chosen, fc.oneof(numberEffect, arrayEffect))
  .map(([which, effect]) => ({ ...which, ...effect }));

describe('a series of updates', () => {
  test('gives what a model gives, with every index in step', async () => {
    const rows = fc.array(
      fc.record({ a: small, b: small, t: fc.array(small, { maxLength: 3 }) }, { requiredKeys: [] }),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(rows, fc.array(fc.tuple(step, fc.boolean()), { maxLength: 25 }), (before, steps) =>
        withCollection(async (collection) => {
          const model: Row[] = before.map((row, _id) => ({ _id, ...row }));
          const indexes = [{ a: 1 }, { t: -1 }, { b: 1, a: -1 }, { 'n.x': 1, t: 1 }] as const;
          await collection.insertMany(model.map((row) => ({ ...row }) as never));
          await collection.createIndexes(indexes.map((key) => ({ key })));
          const havingA = { a: { $exists: true } };
          await collection.createIndex({ b: -1 }, { partialFilterExpression: havingA });
          for (const [{ filter: q, matches, update, apply }, removes] of steps) {
            const matched = model.filter(matches);
            // Once in a while what an update touched last goes, and comes back empty.
            await collection.updateMany(q, update);
            for (const row of matched) apply(row);
            const last = removes ? matched.at(-1) : undefined;
            if (last) await collection.replaceOne({ _id: last._id } as never, {});
            if (last) model[model.indexOf(last)] = { _id: last._id };
          }
          const expected = new Map(model.map((row) => [row._id, row]));
          for (const hint of [{ _id: 1 }, ...indexes] as const) {
            const stored = await collection.find({}, { hint }).toArray();
            expect(new Map(stored.map((row) => [row._id, row]))).toEqual(expected);
          }
          const partly = await collection.find(havingA, { hint: { b: -1 } }).toArray();
          expect(ids(partly).sort()).toEqual(model.filter((row) => row.a !== undefined).map(({ _id }) => _id));
        }),
      ),
      { numRuns: propertyCases(12, 600) },
    );
  });
});
