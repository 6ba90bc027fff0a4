import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeDocument } from '../../../embedded/mongo/bson/decode.ts';
import { encodeDocument } from '../../../embedded/mongo/bson/encode.ts';
import type { Document, Fields, Value } from '../../../embedded/mongo/bson/value.ts';
import { commands } from '../../../embedded/mongo/commands/registry.ts';
import { createExecutor, type Executor } from '../../../embedded/mongo/group-commit.ts';
import { createOperations } from '../../../embedded/mongo/operations.ts';
import { createStore, type Store } from '../../../embedded/mongo/store/catalog.ts';
import { type Checkpoints, createCheckpoints } from '../../../embedded/mongo/store/checkpoints.ts';
import { createLogSync, type LogSync } from '../../../embedded/mongo/store/log-sync.ts';
import { openDatabase } from '../../../embedded/mongo/store/open.ts';
import { requireConsistentDocuments } from '../../../embedded/mongo/store/verify.ts';
import { propertyCases } from '../../support/property-cases.ts';

// The clock moves by each look at it, so that a slice is over after a few documents, the same ones in every run.

type Started = { dir: string; store?: Store; log?: LogSync; checkpoints?: Checkpoints; executor?: Executor };
const started: Started = { dir: '' };
const clock = { now: 0, step: 0 };

beforeEach(() => {
  jest.spyOn(performance, 'now').mockImplementation(() => {
    clock.now += clock.step;
    return clock.now;
  });
  started.dir = mkdtempSync(join(tmpdir(), 'interleaving-'));
  started.store = createStore(openDatabase(started.dir));
  started.log = createLogSync(started.store.database);
  started.checkpoints = createCheckpoints(started.store.database, started.log);
  const { store, log, checkpoints } = started;
  const context = { store, log, checkpoints, cursors: new Map(), operations: createOperations(), startedAt: 0 };
  started.executor = createExecutor(context);
});

afterEach(async () => {
  clock.step = 0;
  await started.executor!.drain();
  await new Promise<void>((resolve) => started.log!.whenDurable(null, resolve));
  await started.checkpoints!.end();
  started.log!.close();
  started.store!.database.close();
  started.checkpoints!.close();
  rmSync(started.dir, { recursive: true });
  jest.restoreAllMocks();
});

type Plain = { [name: string]: PlainValue };
type PlainValue = Plain | PlainValue[] | string | number | boolean | null;

function toValue(plain: PlainValue): Value {
  if (Array.isArray(plain)) return plain.map(toValue);
  if (typeof plain !== 'object' || plain === null) return plain;
  return new Map(Object.entries(plain).map(([name, value]) => [name, toValue(value)]));
}

/** Sends a command on a connection of its own. */
async function run(command: Plain): Promise<Record<string, unknown>> {
  const body = toValue(command) as Document;
  const [name = ''] = body.keys();
  const request = { name, database: 'test', body, sequences: new Map(), timeLimit: Infinity };
  const reply = await new Promise<Fields>((answer) => {
    started.executor!.submit({ command: commands.get(name)!, request, connection: {}, answer });
  });
  return plainOf(decodeDocument(encodeDocument(reply))) as Record<string, unknown>;
}

function plainOf(value: Value): unknown {
  if (Array.isArray(value)) return value.map(plainOf);
  return value instanceof Map ? Object.fromEntries([...value].map(([name, one]) => [name, plainOf(one)])) : value;
}

/** How a command is answered when its slices are over after a few documents. */
function inSlices(...all: Plain[]): Promise<Record<string, unknown>[]> {
  clock.step = 3;
  return Promise.all(all.map(run)).finally(() => {
    clock.step = 0;
  });
}

async function allItems(): Promise<Plain[]> {
  const { cursor } = await run({ find: 'items', filter: {}, batchSize: 10_000 });
  return (cursor as { firstBatch: Plain[] }).firstBatch;
}

async function fill(items: Plain[]): Promise<void> {
  await run({ delete: 'items', deletes: [{ q: {}, limit: 0 }] });
  await run({ insert: 'items', documents: items });
}

