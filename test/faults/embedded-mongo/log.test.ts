import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { temporaryFolder } from '../../integration/embedded-mongo/support/folder.ts';
import { runProgram } from '../../integration/embedded-mongo/support/process.ts';
import { withClient, withServer } from '../../integration/embedded-mongo/support/server.ts';

const headerBytes = 32;
const frameHeaderBytes = 24;
const inserts = 40;
const killed: { file?: Buffer; log?: Buffer; record?: Buffer } = {};

/** A database whose server was killed: all that it acknowledged last is in the log alone. */
beforeAll(async () => {
  const dir = temporaryFolder();
  const program = runProgram('serve.ts', [dir]);
  const url = await program.printed((line) => line.startsWith('mongodb:'));
  await withClient(url, async (client) => {
    const items = client.db('test').collection('items');
    for (let _id = 0; _id < inserts; _id += 1) await items.insertOne({ _id: _id as never, text: 'x'.repeat(9000) });
    await program.kill('SIGKILL');
  });
  killed.file = readFileSync(join(dir, 'data.db'));
  killed.log = readFileSync(join(dir, 'data.db-wal'));
  killed.record = readFileSync(join(dir, 'data.db-durable'));
});

function frameBytes(): number {
  return frameHeaderBytes + killed.log!.readUInt32BE(8);
}

/** The frames that end a transaction. */
function commits(log = killed.log!): number[] {
  const frames = Math.floor((log.length - headerBytes) / frameBytes());
  const ends = Array.from({ length: frames }, (_, frame) => frame);
  return ends.filter((frame) => log.readUInt32BE(headerBytes + frame * frameBytes() + 4) !== 0);
}

function folderWith(log: Buffer, file = killed.file!): string {
  const dir = temporaryFolder();
  writeFileSync(join(dir, 'data.db'), file);
  writeFileSync(join(dir, 'data.db-wal'), log);
  return dir;
}

function flipped(at: number): Buffer {
  const log = Buffer.from(killed.log!);
  log[at]! ^= 1;
  return log;
}

