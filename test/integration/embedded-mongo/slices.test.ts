import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Collection, type Db, type Document, MongoClient } from './suite/driver.ts';
import { temporaryFolder } from './support/folder.ts';
import { sharedServer } from './support/shared-server.ts';

/** So many that reading them all takes many slices. */
const documents = 20_000;
const { server, client, database, emptyCollection } = sharedServer({ maxPoolSize: 40 });

const admin = (): Db => client().db('admin');

async function filledCollection(count = documents): Promise<Collection> {
  const items = emptyCollection();
  const all = Array.from({ length: count }, (_, n) => ({ _id: n as never, n, group: n % 10, text: `text ${n}` }));
  await items.insertMany(all);
  return items;
}

type Running = { isDone: boolean; result: Promise<unknown> };

/** Something under way, and whether it has ended. */
function running(result: Promise<unknown>): Running {
  const state: Running = { isDone: false, result };
  const end = () => {
    state.isDone = true;
  };
  result.then(end, end);
  return state;
}

/** How many of `act`, one after another, are answered before the operation ends; no more than `most` are tried. */
async function answeredDuring(
  operation: Running,
  act: (count: number) => Promise<unknown>,
  most = 10,
): Promise<number> {
  let count = 0;
  while (!operation.isDone && count < most) {
    await act(count);
    if (!operation.isDone) count += 1;
  }
  return count;
}

/** The operation on a collection that is under way, if one is. */
async function underWayOn(items: Collection): Promise<Document | undefined> {
  const { inprog } = await admin().command({ currentOp: 1 });
  return inprog.find(({ ns }: Document) => ns === items.namespace);
}

/** The operation on a collection that is under way, as soon as it is. */
async function operationOn(items: Collection): Promise<Document> {
  for (;;) {
    const found = await underWayOn(items);
    if (found) return found;
  }
}

const long: { what: string; act: (items: Collection) => Promise<unknown> }[] = [
  { what: 'a scan', act: (items) => items.find({ text: /(a|b)+none$/ }).toArray() },
  {
    what: 'a sort',
    act: (items) =>
      items
        .find()
        .sort({ text: -1 })
        .limit(documents / 2)
        .toArray(),
  },
  { what: 'a count', act: (items) => items.countDocuments({ text: { $ne: 'none' } }) },
  { what: 'distinct values', act: (items) => items.distinct('text') },
  { what: 'groups', act: (items) => items.aggregate([{ $group: { _id: '$n', n: { $sum: 1 } } }]).toArray() },
  { what: 'an update of all', act: (items) => items.updateMany({}, { $inc: { n: 1 } }) },
  { what: 'an index', act: (items) => items.createIndex({ text: 1 }) },
  // The last, which leaves nothing.
  { what: 'a delete of all', act: (items) => items.deleteMany({ n: { $gte: 0 } }) },
];

describe('while one request takes long', () => {
  let filled: Collection;
  beforeAll(async () => {
    filled = await filledCollection(2 * documents);
  });

  /** Whether first a read, which sees the operation under way, and then a write are answered before its end. */
  async function letsOthersIn(act: (items: Collection) => Promise<unknown>): Promise<boolean> {
    const operation = running(act(filled));
    let isSeen = false;
    while (!operation.isDone && !isSeen) isSeen = (await underWayOn(filled)) !== undefined;
    await database().collection('others').insertOne({});
    const letsIn = isSeen && !operation.isDone;
    await operation.result;
    return letsIn;
  }

  test.each(long)('as $what, others are answered', async ({ act }) => {
    let isLettingIn = false;
    // A client that is not scheduled for long can miss one.
    for (let tries = 0; tries < 5 && !isLettingIn; tries += 1) isLettingIn = await letsOthersIn(act);
    expect(isLettingIn).toBe(true);
  });

  test('what others write to the same documents is neither lost nor done twice', async () => {
    const items = await filledCollection();
    const operation = running(items.updateMany({}, { $inc: { n: 1_000_000 } }));
    await answeredDuring(
      operation,
      (count) => items.updateOne({ _id: (documents - 1 - count) as never }, { $inc: { n: 1 } }),
      500,
    );
    await operation.result;
    const other = running(items.deleteMany({ group: { $lt: 5 } }));
    const added = await answeredDuring(other, (count) => items.insertOne({ _id: -1 - count, group: 9 } as never), 50);
    await other.result;
    expect(await items.countDocuments({ group: { $lt: 5 } })).toBe(0);
    expect(await items.countDocuments({ _id: { $lt: 0 } } as never)).toBeGreaterThanOrEqual(added);
    expect(await items.countDocuments({ group: { $gte: 5 }, n: { $lt: 1_000_000 } })).toBe(0);
    expect(await items.countDocuments({ n: { $gte: 2_000_000 } })).toBe(0);
  });

  test('a document is claimed once, however long it takes to find', async () => {
    const items = await filledCollection(10_000);
    await items.updateMany({ _id: { $gte: 10_000 - 20 } } as never, { $set: { text: 'free' } });
    for (const sort of [undefined, { n: 1 } as const]) {
      await items.updateMany({ text: 'taken' }, { $set: { text: 'free' } });
      const claims = await Promise.all(
        Array.from({ length: 24 }, () =>
          items.findOneAndUpdate({ text: 'free' }, { $set: { text: 'taken' } }, { ...(sort && { sort }) }),
        ),
      );
      const taken = claims.filter((claim) => claim !== null).map(({ _id }) => String(_id));
      expect(new Set(taken).size).toBe(taken.length);
      expect(taken).toHaveLength(20);
    }
  });

  test('every document is counted once, though some come and go', async () => {
    const items = await filledCollection();
    const counting = running(items.countDocuments());
    await answeredDuring(counting, (count) =>
      Promise.all([
        items.insertOne({ _id: (documents + count) as never }),
        items.insertOne({ _id: -1 - count } as never),
        items.deleteOne({ _id: (documents - 1 - count) as never }),
      ]),
    );
    await counting.result;
    const all = await items.find({}, { projection: { _id: 1 } }).toArray();
    expect(await items.countDocuments()).toBe(all.length);
    await items.deleteMany({ group: 3 });
    expect(await items.estimatedDocumentCount()).toBe(
      (await items.find({}, { projection: { _id: 1 } }).toArray()).length,
    );
  });

  test('its collection may be dropped, and it ends', async () => {
    const items = emptyCollection();
    // Each takes the expression long, so that the scan has not ended when the drop begins.
    const text = 'ab'.repeat(200);
    await items.insertMany(Array.from({ length: documents }, (_, n) => ({ _id: n as never, text })));
    const scan = items.find({ text: /(a|b)+none$/ }).toArray();
    scan.catch(() => {});
    await operationOn(items);
    await items.drop();
    await expect(scan).rejects.toMatchObject({ code: 175 });
  });
});