const index = (key: Plain, options: Plain = {}): Plain => ({
  createIndexes: 'items',
  indexes: [{ key, name: Object.keys(key).join('_'), ...options }],
});

const few = fc.integer({ min: 0, max: 3 });
const item = fc.record({ a: few, b: few, list: fc.array(few, { maxLength: 3 }) });
const items = fc
  .array(item, { minLength: 10, maxLength: 60 })
  .map((all) => all.map((one, _id): Plain => ({ _id, ...one })));

const condition: fc.Arbitrary<PlainValue> = fc.oneof(
  few,
  few.map((from): Plain => ({ $gte: from })),
  fc.array(few, { maxLength: 3 }).map((values): Plain => ({ $in: values })),
);
const fields: fc.Arbitrary<Plain> = fc.dictionary(fc.constantFrom('a', 'b', 'list'), condition, { maxKeys: 2 });
const filter: fc.Arbitrary<Plain> = fc.oneof(
  { weight: 3, arbitrary: fields },
  fc.tuple(fields, fields).map(([left, right]): Plain => ({ $or: [left, right] })),
);
const way = fc.constantFrom(1, -1);
const sort: fc.Arbitrary<Plain> = fc
  .tuple(fc.constantFrom('a', 'b', 'list'), way, way)
  .map(([path, direction, last]): Plain => ({ [path]: direction, _id: last }));
const paging = { skip: fc.nat({ max: 4 }), limit: fc.nat({ max: 20 }) };
const read: fc.Arbitrary<Plain> = fc.oneof(
  fc.record({ filter, sort, ...paging }).map((all): Plain => ({ find: 'items', ...all, batchSize: 1000 })),
  fc.record({ filter, skip: paging.skip }).map(({ filter: query, skip }): Plain => ({ count: 'items', query, skip })),
  filter.map((query): Plain => ({ distinct: 'items', key: 'list', query })),
  filter.map(
    (query): Plain => ({
      aggregate: 'items',
      pipeline: [{ $match: query }, { $group: { _id: '$a', n: { $sum: '$b' } } }, { $sort: { _id: 1 } }],
      cursor: {},
    }),
  ),
);

test('a read in slices answers as one that is not, while no other request writes', async () => {
  const keys: Plain[] = [{ a: 1, b: -1 }, { b: 1, _id: 1 }, { list: 1 }];
  for (const key of keys) await run(index(key));
  await fc.assert(
    fc.asyncProperty(items, fc.array(read, { minLength: 3, maxLength: 6 }), async (documents, reads) => {
      await fill(documents);
      const whole = [];
      for (const one of reads) whole.push(await run(one));
      expect(await inSlices(...reads)).toEqual(whole);
    }),
    { numRuns: propertyCases(20, 2000) },
  );
});