describe('a server over a log', () => {
  test('that is whole has all that was acknowledged', async () => {
    const dir = folderWith(killed.log!);
    expect(await withServer(dir, ({ items }) => items.countDocuments())).toBe(inserts);
  });

  const places: [string, () => number][] = [
    ['the page of a frame', () => headerBytes + (commits()[20]! - 1) * frameBytes() + 1000],
    ['the page of the last frame of a transaction', () => headerBytes + commits()[20]! * frameBytes() + 1000],
    ['the checksum of a frame', () => headerBytes + commits()[20]! * frameBytes() + 17],
    ['the salt of a frame', () => headerBytes + commits()[20]! * frameBytes() + 9],
    ['the page of the first frame', () => headerBytes + 500],
    ['the checksum of the header', () => 25],
    ['the salt of the header', () => 17],
  ];

  test.each(places)('with one bit changed in %s does not start, and changes nothing', async (_, place) => {
    const log = flipped(place());
    const dir = folderWith(log);
    await expect(startEmbeddedMongo({ dir })).rejects.toMatchObject({
      code: 'DATABASE_DAMAGED',
      message: expect.stringContaining('data.db-wal'),
    });
    expect(readFileSync(join(dir, 'data.db-wal')).equals(log)).toBe(true);
    expect(readFileSync(join(dir, 'data.db')).equals(killed.file!)).toBe(true);
  });

  test('that a power cut left in the middle of the last transaction has all before it', async () => {
    const [previous = 0] = commits().slice(-2);
    const cut = killed.log!.subarray(0, headerBytes + (previous + 1) * frameBytes() + 300);
    expect(await withServer(folderWith(cut), ({ items }) => items.countDocuments())).toBe(inserts - 1);
    // Pages need not reach the disk in the order in which they were written.
    const holed = Buffer.from(killed.log!);
    holed.fill(0, headerBytes + (previous + 1) * frameBytes(), headerBytes + (previous + 2) * frameBytes());
    expect(await withServer(folderWith(holed), ({ items }) => items.countDocuments())).toBe(inserts - 1);
    // Two transactions may be on their way to the disk at once, and the second may come first.
    const [secondLast = 0] = commits().slice(-3);
    const early = Buffer.from(killed.log!);
    early.fill(0, headerBytes + (secondLast + 1) * frameBytes(), headerBytes + (secondLast + 2) * frameBytes());
    expect(await withServer(folderWith(early), ({ items }) => items.countDocuments())).toBe(inserts - 2);
    // Where one did not, a frame of an earlier run of the log may stand, which ended a transaction of that run.
    const stale = Buffer.from(killed.log!);
    const older = headerBytes + commits()[5]! * frameBytes();
    const hole = headerBytes + (previous + 1) * frameBytes();
    stale.copyWithin(hole, older, older + frameBytes());
    stale[hole + 9]! ^= 0xff;
    expect(await withServer(folderWith(stale), ({ items }) => items.countDocuments())).toBe(inserts - 1);
  });

  test('that ends with a torn transaction over what an earlier one left in the middle has all before it', async () => {
    const dir = folderWith(killed.log!);
    const log = join(dir, 'data.db-wal');
    // Without the server, which empties the log when it starts.
    const database = new DatabaseSync(join(dir, 'data.db'));
    // A transaction that is larger than the cache is written to the log before it ends; this one never does.
    database.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 4; CREATE TABLE other (body BLOB); BEGIN');
    for (let row = 0; row < 20; row += 1) database.exec('INSERT INTO other VALUES (randomblob(50000))');
    database.exec('ROLLBACK');
    database.exec('INSERT INTO other VALUES (randomblob(50))');
    const torn = readFileSync(log);
    const data = readFileSync(join(dir, 'data.db'));
    database.close();
    // The header of its last frame was written, and its page not.
    const last = commits(torn).at(-1)!;
    expect(torn.length).toBeGreaterThan(headerBytes + (last + 5) * frameBytes());
    torn.fill(0, headerBytes + last * frameBytes() + frameHeaderBytes, headerBytes + (last + 1) * frameBytes());
    expect(await withServer(folderWith(torn, data), ({ items }) => items.countDocuments())).toBe(inserts);
  });

  test('that was killed between the header of a new run and its first frame has all before it', async () => {
    const dir = folderWith(killed.log!);
    const log = join(dir, 'data.db-wal');
    const database = new DatabaseSync(join(dir, 'data.db'));
    database.exec('CREATE TABLE other (body BLOB)');
    const before = readFileSync(log);
    // All of the log is in the file, so the next transaction begins it again: the header first, which is synced.
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    const data = readFileSync(join(dir, 'data.db'));
    database.exec('INSERT INTO other VALUES (randomblob(50))');
    const after = readFileSync(log);
    database.close();
    expect(after.subarray(16, 24).equals(before.subarray(16, 24))).toBe(false);
    const firstFrame = headerBytes + frameHeaderBytes;
    for (const written of [headerBytes, firstFrame, firstFrame + 100, headerBytes + frameBytes()]) {
      const torn = Buffer.concat([after.subarray(0, written), before.subarray(written)]);
      expect(await withServer(folderWith(torn, data), ({ items }) => items.countDocuments())).toBe(inserts);
    }
  });

  test('that begins again over an older one takes the older frames for none', async () => {
    const dir = temporaryFolder();
    await withServer(dir, async ({ items }) => {
      await items.insertOne({ _id: 1 as never, text: 'x'.repeat(100_000) });
    });
    copyFileSync(join(dir, 'data.db'), join(dir, 'copy'));
    const log = Buffer.from(killed.log!);
    const salted = headerBytes + (commits()[30]! + 1) * frameBytes();
    for (let at = salted; at + 16 <= log.length; at += frameBytes()) log[at + 9]! ^= 0xff;
    expect(await withServer(folderWith(log), ({ items }) => items.countDocuments())).toBeLessThan(inserts);
  });
});

/** The folder of the killed server, with another log; null removes the log. */
function folderWithRecord(log: Buffer | null, record = killed.record!): string {
  const dir = folderWith(log ?? Buffer.alloc(0));
  if (!log) rmSync(join(dir, 'data.db-wal'));
  writeFileSync(join(dir, 'data.db-durable'), record);
  return dir;
}

/** The log up to the end of the transaction at `at`, counted from the last at -1. */
function cutAfter(at: number): Buffer {
  return killed.log!.subarray(0, headerBytes + (commits().at(at)! + 1) * frameBytes());
}

/** The record as it was before the last acknowledged transaction, whose slot is that with the highest sequence. */
function recordBeforeLast(): Buffer {
  const record = Buffer.from(killed.record!);
  const sequences = [0, 1, 2].map((slot) => Number(record.readBigUInt64BE(slot * 4096 + 8)));
  const latest = sequences.indexOf(Math.max(...sequences));
  return record.fill(0, latest * 4096, latest * 4096 + 4096);
}

