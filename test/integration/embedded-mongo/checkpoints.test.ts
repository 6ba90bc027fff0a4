import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createStore } from '../../../embedded/mongo/store/catalog.ts';
import { createCheckpoints } from '../../../embedded/mongo/store/checkpoints.ts';
import type { Sync } from '../../../embedded/mongo/store/durable-record.ts';
import { verifyLog } from '../../../embedded/mongo/store/log-check.ts';
import { createLogSync } from '../../../embedded/mongo/store/log-sync.ts';
import { openDatabase } from '../../../embedded/mongo/store/open.ts';
import { dataFileName } from '../../../embedded/mongo/store/schema.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { until } from '../../support/until.ts';
import { temporaryFolder } from './support/folder.ts';
import { withServer } from './support/server.ts';
import { type SyncedServer, startSyncedServer } from './support/synced-server.ts';

/** A server whose syncs of the data file end when the test says so. */
let scene: SyncedServer;
let dir: string;
let syncs: (() => void)[];
let isHeld: boolean;
let syncCount: number;
/** What is on disk of the data file, should the power fail now; kept by the test of that alone. */
let fileOnDisk: Buffer | null;
let lastId: number;

const frameBytes = 24 + 4096;

function endSyncs(): void {
  for (const end of syncs.splice(0)) end();
}

beforeEach(async () => {
  dir = temporaryFolder();
  const path = join(dir, dataFileName);
  [syncs, isHeld, syncCount, lastId] = [[], false, 0, 0];
  scene = await startSyncedServer(dir, {
    syncFile: (_descriptor, done) => {
      syncCount += 1;
      const file = fileOnDisk && readFileSync(path);
      syncs.push(() => {
        fileOnDisk = file;
        done(null);
      });
      if (!isHeld) setImmediate(endSyncs);
    },
  });
  fileOnDisk = null;
});

afterEach(async () => {
  isHeld = false;
  endSyncs();
  await scene.close();
});

/** Writes about 200 pages: new documents, and changes to some from before. */
async function writeSome(): Promise<void> {
  const documents = Array.from({ length: 60 }, () => ({ _id: ++lastId as never, body: 'x'.repeat(9000), round: 0 }));
  await scene.items.insertMany(documents);
  await scene.items.updateMany({ _id: { $gt: Math.floor(lastId / 2), $mod: [7, 0] } as never }, { $inc: { round: 1 } });
}

/** Writes while a sync is held; one that writes wait for ends. */
async function writeBesideSync(): Promise<void> {
  let isWritten = false;
  void writeSome().then(() => {
    isWritten = true;
  });
  await until(() => {
    if (!scene.checkpoints.mayBegin()) endSyncs();
    return isWritten;
  });
}

/** How many pages the log has. */
function pagesOfLog(): number {
  return Number(scene.store.database.prepare('PRAGMA wal_checkpoint(NOOP)').get()?.log);
}

const logFile = () => join(dir, `${dataFileName}-wal`);

