import { expect } from '@jest/globals';
import { bulkOutcome, type Case, type Group, holding, ids, outcome, refused, type Scene, stored } from '../case.ts';
import type { Document } from '../driver.ts';

const numbered = (...numbers: number[]) => numbers.map((_id) => ({ _id }) as never);

/** What a bulk did: the refused operations, and what is stored after it. */
async function bulk(scene: Scene, action: Promise<unknown>) {
  return { did: await bulkOutcome(action), stored: ids(await stored(scene)) };
}

const batches: Case[] = [
  {
    says: 'an ordered insert ends at the first refusal',
    given: [{ _id: 2 }],
    when: (scene) => bulk(scene, scene.collection.insertMany(numbered(1, 2, 3))),
    answer: { did: { errors: [{ index: 1, code: 11000 }] }, stored: [1, 2] },
  },
  {
    says: 'an unordered insert goes on after a refusal',
    given: [{ _id: 2 }],
    when: (scene) => bulk(scene, scene.collection.insertMany(numbered(1, 2, 3, 2, 4), { ordered: false })),
    answer: {
      did: {
        errors: [
          { index: 1, code: 11000 },
          { index: 3, code: 11000 },
        ],
      },
      stored: [1, 2, 3, 4],
    },
  },
  {
    says: 'a refused insert tells how many were inserted',
    given: [{ _id: 2 }],
    when: ({ collection }) =>
      collection.insertMany(numbered(1, 2, 3), { ordered: false }).catch((error) => error.insertedCount),
    answer: 2,
  },
  {
    says: 'an ordered bulk of all kinds is done in order',
    when: async (scene) => {
      const result = await scene.collection.bulkWrite([
        { insertOne: { document: { _id: 1, v: 1 } as never } },
        { updateOne: { filter: { _id: 1 } as never, update: { $inc: { v: 1 } } } },
        { updateOne: { filter: { _id: 2 } as never, update: { $set: { v: 5 } }, upsert: true } },
        { updateMany: { filter: {}, update: { $inc: { v: 10 } } } },
        { replaceOne: { filter: { _id: 2 } as never, replacement: { w: 1 } } },
        { insertOne: { document: { _id: 3 } as never } },
        { deleteOne: { filter: { _id: 3 } as never } },
      ]);
      const { insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount, upsertedIds } = result;
      return {
        counts: { insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount, upsertedIds },
        stored: await stored(scene),
      };
    },
    answer: {
      counts: {
        insertedCount: 2,
        matchedCount: 4,
        modifiedCount: 4,
        deletedCount: 1,
        upsertedCount: 1,
        upsertedIds: { 2: 2 },
      },
      stored: [
        { _id: 1, v: 12 },
        { _id: 2, w: 1 },
      ],
    },
  },
  {
    says: 'an ordered bulk ends at the first refusal',
    given: [{ _id: 1 }],
    when: (scene) =>
      bulk(
        scene,
        scene.collection.bulkWrite([
          { insertOne: { document: { _id: 2 } as never } },
          { insertOne: { document: { _id: 1 } as never } },
          { deleteMany: { filter: {} } },
        ]),
      ),
    answer: { did: { errors: [{ index: 1, code: 11000 }] }, stored: [1, 2] },
  },
  {
    says: 'an unordered bulk does all it can',
    given: [{ _id: 1, v: 'a' }],
    when: (scene) =>
      bulk(
        scene,
        scene.collection.bulkWrite(
          [
            { insertOne: { document: { _id: 1 } as never } },
            { updateOne: { filter: { _id: 1 } as never, update: { $inc: { v: 1 } } } },
            { insertOne: { document: { _id: 2 } as never } },
          ],
          { ordered: false },
        ),
      ),
    answer: {
      did: {
        errors: [
          { index: 0, code: 11000 },
          { index: 1, code: 14 },
        ],
      },
      stored: [1, 2],
    },
  },
  {
    says: 'statements of one update command are counted together',
    given: holding(1, 1, 2),
    when: async ({ db, collection }) => {
      const { n, nModified, upserted } = await db.command({
        update: collection.collectionName,
        updates: [
          { q: { v: 1 }, u: { $set: { w: 1 } }, multi: true },
          { q: { v: 2 }, u: { $set: { v: 2 } } },
          { q: { _id: 9 }, u: { $set: { v: 9 } }, upsert: true },
        ],
      });
      return { n, nModified, upserted };
    },
    answer: { n: 4, nModified: 2, upserted: [{ index: 2, _id: 9 }] },
  },
  {
    says: 'a bulk of thousands is done whole',
    when: async ({ collection }) => {
      await collection.insertMany(numbered(...Array.from({ length: 3000 }, (_, index) => index)));
      return collection.estimatedDocumentCount();
    },
    answer: 3000,
  },
];

