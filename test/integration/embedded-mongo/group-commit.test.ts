import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { MongoClient } from './suite/driver.ts';
import { temporaryFolder } from './support/folder.ts';
import { withServer } from './support/server.ts';

const headerBytes = 32;
const frameHeaderBytes = 24;

/** How many transactions SQLite's log holds: the last frame of each tells the size of the database. */
function commitsIn(dir: string): number {
  const log = readFileSync(join(dir, 'data.db-wal'));
  const frameBytes = frameHeaderBytes + log.readUInt32BE(8);
  let commits = 0;
  for (let at = headerBytes; at + frameBytes <= log.length; at += frameBytes) {
    if (log.readUInt32BE(at + 4) !== 0) commits++;
  }
  return commits;
}

describe('writes that arrive together', () => {
  test('share a transaction; writes one after another do not', async () => {
    const dir = temporaryFolder();
    await withServer(dir, async ({ server }) => {
      const client = await MongoClient.connect(server.url, { maxPoolSize: 32, minPoolSize: 32 });
      const items = client.db('test').collection('items');
      await Promise.all(Array.from({ length: 32 }, () => items.insertOne({})));

      const before = commitsIn(dir);
      for (let count = 0; count < 20; count++) await items.insertOne({});
      const oneByOne = commitsIn(dir) - before;
      for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 32 }, () => items.insertOne({})));
      const together = commitsIn(dir) - before - oneByOne;

      expect(oneByOne).toBe(20);
      expect(together).toBeLessThan(320 / 2);
      expect(await items.countDocuments()).toBe(32 + 20 + 320);
      await client.close();
    });
  });

  test('fail alone: a duplicate among them is refused and the others are stored', async () => {
    await withServer(temporaryFolder(), async ({ items }) => {
      await items.insertOne({ _id: 0 as never });
      const writes = await Promise.allSettled(
        Array.from({ length: 64 }, (_, number) => items.insertOne({ _id: Math.trunc(number / 2) as never })),
      );
      expect(writes.filter(({ status }) => status === 'fulfilled')).toHaveLength(31);
      expect(await items.countDocuments()).toBe(32);
    });
  });

  test('count every increment', async () => {
    await withServer(temporaryFolder(), async ({ items }) => {
      await items.insertOne({ _id: 1 as never, used: 0 });
      const take = () => items.updateOne({ used: { $lt: 100 } }, { $inc: { used: 1 } });
      const taken = await Promise.all(Array.from({ length: 200 }, take));
      expect(taken.filter(({ modifiedCount }) => modifiedCount === 1)).toHaveLength(100);
      expect(await items.findOne({})).toEqual({ _id: 1, used: 100 });
    });
  });

  test('of one connection are answered in their order', async () => {
    await withServer(temporaryFolder(), async ({ server }) => {
      const client = await MongoClient.connect(server.url, { maxPoolSize: 1 });
      const items = client.db('test').collection('items');
      const answers: number[] = [];
      await Promise.all(
        Array.from({ length: 50 }, (_, n) => items.insertOne({ _id: n as never }).then(() => answers.push(n))),
      );
      expect(answers).toEqual(Array.from({ length: 50 }, (_, n) => n));
      await client.close();
    });
  });
});
