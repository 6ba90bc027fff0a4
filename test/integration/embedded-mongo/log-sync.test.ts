import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createStore } from '../../../embedded/mongo/store/catalog.ts';
import type { Sync } from '../../../embedded/mongo/store/durable-record.ts';
import { verifyLog } from '../../../embedded/mongo/store/log-check.ts';
import { createLogSync } from '../../../embedded/mongo/store/log-sync.ts';
import { openDatabase } from '../../../embedded/mongo/store/open.ts';
import { dataFileName } from '../../../embedded/mongo/store/schema.ts';
import { until } from '../../support/until.ts';
import { temporaryFolder } from './support/folder.ts';
import { type SyncedServer, startSyncedServer } from './support/synced-server.ts';

/** A server whose syncs of the log end when the test says so. */
let scene: SyncedServer;
const syncs: (() => void)[] = [];
let isHeld = false;

function endSyncs(): void {
  for (const end of syncs.splice(0)) end();
}

beforeEach(async () => {
  isHeld = false;
  scene = await startSyncedServer(temporaryFolder(), {
    syncLog: (_descriptor, done) => {
      syncs.push(() => done(null));
      if (!isHeld) setImmediate(endSyncs);
    },
  });
  await Promise.all(Array.from({ length: 8 }, () => scene.items.insertOne({ kind: 'first' })));
  isHeld = true;
});

afterEach(async () => {
  isHeld = false;
  endSyncs();
  await scene.close();
});

const syncRecord: Sync = (_descriptor, done) => done(null);

/** Notes when a request is answered. */
function answered(request: Promise<unknown>) {
  const state = { isAnswered: false };
  request.then(
    () => {
      state.isAnswered = true;
    },
    () => undefined,
  );
  return state;
}

const committed = () => Number(scene.store.database.prepare('SELECT count(*) AS n FROM records_1').get()?.n);

describe('what is committed and not yet on disk', () => {
  test('is answered to nobody: neither to who wrote it nor to who reads it', async () => {
    const { items } = scene;
    const write = items.insertOne({ kind: 'second' });
    const written = answered(write);
    await until(() => committed() === 9);
    const read = items.countDocuments({ kind: 'second' });
    const seen = answered(read);
    await until(() => syncs.length === 1);
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect([written.isAnswered, seen.isAnswered]).toEqual([false, false]);
    endSyncs();
    await write;
    expect(await read).toBe(1);
  });

  test('keeps nobody waiting who asks for another collection', async () => {
    const { items, client } = scene;
    const database = client.db('test');
    const write = items.insertOne({ kind: 'second' });
    await until(() => committed() === 9);
    expect(await database.collection('others').findOne({})).toBeNull();
    const listed = database.listCollections().toArray();
    const seen = answered(listed);
    expect(await database.collection('others').countDocuments({})).toBe(0);
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(seen.isAnswered).toBe(false);
    endSyncs();
    await Promise.all([write, listed]);
  });

  test('is two transactions at most: the third begins when the first is on disk', async () => {
    const { items } = scene;
    const first = items.insertOne({ kind: 'a' });
    await until(() => committed() === 9);
    const second = items.insertOne({ kind: 'b' });
    await until(() => committed() === 10);
    const third = items.insertOne({ kind: 'c' });
    const read = items.findOne({ kind: 'first' });
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(committed()).toBe(10);
    endSyncs();
    await first;
    await until(() => committed() === 11);
    expect(await Promise.race([second.then(() => 'second'), third.then(() => 'third'), 'neither'])).toBe('neither');
    endSyncs();
    await Promise.all([second, read]);
    await until(() => syncs.length === 1);
    endSyncs();
    await third;
  });

  test('is on disk before the server ends', async () => {
    const write = scene.items.insertOne({ kind: 'last' });
    const written = answered(write);
    await until(() => committed() === 9);
    const closing = answered(scene.server.close());
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect([written.isAnswered, closing.isAnswered]).toEqual([false, false]);
    endSyncs();
    await write;
    await until(() => closing.isAnswered);
  });
});

test('a collection is durable with the last commit that may have changed it', () => {
  const ends: (() => void)[] = [];
  const dir = temporaryFolder();
  const store = createStore(openDatabase(dir));
  const log = createLogSync(store.database, {
    syncLog: (_descriptor, done) => ends.push(() => done(null)),
    syncRecord,
  });
  const durable: string[] = [];
  const note = (collection: string | null, name: string) => log.whenDurable(collection, () => durable.push(name));
  log.noteCommit(['test.a']);
  note('test.a', 'a by the first');
  note('test.b', 'b before it changed');
  expect(durable).toEqual(['b before it changed']);
  log.noteCommit(['test.b', null]);
  note('test.a', 'a by any');
  note('test.c', 'c by any');
  note(null, 'all');
  ends.shift()!();
  expect(durable).toEqual(['b before it changed', 'a by the first']);
  ends.shift()!();
  note('test.b', 'b when nothing is left');
  expect(durable.slice(2)).toEqual(['a by any', 'c by any', 'all', 'b when nothing is left']);
  store.database.close();
  log.close();
});

test('a sync that fails is thrown, and nothing is answered after it', () => {
  const ends: ((error: Error | null) => void)[] = [];
  const dir = temporaryFolder();
  const store = createStore(openDatabase(dir));
  const log = createLogSync(store.database, { syncLog: (_descriptor, done) => ends.push(done), syncRecord });
  const answers: string[] = [];
  log.noteCommit(['test.items']);
  log.whenDurable(null, () => answers.push('first'));
  log.noteCommit(['test.items']);
  log.whenDurable(null, () => answers.push('second'));
  const failed = new Error('EIO');
  expect(() => ends[0]!(failed)).toThrow(failed);
  expect(answers).toEqual([]);
  expect(log.mayBegin()).toBe(false);
  store.database.close();
  log.close();
});

test('a power cut at any moment leaves a log that has all that the record requires', async () => {
  const dir = temporaryFolder();
  const path = join(dir, dataFileName);
  const read = (suffix: string) => readFileSync(`${path}${suffix}`);
  let logOnDisk = Buffer.alloc(0);
  let moments = 0;
  /** The record may be on disk as soon as it is written; the log is when its sync has ended. */
  const cutPower = () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, dataFileName), read(''));
    writeFileSync(join(folder, `${dataFileName}-wal`), logOnDisk);
    writeFileSync(join(folder, `${dataFileName}-durable`), read('-durable'));
    expect(() => verifyLog(join(folder, dataFileName))).not.toThrow();
    moments += 1;
  };
  const synced = await startSyncedServer(dir, {
    syncLog: (_descriptor, done) => {
      const log = read('-wal');
      setImmediate(() => {
        cutPower();
        logOnDisk = log;
        done(null);
      });
    },
    syncRecord: (_descriptor, done) => {
      cutPower();
      setImmediate(done, null);
    },
  });
  for (let round = 0; round < 20; round += 1) {
    await Promise.all([1, 2, 3].map(() => synced.items.insertOne({ text: 'x'.repeat(5000) })));
  }
  expect(moments).toBeGreaterThan(40);
  await synced.close();
});