const deletes: Case[] = [
  {
    says: 'deleteOne removes one of several matches',
    given: holding(1, 1, 2),
    when: async (scene) => {
      const { deletedCount } = await scene.collection.deleteOne({ v: 1 });
      return [deletedCount, (await stored(scene)).length];
    },
    answer: [1, 2],
  },
  {
    says: 'deleteMany removes every match',
    given: holding(1, 1, 2),
    when: async (scene) => [(await scene.collection.deleteMany({ v: 1 })).deletedCount, ids(await stored(scene))],
    answer: [2, [3]],
  },
  {
    says: 'a delete without a match removes nothing',
    given: holding(1),
    when: async ({ collection }) => (await collection.deleteMany({ v: 9 })).deletedCount,
    answer: 0,
  },
  {
    says: 'an empty filter deletes everything',
    given: holding(1, 2, 3),
    when: async (scene) => [(await scene.collection.deleteMany({})).deletedCount, await stored(scene)],
    answer: [3, []],
  },
  {
    says: 'a delete in a collection that is not there removes nothing',
    when: async ({ collection }) => (await collection.deleteOne({ v: 1 })).deletedCount,
    answer: 0,
  },
  {
    says: 'what is deleted leaves the unique indexes',
    given: holding(1),
    indexes: [{ key: { v: 1 }, unique: true }],
    when: async (scene) => {
      await scene.collection.deleteOne({ v: 1 });
      await scene.collection.insertOne({ _id: 2, v: 1 } as never);
      return stored(scene);
    },
    answer: [{ _id: 2, v: 1 }],
  },
  {
    says: 'a delete by an index removes from every index',
    given: [
      { _id: 1, a: 1, b: 2 },
      { _id: 2, a: 2, b: 2 },
    ],
    indexes: [{ key: { a: 1 } }, { key: { b: 1 } }],
    when: async ({ collection }) => {
      await collection.deleteMany({ a: 1 });
      return ids(await collection.find({ b: 2 }).toArray());
    },
    answer: [2],
  },
  {
    says: 'a limit of a delete is 0 or 1',
    when: ({ db, collection }) => db.command({ delete: collection.collectionName, deletes: [{ q: {}, limit: 2 }] }),
    answer: expect.objectContaining({ writeErrors: [expect.objectContaining({ index: 0, code: 9 })] }),
  },
  {
    says: 'a delete without a limit is refused',
    when: ({ db, collection }) => db.command({ delete: collection.collectionName, deletes: [{ q: {} }] }),
    answer: refused(40414, 'limit'),
  },
  {
    says: 'a delete by an unknown operator is refused and removes nothing',
    given: holding(1),
    when: async (scene) => [
      await outcome(scene.collection.deleteMany({ v: { $nonsense: 1 } } as never)),
      ids(await stored(scene)),
    ],
    answer: [refused(2, '$nonsense'), [1]],
  },
];

const people = [
  { _id: 1, group: 'a', age: 30 },
  { _id: 2, group: 'a', age: 20 },
  { _id: 3, group: 'b', age: 40 },
];

const finds = (
  says: string,
  run: (scene: Scene) => Promise<unknown>,
  answer: unknown,
  given: Document[] = people,
): Case => ({ says, given, when: run, answer });