describe('writers that interleave', () => {
  const claims = fc.array(fc.tuple(filter, fc.constantFrom('updateMany', 'updateOne', 'findAndModify')), {
    minLength: 2,
    maxLength: 12,
  });

  test('change a document once for each claim that is answered', async () => {
    await fc.assert(
      fc.asyncProperty(items, claims, async (documents, all) => {
        await fill(documents.map((one): Plain => ({ ...one, free: true, n: 0 })));
        const change = { $set: { free: false }, $inc: { n: 1 } };
        const answers = await inSlices(
          ...all.map(([query, kind]): Plain => {
            const q: Plain = { free: true, ...query };
            // No index gives this order: all are found before the first is chosen.
            const sort: Plain = { b: 1, a: 1 };
            if (kind === 'findAndModify') return { findAndModify: 'items', query: q, sort, update: change };
            if (kind === 'updateOne') return { update: 'items', updates: [{ q, u: change, sort }] };
            return { update: 'items', updates: [{ q, u: change, multi: true }] };
          }),
        );
        let claimed = 0;
        for (const one of answers) {
          claimed += Number(one.nModified ?? (one.lastErrorObject as { n: number }).n);
        }
        const after = await allItems();
        expect(after).toHaveLength(documents.length);
        expect(after.every(({ n, free }) => n === (free ? 0 : 1))).toBe(true);
        expect(after.filter(({ free }) => !free)).toHaveLength(claimed);
      }),
      { numRuns: propertyCases(20, 2000) },
    );
  });

  test('delete no document that was changed so that it matches no more', async () => {
    await run(index({ keep: 1, a: 1 }));
    await fc.assert(
      fc.asyncProperty(items, fc.uniqueArray(fc.nat({ max: 59 }), { maxLength: 20 }), async (documents, kept) => {
        await fill(documents.map((one): Plain => ({ ...one, keep: false })));
        const [, ...updates] = await inSlices(
          { delete: 'items', deletes: [{ q: { keep: false }, limit: 0 }] },
          ...kept.map((_id): Plain => ({ update: 'items', updates: [{ q: { _id }, u: { $set: { keep: true } } }] })),
        );
        const saved = kept.filter((_, at) => updates[at]?.nModified === 1);
        const left = (await allItems()).map(({ _id }) => Number(_id));
        expect(left.sort((x, y) => x - y)).toEqual(saved.sort((x, y) => x - y));
      }),
      { numRuns: propertyCases(20, 2000) },
    );
  });

  test('leave an index that is built meanwhile as the documents are, unique where it has to be', async () => {
    const change = fc.record({ _id: fc.nat({ max: 59 }), a: fc.integer({ min: 0, max: 200 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 30, max: 60 }),
        fc.array(change, { maxLength: 15 }),
        fc.boolean(),
        async (count, changes, unique) => {
          await fill(Array.from({ length: count }, (_, _id): Plain => ({ _id, a: 100 + _id })));
          const [built] = await inSlices(
            index({ a: 1 }, { unique }),
            ...changes.map(({ _id, a }): Plain => ({ update: 'items', updates: [{ q: { _id }, u: { $set: { a } } }] })),
            ...changes.map(({ a }, at): Plain => ({ insert: 'items', documents: [{ _id: 100 + at, a }] })),
          );
          requireConsistentDocuments(started.store!.database);
          const values = (await allItems()).map(({ a }) => a);
          if (built?.ok === 1) {
            if (unique) expect(new Set(values).size).toBe(values.length);
            await run({ dropIndexes: 'items', index: 'a' });
          } else {
            expect([unique, built?.code]).toEqual([true, 11000]);
            expect(started.store!.collections.get('test.items')!.indexes).toHaveLength(1);
          }
        },
      ),
      { numRuns: propertyCases(20, 2000) },
    );
  });
});

test('an index whose build a failure of storage ended is finished by the next request for it', async () => {
  await fill(Array.from({ length: 60 }, (_, _id): Plain => ({ _id, a: _id })));
  const { commit } = started.store!;
  let commits = 0;
  const failing = jest.spyOn(commit, 'run').mockImplementation(() => {
    commits += 1;
    if (commits === 3) throw Object.assign(new Error('disk is full'), { errcode: 13 });
    started.store!.database.exec('COMMIT');
    return { changes: 0, lastInsertRowid: 0 };
  });
  expect((await inSlices(index({ a: 1 })))[0]).toMatchObject({ ok: 0, code: 14031 });
  failing.mockRestore();
  const { indexes } = started.store!.collections.get('test.items')!;
  expect(indexes[1]?.builtTo).toBeGreaterThan(0);
  expect((await inSlices(index({ a: 1 }), index({ a: 1 }))).map(({ ok }) => ok)).toEqual([1, 1]);
  expect(indexes[1]?.builtTo).toBeUndefined();
  requireConsistentDocuments(started.store!.database);
});