describe('the log is copied beside the work', () => {
  test('a power cut at any time leaves all that was acknowledged', async () => {
    fileOnDisk = readFileSync(join(dir, dataFileName));
    isHeld = true;
    for (let round = 1; round <= 24; round += 1) {
      // A sync takes a while, in which more is written.
      await writeBesideSync();
      if (round % 3 === 0) endSyncs();
      if (round % propertyCases(8, 4) !== 0) continue;
      const folder = temporaryFolder();
      writeFileSync(join(folder, dataFileName), fileOnDisk);
      copyFileSync(logFile(), join(folder, `${dataFileName}-wal`));
      await withServer(folder, async ({ server, items }) => {
        const found = await items.find({}, { projection: { round: 1 } }).toArray();
        const expected = await scene.items.find({}, { projection: { round: 1 } }).toArray();
        expect(found).toEqual(expected);
        expect(found).toHaveLength(lastId);
        // A backup compares every index with the documents.
        await server.backup(join(folder, 'backup'));
      });
    }
    expect(syncCount).toBeGreaterThan(3);
  });

  test('the log begins again and again, and takes no more of the disk', async () => {
    // How many rounds a log takes depends on how long a sync does.
    for (let round = 1; round <= 30 || (syncCount <= 5 && round <= 100); round += 1) await writeSome();
    expect(syncCount).toBeGreaterThan(5);
    expect(statSync(logFile()).size).toBeLessThan(4000 * frameBytes);
  });

  test('writes wait while the end of a long log is copied, and reads do not', async () => {
    isHeld = true;
    while (pagesOfLog() < 2500) await writeSome();
    expect(syncs).toHaveLength(1);
    endSyncs();
    await until(() => syncs.length === 1);
    expect(scene.checkpoints.mayBegin()).toBe(false);
    let isWritten = false;
    const write = scene.items.insertOne({ _id: ++lastId as never }).then(() => {
      isWritten = true;
    });
    for (let reads = 0; reads < 20; reads += 1) expect(await scene.items.countDocuments({})).toBe(lastId - 1);
    expect(isWritten).toBe(false);
    endSyncs();
    await write;
    expect(pagesOfLog()).toBeLessThan(100);
  });

  test('the loss of a log is noticed while the file lacks a part of it', async () => {
    let noticed = 0;
    for (let round = 1; round <= 24; round += 1) {
      await writeSome();
      // Between a copy and its sync the record still describes the file before it, and the file counts as newer.
      await until(() => scene.checkpoints.mayBegin() && syncs.length === 0);
      const folder = temporaryFolder();
      const path = join(folder, dataFileName);
      for (const suffix of ['', '-durable']) copyFileSync(join(dir, `${dataFileName}${suffix}`), `${path}${suffix}`);
      const size = scene.store.database.prepare('PRAGMA wal_checkpoint(NOOP)').get();
      const check = expect(() => verifyLog(path));
      if (size?.log === size?.checkpointed) {
        check.not.toThrow();
        continue;
      }
      check.toThrow('lacks transactions');
      noticed += 1;
    }
    expect(noticed).toBeGreaterThan(10);
  });

  test('what a reader keeps in the log is not tried at each commit, and copied when it is gone', async () => {
    const reader = new DatabaseSync(join(dir, dataFileName), { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM collections').get();
    while (pagesOfLog() < 6000) await writeSome();
    await until(() => syncs.length === 0);
    expect(syncCount).toBeLessThanOrEqual(6);
    reader.close();
    const before = pagesOfLog();
    await until(async () => {
      await writeSome();
      return pagesOfLog() < before;
    });
  });
});

test('a sync of the data file that fails is thrown, and the log does not begin again', async () => {
  const folder = temporaryFolder();
  const store = createStore(openDatabase(folder));
  const succeed: Sync = (_descriptor, done) => done(null);
  const log = createLogSync(store.database, { syncLog: succeed, syncRecord: succeed });
  const failed = new Error('EIO');
  const ends: ((error: Error | null) => void)[] = [];
  const checkpoints = createCheckpoints(store.database, log, (_descriptor, done) => ends.push(done));
  store.database.exec('CREATE TABLE other (body BLOB)');
  const commit = () => {
    store.database.exec('INSERT INTO other VALUES (randomblob(6000000))');
    log.noteCommit([null]);
    checkpoints.noteCommit();
  };
  const logOf = () => readFileSync(join(folder, `${dataFileName}-wal`)).subarray(0, 32);
  commit();
  await until(() => ends.length === 1);
  const header = logOf();
  expect(() => ends[0]!(failed)).toThrow(failed);
  commit();
  expect(logOf()).toEqual(header);
  store.database.close();
  log.close();
  checkpoints.close();
});

test('a log that is lost after a part of it was copied is noticed before the next transaction', async () => {
  const folder = temporaryFolder();
  const store = createStore(openDatabase(folder));
  const succeed: Sync = (_descriptor, done) => done(null);
  const log = createLogSync(store.database, { syncLog: succeed, syncRecord: succeed });
  const ends: (() => void)[] = [];
  const checkpoints = createCheckpoints(store.database, log, (_descriptor, done) => ends.push(() => done(null)));
  store.database.exec('CREATE TABLE large (body BLOB); INSERT INTO large VALUES (randomblob(6000000))');
  store.database.exec('CREATE TABLE small (n INTEGER); INSERT INTO small VALUES (1)');
  log.noteCommit([null]);
  checkpoints.noteCommit();
  // Between the snapshot and the copy of it.
  await new Promise((resolve) => setImmediate(resolve));
  store.database.exec('UPDATE small SET n = 2');
  log.noteCommit([null]);
  await until(() => ends.length === 1);
  ends[0]!();
  const lost = temporaryFolder();
  for (const name of [dataFileName, `${dataFileName}-durable`]) copyFileSync(join(folder, name), join(lost, name));
  expect(() => verifyLog(join(lost, dataFileName))).toThrow('lacks transactions');
  await checkpoints.end();
  store.database.close();
  log.close();
  checkpoints.close();
});
