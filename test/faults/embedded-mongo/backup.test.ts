import { closeSync, openSync, readdirSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { backupEmbeddedMongo, restoreEmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { withBitFlipped } from '../../integration/embedded-mongo/support/flip.ts';
import { temporaryFolder } from '../../integration/embedded-mongo/support/folder.ts';
import { withServer } from '../../integration/embedded-mongo/support/server.ts';

const batchSize = 10;

const codeOf = (number: number) => `code-${String(number).padStart(3, '0')}`;

/** A backup of a folder with 200 documents. */
async function soundBackup(): Promise<string> {
  const file = join(temporaryFolder(), 'backup');
  await withServer(temporaryFolder(), async ({ server, items }) => {
    await items.createIndex({ code: 1 }, { unique: true });
    await items.insertMany(
      Array.from({ length: 200 }, (_, number) => ({ code: codeOf(number), text: `text of ${number}.` })),
    );
    await server.backup(file);
  });
  return file;
}

describe('a backup', () => {
  test('made while batches are written holds whole batches, and all that were acknowledged before it', async () => {
    const file = join(temporaryFolder(), 'backup');
    const acknowledgedBefore = await withServer(temporaryFolder(), async ({ server, items }) => {
      let acknowledged = 0;
      let isOver = false;
      const writing = (async () => {
        for (let batch = 1; !isOver; batch++) {
          await items.insertMany(Array.from({ length: batchSize }, (_, place) => ({ batch, place })));
          acknowledged = batch;
        }
      })();
      while (acknowledged < 20) await Promise.race([items.findOne({}), writing]);
      const before = acknowledged;
      await server.backup(file);
      isOver = true;
      await writing;
      return before;
    });

    const dir = join(temporaryFolder(), 'restored');
    await restoreEmbeddedMongo({ dir, file });
    const batches = await withServer(dir, ({ items }) =>
      items.aggregate([{ $group: { _id: '$batch', size: { $sum: 1 } } }, { $sort: { _id: 1 } }]).toArray(),
    );
    expect(batches.length).toBeGreaterThanOrEqual(acknowledgedBefore);
    expect(batches).toEqual(batches.map((_, index) => ({ _id: index + 1, size: batchSize })));
  });

  test('restores documents, types, indexes and their rules', async () => {
    const dir = join(temporaryFolder(), 'restored');
    await restoreEmbeddedMongo({ dir, file: await soundBackup() });
    await withServer(dir, async ({ items }) => {
      expect(await items.countDocuments()).toBe(200);
      expect(await items.indexes()).toMatchObject([{ name: '_id_' }, { name: 'code_1', unique: true }]);
      await expect(items.insertOne({ code: codeOf(7) })).rejects.toMatchObject({ code: 11000 });
      await items.insertOne({ code: codeOf(200) });
    });
  });

  test('is readable by its owner alone', async () => {
    expect(statSync(await soundBackup()).mode & 0o777).toBe(0o600);
  });

  test('overwrites no file', async () => {
    const file = join(temporaryFolder(), 'precious');
    writeFileSync(file, 'precious');
    await withServer(temporaryFolder(), async ({ server }) => {
      await expect(server.backup(file)).rejects.toMatchObject({
        code: 'FILE_EXISTS',
        message: expect.stringContaining(file),
      });
    });
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });

  test('of a folder without a database is refused and makes nothing', async () => {
    const [dir, target] = [temporaryFolder(), temporaryFolder()];
    await expect(backupEmbeddedMongo({ dir, file: join(target, 'backup') })).rejects.toMatchObject({
      code: 'NO_DATABASE',
      message: expect.stringContaining(dir),
    });
    expect(readdirSync(target)).toEqual([]);
  });

  test('of a folder that nobody serves is made as well', async () => {
    const dir = temporaryFolder();
    await withServer(dir, ({ items }) => items.insertOne({}));
    const file = join(temporaryFolder(), 'backup');
    await backupEmbeddedMongo({ dir, file });
    expect(statSync(file).size).toBeGreaterThan(0);
  });
});

describe('a restore', () => {
  test('goes into no folder that has a database', async () => {
    const file = await soundBackup();
    const dir = temporaryFolder();
    await withServer(dir, ({ items }) => items.insertOne({ kept: true }));
    await expect(restoreEmbeddedMongo({ dir, file })).rejects.toMatchObject({ code: 'FOLDER_NOT_EMPTY' });
    expect(await withServer(dir, ({ items }) => items.countDocuments({ kept: true }))).toBe(1);
  });

  test('that was interrupted starts no empty database, and may be made again', async () => {
    const file = await soundBackup();
    const dir = temporaryFolder();
    writeFileSync(join(dir, 'data.db.restoring'), readFileSync(file).subarray(0, 5000));
    await expect(startEmbeddedMongo({ dir })).rejects.toMatchObject({
      code: 'RESTORE_UNFINISHED',
      message: expect.stringContaining('Restore the backup again'),
    });
    expect(readdirSync(dir)).not.toContain('data.db');
    await restoreEmbeddedMongo({ dir, file });
    expect(await withServer(dir, ({ items }) => items.countDocuments())).toBeGreaterThan(0);
    expect(readdirSync(dir)).not.toContain('data.db.restoring');
  });

  test('needs a file', async () => {
    await expect(restoreEmbeddedMongo({ dir: temporaryFolder(), file: '/missing/backup' })).rejects.toMatchObject({
      code: 'NO_DATABASE',
      message: expect.stringContaining('/missing/backup'),
    });
  });

  const spoilt = [
    { is: 'cut short', spoil: (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1) },
    { is: 'empty', spoil: () => Buffer.alloc(0) },
    { is: 'no database', spoil: () => Buffer.from('plain text '.repeat(500)) },
    {
      is: 'changed by one bit within a document',
      spoil: (bytes: Buffer) => withBitFlipped(bytes, 'text of 77.'),
    },
  ];

  test.each(spoilt)('refuses a backup that is $is and makes no database', async ({ spoil }) => {
    const file = join(temporaryFolder(), 'spoilt');
    writeFileSync(file, spoil(readFileSync(await soundBackup())));
    const dir = temporaryFolder();
    await expect(restoreEmbeddedMongo({ dir, file })).rejects.toMatchObject({
      code: expect.stringMatching(/^DATABASE_(DAMAGED|FOREIGN)$/),
      message: expect.stringContaining(file),
    });
    expect(readdirSync(dir)).toEqual([]);
  });

  test('refuses a backup whose index does not fit its documents', async () => {
    const file = await soundBackup();
    // The type byte of text stands before it in an index, and its length in a document.
    const at = readFileSync(file).indexOf('\u0020code-077');
    expect(at).toBeGreaterThan(0);
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, ' code-07X', at);
    closeSync(descriptor);
    const dir = temporaryFolder();
    await expect(restoreEmbeddedMongo({ dir, file })).rejects.toMatchObject({ code: 'DATABASE_DAMAGED' });
    expect(readdirSync(dir)).toEqual([]);
  });
});