describe('a server whose acknowledged transactions are recorded next to the log', () => {
  const lacking: [string, () => Buffer | null][] = [
    ['was removed', () => null],
    ['was emptied', () => Buffer.alloc(0)],
    ['was cut to its header', () => killed.log!.subarray(0, headerBytes)],
    ['was cut before the last transaction', () => cutAfter(-2)],
    ['was cut in the middle', () => cutAfter(-20)],
    ['was cut within its last frame', () => cutAfter(-1).subarray(0, -100)],
    ['has a changed bit in its last frame', () => flipped(headerBytes + commits().at(-1)! * frameBytes() + 1000)],
    ['has a changed bit in the frame before', () => flipped(headerBytes + (commits().at(-1)! - 1) * frameBytes() + 50)],
    ['has zeros for a header', () => Buffer.from(killed.log!).fill(0, 0, headerBytes)],
    [
      'is of another run of the database',
      () => {
        const dir = folderWith(cutAfter(-1));
        const database = new DatabaseSync(join(dir, 'data.db'));
        database.exec('PRAGMA wal_checkpoint(PASSIVE); CREATE TABLE other (body BLOB)');
        const log = readFileSync(join(dir, 'data.db-wal'));
        database.close();
        return log;
      },
    ],
  ];

  test.each(lacking)('does not start when the log %s, and changes nothing', async (_, spoil) => {
    const log = spoil();
    const dir = folderWithRecord(log);
    await expect(startEmbeddedMongo({ dir })).rejects.toMatchObject({
      code: 'DATABASE_DAMAGED',
      message: expect.stringContaining('data.db-wal'),
    });
    expect(existsSync(join(dir, 'data.db-wal'))).toBe(log !== null);
    if (log) expect(readFileSync(join(dir, 'data.db-wal')).equals(log)).toBe(true);
    expect(readFileSync(join(dir, 'data.db')).equals(killed.file!)).toBe(true);
    expect(readFileSync(join(dir, 'data.db-durable')).equals(killed.record!)).toBe(true);
  });

  test('starts over the log that it had, again and again', async () => {
    const dir = folderWithRecord(killed.log!);
    for (let round = 0; round < 3; round += 1) {
      const count = await withServer(dir, async ({ items }) => {
        await items.insertOne({ _id: (1000 + round) as never });
        return items.countDocuments();
      });
      expect(count).toBe(inserts + round + 1);
    }
  });

  test('undoes a torn transaction that was not acknowledged', async () => {
    for (const log of [cutAfter(-2), cutAfter(-1).subarray(0, -100)]) {
      const dir = folderWithRecord(log, recordBeforeLast());
      expect(await withServer(dir, ({ items }) => items.countDocuments())).toBe(inserts - 1);
    }
  });

  test('starts when another SQLite program has copied the log into the file', async () => {
    const dir = folderWithRecord(killed.log!);
    const database = new DatabaseSync(join(dir, 'data.db'));
    database.prepare('SELECT count(*) FROM collections').get();
    database.close();
    expect(existsSync(join(dir, 'data.db-wal'))).toBe(false);
    expect(await withServer(dir, ({ items }) => items.countDocuments())).toBe(inserts);
  });

  test('asks nothing of the log after an orderly end', async () => {
    const dir = folderWithRecord(killed.log!);
    await withServer(dir, ({ items }) => items.insertOne({ _id: 1000 as never }));
    const database = new DatabaseSync(join(dir, 'data.db'));
    database.exec('VACUUM');
    database.close();
    expect(await withServer(dir, ({ items }) => items.countDocuments())).toBe(inserts + 1);
  });

  test('starts with a torn slot of the record, and not without a sound one', async () => {
    const torn = recordBeforeLast();
    expect(await withServer(folderWithRecord(killed.log!, torn), ({ items }) => items.countDocuments())).toBe(inserts);
    for (const record of [Buffer.alloc(0), Buffer.alloc(killed.record!.length)]) {
      await expect(startEmbeddedMongo({ dir: folderWithRecord(killed.log!, record) })).rejects.toMatchObject({
        code: 'DATABASE_DAMAGED',
        message: expect.stringContaining('data.db-durable'),
      });
    }
  });

  test('does not begin an empty database when the file is gone', async () => {
    const dir = folderWithRecord(null);
    rmSync(join(dir, 'data.db'));
    await expect(startEmbeddedMongo({ dir })).rejects.toMatchObject({ code: 'DATABASE_DAMAGED' });
    expect(existsSync(join(dir, 'data.db'))).toBe(false);
  });

  test('starts with a log of more than 2 GiB', async () => {
    const dir = folderWithRecord(killed.log!);
    // A file with a hole: its end takes no room on the disk.
    truncateSync(join(dir, 'data.db-wal'), 2.5 * 1024 ** 3);
    expect(await withServer(dir, ({ items }) => items.countDocuments())).toBe(inserts);
  });
});