describe('an index that is built', () => {
  test('has the keys of what is written meanwhile, and serves no query before', async () => {
    const items = await filledCollection();
    const build = running(items.createIndex({ text: 1, n: 1 }));
    let early = 0;
    await answeredDuring(build, async (count) => {
      await items.insertOne({ _id: (documents + count) as never, text: `late ${count}` });
      await items.updateOne({ _id: count as never }, { $set: { text: `changed ${count}` } });
      await items.updateOne({ _id: (documents - 1 - count) as never }, { $set: { text: `changed ${count}` } });
      await items.deleteOne({ _id: (documents / 2 + count) as never });
      const plan = await items.find({ text: 'text 5' }).explain('queryPlanner');
      if (!build.isDone && plan.queryPlanner.winningPlan.stage !== 'COLLSCAN') early += 1;
    });
    await build.result;
    expect(early).toBe(0);
    expect(await items.countDocuments({ text: 'late 0' }, { hint: 'text_1_n_1' })).toBe(1);
    // A backup compares every index with the documents.
    await server().backup(join(temporaryFolder(), 'backup'));
  });

  test('is refused and gone when a value of a unique one is written twice', async () => {
    const items = await filledCollection();
    const build = items.createIndex({ n: 1 }, { unique: true });
    build.catch(() => {});
    await operationOn(items);
    await items.insertOne({ _id: -1 as never, n: documents - 1 });
    await expect(build).rejects.toMatchObject({ code: 11000, keyValue: { n: documents - 1 } });
    expect(await items.indexes()).toHaveLength(1);
  });

  test('is waited for by a second request for it', async () => {
    const items = await filledCollection(10_000);
    const both = await Promise.all([items.createIndex({ n: 1 }), items.createIndex({ n: 1 })]);
    expect(both).toEqual(['n_1', 'n_1']);
    expect(await items.indexes()).toHaveLength(2);
  });
});

describe('an operation', () => {
  /** Backtracking makes a scan of these documents take many seconds, so that it does not end before it is killed. */
  const costly = { text: /(a|b)+none$/ };
  let items: Collection;
  beforeAll(async () => {
    items = emptyCollection();
    const text = 'ab'.repeat(100);
    await items.insertMany(Array.from({ length: documents }, (_, n) => ({ _id: n as never, text: `${text}${n}` })));
  });

  test('is listed, and ends when it is killed', async () => {
    const scan = items.find(costly).toArray();
    scan.catch(() => {});
    const listed = await operationOn(items);
    expect(listed).toMatchObject({ op: 'query', active: true, command: { find: items.collectionName } });
    expect(await admin().command({ killOp: 1, op: listed.opid })).toMatchObject({
      info: 'attempting to kill op',
      ok: 1,
    });
    await expect(scan).rejects.toMatchObject({ code: 11601, codeName: 'Interrupted' });
    const { inprog } = await admin().command({ currentOp: 1 });
    expect(inprog.filter(({ ns }: Document) => ns === items.namespace)).toEqual([]);
  });

  test('whose client is gone ends', async () => {
    const client = await MongoClient.connect(server().url);
    const scan = client.db('test').collection(items.collectionName).find(costly).toArray();
    scan.catch(() => {});
    await operationOn(items);
    await client.close();
    await expect(scan).rejects.toThrow();
    for (let isRunning = true; isRunning; ) {
      const { inprog } = await admin().command({ currentOp: 1 });
      isRunning = inprog.some(({ ns }: Document) => ns === items.namespace);
    }
  });

  test('that builds an index takes it away when it is killed', async () => {
    const many = await filledCollection();
    for (let isKilled = false; !isKilled; ) {
      const build = running(many.createIndex({ text: 1 }));
      const { inprog } = await admin().command({ currentOp: 1 });
      const listed = inprog.find(({ ns }: Document) => ns === many.namespace);
      if (listed) await admin().command({ killOp: 1, op: listed.opid });
      const failure = await build.result.then(
        () => null,
        (error: unknown) => error,
      );
      isKilled = failure !== null;
      if (isKilled) expect(failure).toMatchObject({ code: 11601 });
      // On a busy machine a build may end before it is listed or killed.
      else await many.dropIndex('text_1');
    }
    expect(await many.indexes()).toHaveLength(1);
    await many.createIndex({ text: 1 });
  });
});