const findAndModify: Case[] = [
  finds(
    'gives the document as it was',
    ({ collection }) => collection.findOneAndUpdate({ _id: 1 } as never, { $inc: { age: 1 } }),
    { _id: 1, group: 'a', age: 30 },
  ),
  finds(
    'gives the document as it is, if asked',
    ({ collection }) =>
      collection.findOneAndUpdate({ _id: 1 } as never, { $inc: { age: 1 } }, { returnDocument: 'after' }),
    { _id: 1, group: 'a', age: 31 },
  ),
  finds(
    'takes the first in an order',
    async (scene) => {
      const found = await scene.collection.findOneAndUpdate(
        { group: 'a' },
        { $set: { taken: true } },
        { sort: { age: 1 } },
      );
      return [found!._id, ids((await stored(scene)).filter(({ taken }) => taken))];
    },
    [2, [2]],
  ),
  finds(
    'takes a projection',
    ({ collection }) =>
      collection.findOneAndUpdate(
        { _id: 3 } as never,
        { $inc: { age: 1 } },
        { projection: { age: 1, _id: 0 }, returnDocument: 'after' },
      ),
    { age: 41 },
  ),
  finds(
    'gives null without a match',
    ({ collection }) => collection.findOneAndUpdate({ _id: 9 } as never, { $set: { age: 1 } }),
    null,
  ),
  finds(
    'tells what it did',
    ({ collection }) =>
      collection.findOneAndUpdate({ _id: 1 } as never, { $set: { age: 1 } }, { includeResultMetadata: true }),
    { lastErrorObject: { n: 1, updatedExisting: true }, value: { _id: 1, group: 'a', age: 30 }, ok: 1 },
  ),
  finds(
    'upserts and gives null',
    async (scene) => {
      const found = await scene.collection.findOneAndUpdate(
        { _id: 9 } as never,
        { $set: { age: 1 } },
        { upsert: true },
      );
      return [found, (await stored(scene))[3]];
    },
    [null, { _id: 9, age: 1 }],
  ),
  finds(
    'upserts and gives the new document, if asked',
    ({ collection }) =>
      collection.findOneAndUpdate(
        { _id: 9, group: 'c' } as never,
        { $setOnInsert: { age: 1 } },
        { upsert: true, returnDocument: 'after' },
      ),
    { _id: 9, group: 'c', age: 1 },
  ),
  finds(
    'tells what it upserted',
    ({ collection }) =>
      collection.findOneAndUpdate(
        { _id: 9 } as never,
        { $set: { age: 1 } },
        { upsert: true, includeResultMetadata: true },
      ),
    { lastErrorObject: { n: 1, updatedExisting: false, upserted: 9 }, value: null, ok: 1 },
  ),
  finds(
    'replaces',
    ({ collection }) => collection.findOneAndReplace({ _id: 1 } as never, { name: 'x' }, { returnDocument: 'after' }),
    { _id: 1, name: 'x' },
  ),
  finds(
    'removes and gives what it removed',
    async (scene) => {
      const found = await scene.collection.findOneAndDelete({ group: 'a' }, { sort: { age: -1 } });
      return [found!._id, ids(await stored(scene))];
    },
    [1, [2, 3]],
  ),
  finds('removes nothing without a match', ({ collection }) => collection.findOneAndDelete({ group: 'z' }), null),
  finds(
    'is atomic: of many at once each takes another document',
    async (scene) => {
      const taken = await Promise.all(
        Array.from({ length: 3 }, () =>
          scene.collection.findOneAndUpdate(
            { taken: { $exists: false } },
            { $set: { taken: 1 } },
            { sort: { _id: 1 } },
          ),
        ),
      );
      return taken.map((found) => found!._id as unknown as number).sort();
    },
    [1, 2, 3],
  ),
  finds(
    'refuses a wrong projection before it writes',
    async (scene) => {
      const options = { projection: { age: 1, group: 0 }, returnDocument: 'after' } as const;
      const refusal = await outcome(
        scene.collection.findOneAndUpdate({ _id: 1 } as never, { $inc: { age: 1 } }, options),
      );
      return [refusal, (await stored(scene))[0]];
    },
    [refused(31254), { _id: 1, group: 'a', age: 30 }],
  ),
  finds(
    'refuses to remove and update',
    ({ db, collection }) =>
      db.command({ findAndModify: collection.collectionName, query: {}, remove: true, update: { $set: { a: 1 } } }),
    refused(9, 'remove'),
  ),
  finds(
    'refuses to remove and give the new document',
    ({ db, collection }) =>
      db.command({ findAndModify: collection.collectionName, query: {}, remove: true, new: true }),
    refused(9, 'remove'),
  ),
  finds(
    'refuses to do nothing',
    ({ db, collection }) => db.command({ findAndModify: collection.collectionName, query: {} }),
    refused(9, 'remove'),
  ),
  finds(
    'refuses an update of _id',
    ({ collection }) => collection.findOneAndUpdate({ _id: 1 } as never, { $set: { _id: 5 } as never }),
    refused(66, '_id'),
  ),
  finds(
    'refuses a second document of a unique index',
    async ({ collection }) => {
      await collection.createIndex({ age: 1 }, { unique: true });
      return collection.findOneAndUpdate({ _id: 1 } as never, { $set: { age: 20 } });
    },
    refused(11000, 'E11000'),
  ),
];

export const writeGroups: Group[] = [
  { group: 'bulk', cases: batches },
  { group: 'delete', cases: deletes },
  { group: 'findAndModify', cases: findAndModify },
];
