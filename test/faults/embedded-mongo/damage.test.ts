import { closeSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { withBitFlipped } from '../../integration/embedded-mongo/support/flip.ts';
import { temporaryFolder } from '../../integration/embedded-mongo/support/folder.ts';
import { withServer } from '../../integration/embedded-mongo/support/server.ts';

const documents = 2000;
const sound: { bytes?: Buffer } = {};

beforeAll(async () => {
  const dir = temporaryFolder();
  await withServer(dir, async ({ items }) => {
    await items.createIndex({ number: 1 });
    const made = Array.from({ length: documents }, (_, number) => ({
      number,
      mark: `mark-${String(number).padStart(6, '0')}`,
      text: 'x'.repeat(200),
    }));
    await items.insertMany(made);
  });
  sound.bytes = readFileSync(join(dir, 'data.db'));
});

/** A folder with a sound database, and its file. */
function soundFolder(): { dir: string; file: string } {
  const dir = temporaryFolder();
  const file = join(dir, 'data.db');
  writeFileSync(file, sound.bytes!);
  return { dir, file };
}

function overwrite(file: string, offset: number, bytes: Buffer): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, offset);
  closeSync(descriptor);
}

function pragma(file: string, statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}

describe('a server does not start over a data file that', () => {
  const cases = [
    { is: 'empty', code: 'DATABASE_DAMAGED', spoil: (file: string) => truncateSync(file, 0) },
    {
      is: 'cut in half',
      code: 'DATABASE_DAMAGED',
      spoil: (file: string) => truncateSync(file, statSync(file).size >> 1),
    },
    {
      is: 'cut within a page',
      code: 'DATABASE_DAMAGED',
      spoil: (file: string) => truncateSync(file, statSync(file).size - 1000),
    },
    {
      is: 'without its header',
      code: 'DATABASE_DAMAGED',
      spoil: (file: string) => overwrite(file, 0, Buffer.alloc(100, 0xa5)),
    },
    {
      is: 'no database at all',
      code: 'DATABASE_DAMAGED',
      spoil: (file: string) => writeFileSync(file, 'plain text, and rather more of it than a header has. '.repeat(100)),
    },
    {
      is: 'overwritten in the middle',
      code: 'DATABASE_DAMAGED',
      spoil: (file: string) => overwrite(file, (statSync(file).size >> 1) & ~0xfff, Buffer.alloc(8192, 0xa5)),
    },
    {
      is: "another program's",
      code: 'DATABASE_FOREIGN',
      spoil: (file: string) => {
        rmSync(file);
        pragma(file, 'CREATE TABLE notes (text TEXT)');
      },
    },
    {
      is: 'of a later format',
      code: 'DATABASE_VERSION',
      spoil: (file: string) => pragma(file, 'PRAGMA user_version = 99'),
    },
  ];

  test.each(cases)('is $is; it says so and leaves the file as it was', async ({ code, spoil }) => {
    const { dir, file } = soundFolder();
    spoil(file);
    const before = readFileSync(file);
    await expect(startEmbeddedMongo({ dir })).rejects.toMatchObject({ code, message: expect.stringContaining(file) });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('is gone while its log is still there', async () => {
    const { dir, file } = soundFolder();
    writeFileSync(`${file}-wal`, 'what was not yet in the data file');
    rmSync(file);
    await expect(startEmbeddedMongo({ dir })).rejects.toMatchObject({ code: 'DATABASE_DAMAGED' });
    expect(readFileSync(`${file}-wal`, 'utf8')).toBe('what was not yet in the data file');
  });
});

describe('a single bit that flipped in a document', () => {
  const damaged = 1234;

  function folderWithFlippedBit(): { dir: string; file: string } {
    const { dir, file } = soundFolder();
    writeFileSync(file, withBitFlipped(sound.bytes!, `mark-${String(damaged).padStart(6, '0')}`));
    return { dir, file };
  }

  test('is reported with the path when the document is read', async () => {
    const { dir, file } = folderWithFlippedBit();
    await withServer(dir, async ({ items }) => {
      await expect(items.findOne({ number: damaged })).rejects.toMatchObject({
        code: 366,
        codeName: 'DataCorruptionDetected',
        message: expect.stringContaining(file),
      });
    });
  });

  test('keeps the document from being changed, and leaves the others to be read and written', async () => {
    const { dir } = folderWithFlippedBit();
    await withServer(dir, async ({ items }) => {
      await expect(items.updateOne({ number: damaged }, { $set: { text: '' } })).rejects.toMatchObject({ code: 366 });
      await expect(items.deleteOne({ number: damaged })).rejects.toMatchObject({ code: 366 });
      await items.updateOne({ number: 7 }, { $set: { text: 'changed' } });
      expect(await items.findOne({ number: 7 })).toMatchObject({ text: 'changed' });
      expect(await items.find({ number: { $lt: 1000 } }).toArray()).toHaveLength(1000);
    });
  });

  test('keeps a backup from being made', async () => {
    const { dir } = folderWithFlippedBit();
    const file = join(temporaryFolder(), 'backup');
    await withServer(dir, async ({ server }) => {
      await expect(server.backup(file)).rejects.toMatchObject({ code: 'DATABASE_DAMAGED' });
    });
    expect(() => statSync(file)).toThrow('ENOENT');
  });
});