const lastWrite = 10;
type Items = {
  insertOne(document: object): Promise<unknown>;
  updateOne(filter: object, change: object): Promise<unknown>;
};
const writes: [string, (items: Items, round: number) => Promise<unknown>][] = [
  ['inserts', (items, round) => items.insertOne({ _id: round, round })],
  ['updates of one document', (items, round) => items.updateOne({ _id: 0 }, { $set: { round } })],
];

describe.each(writes)('a log of %s, of which the last was not acknowledged before a kill', (_, write) => {
  const state: Record<string, Buffer> = {};

  /** Each transaction writes the page of the one before again, of which the file has an older content. */
  beforeAll(async () => {
    const dir = temporaryFolder();
    await withServer(dir, ({ items }) => items.insertOne({ _id: 0 as never, round: 0 }));
    const program = runProgram('serve.ts', [dir]);
    const url = await program.printed((line) => line.startsWith('mongodb:'));
    await withClient(url, async (client) => {
      const items = client.db('test').collection('items') as unknown as Items;
      for (let round = 1; round < lastWrite; round += 1) await write(items, round);
      state['data.db-durable'] = readFileSync(join(dir, 'data.db-durable'));
      await write(items, lastWrite);
      await program.kill('SIGKILL');
    });
    for (const name of ['data.db', 'data.db-wal']) state[name] = readFileSync(join(dir, name));
  });

  function folder(changed: Record<string, Buffer> = {}): string {
    const dir = temporaryFolder();
    for (const [name, content] of Object.entries({ ...state, ...changed })) writeFileSync(join(dir, name), content);
    return dir;
  }

  const lastRound = (dir: string) =>
    withServer(dir, async ({ items }) => (await items.find().sort({ round: -1 }).limit(1).next())?.round);

  /** What another program does with the log; a start of the server that is killed empties it too. */
  const endings: [string, string][] = [
    ['copied and removed the log', 'PRAGMA user_version'],
    ['emptied the log', 'PRAGMA wal_checkpoint(TRUNCATE)'],
    ['begun the log again', 'PRAGMA wal_checkpoint(RESTART); CREATE TABLE other (body BLOB)'],
    ['written to the log', 'CREATE TABLE other (body BLOB)'],
    ['vacuumed the file', 'VACUUM'],
  ];

  test.each(endings)('starts when another SQLite program has %s', async (_ending, sql) => {
    const dir = folder();
    const database = new DatabaseSync(join(dir, 'data.db'));
    database.prepare('SELECT count(*) FROM collections').get();
    database.exec(sql);
    // The files before it closes them are those of a program that was killed.
    const killedDir = temporaryFolder();
    for (const name of Object.keys(state)) copyFileSync(join(dir, name), join(killedDir, name));
    database.close();
    expect(await lastRound(killedDir)).toBe(lastWrite);
    expect(await lastRound(dir)).toBe(lastWrite);
  });

  test('does not start when the log was lost', async () => {
    await expect(startEmbeddedMongo({ dir: folder({ 'data.db-wal': Buffer.alloc(0) }) })).rejects.toMatchObject({
      code: 'DATABASE_DAMAGED',
    });
  });

  test('starts with the record of an earlier version, which has no state of the file', async () => {
    const record = Buffer.from(state['data.db-durable']!);
    for (const slot of [0, 1, 2]) record.fill(0, slot * 4096 + 40, slot * 4096 + 52);
    expect(await lastRound(folder({ 'data.db-durable': record }))).toBe(lastWrite);
    const dir = folder({ 'data.db-durable': record });
    const database = new DatabaseSync(join(dir, 'data.db'));
    database.prepare('SELECT count(*) FROM collections').get();
    database.close();
    expect(await lastRound(dir)).toBe(lastWrite);
    const cut = state['data.db-wal']!.subarray(0, headerBytes + 2 * frameBytes());
    const cutDir = folder({ 'data.db-durable': record, 'data.db-wal': cut });
    await expect(startEmbeddedMongo({ dir: cutDir })).rejects.toMatchObject({ code: 'DATABASE_DAMAGED' });
  });
});