test('a collection that is dropped ends what is sorted from it and changed, wherever that stands', async () => {
  const outcomes = new Set<unknown>();
  // By the number of documents the sort is or is not interrupted before it yields the first of them. A busy machine may
  // need more rounds until it ends on either side of the drop.
  for (let turns = 0; turns < 100 || (outcomes.size < 2 && turns < 1000); turns += 1) {
    await fill(Array.from({ length: 40 + (turns % 5) }, (_, _id): Plain => ({ _id, a: _id })));
    clock.step = 3;
    const changed = run({ findAndModify: 'items', query: {}, sort: { a: -1 }, update: { $set: { a: 0 } } });
    for (let turn = 0; turn < turns / 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await run({ drop: 'items' });
    clock.step = 0;
    const { ok, code } = await changed;
    outcomes.add(ok === 1 ? 'changed' : code);
  }
  expect(outcomes).toEqual(new Set([175, 'changed']));
});

test('work that a failure of storage ended in its first slice does not keep the next build waiting', async () => {
  await fill(Array.from({ length: 60 }, (_, _id): Plain => ({ _id, a: _id })));
  const { commit, database } = started.store!;
  const failsAt = new Set([3, 4]);
  let commits = 0;
  const failing = jest.spyOn(commit, 'run').mockImplementation(() => {
    commits += 1;
    if (failsAt.has(commits)) throw Object.assign(new Error('disk is full'), { errcode: 13 });
    database.exec('COMMIT');
    return { changes: 0, lastInsertRowid: 0 };
  });
  // The third commit leaves a build half done, the fourth undoes the first slice of the request that goes on with it.
  expect((await inSlices(index({ a: 1 })))[0]).toMatchObject({ ok: 0, code: 14031 });
  expect((await inSlices(index({ a: 1 })))[0]).toMatchObject({ ok: 1 });
  failing.mockRestore();
  expect(started.store!.collections.get('test.items')!.indexes[1]?.builtTo).toBeUndefined();
  requireConsistentDocuments(database);
});

describe('a scan that has read ahead', () => {
  /** A find whose second batch is read after `change`. */
  async function foundAround(query: Plain, change: Plain): Promise<Plain[]> {
    await fill(Array.from({ length: 12 }, (_, _id): Plain => ({ _id, a: _id, b: _id % 2, text: 'old' })));
    const { cursor } = (await run({ find: 'items', batchSize: 2, ...query })) as {
      cursor: { id: bigint; firstBatch: Plain[] };
    };
    expect(cursor.firstBatch).toHaveLength(2);
    await run(change);
    const body = new Map<string, Value>([
      ['getMore', cursor.id],
      ['collection', 'items'],
    ]);
    const request = { name: 'getMore', database: 'test', body, sequences: new Map(), timeLimit: Infinity };
    const reply = await new Promise<Fields>((answer) => {
      started.executor!.submit({ command: commands.get('getMore')!, request, connection: {}, answer });
    });
    return (plainOf(decodeDocument(encodeDocument(reply))) as { cursor: { nextBatch: Plain[] } }).cursor.nextBatch;
  }

  const scans: { what: string; query: Plain }[] = [
    { what: 'the collection', query: { filter: {} } },
    { what: 'an index', query: { filter: { a: { $gte: 0 } }, sort: { a: 1 } } },
    { what: 'several ranges at once', query: { filter: { b: { $in: [0, 1] } }, sort: { a: 1 }, hint: 'b_a' } },
  ];

  test.each(scans)('of $what does not answer what was deleted or changed since', async ({ query }) => {
    await run(index({ a: 1 }));
    await run(index({ b: 1, a: 1 }));
    const changed = await foundAround(query, {
      update: 'items',
      updates: [{ q: { a: { $gte: 4 } }, u: { $set: { text: 'new' } }, multi: true }],
    });
    expect(changed.map(({ _id, text }) => [_id, text])).toEqual(
      Array.from({ length: 10 }, (_, at) => [at + 2, at + 2 < 4 ? 'old' : 'new']),
    );
    const left = await foundAround(query, { delete: 'items', deletes: [{ q: { a: { $lt: 8 } }, limit: 0 }] });
    expect(left.map(({ _id }) => _id)).toEqual([8, 9, 10, 11]);
    const moved = await foundAround(query, {
      update: 'items',
      updates: [{ q: { a: 5 }, u: { $set: { a: 100 } } }],
    });
    expect(moved.filter(({ _id }) => _id === 5).map(({ a }) => a)).toEqual([100]);
  });
});
