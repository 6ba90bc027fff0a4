import { randomUUID } from 'node:crypto';
import { startEmbeddedMongo } from '../../../../embedded/mongo/index.ts';
import { MongoClient } from '../suite/driver.ts';

/** Serves a folder and writes to it at 16 connections until it is killed, or exits without closing it; prints what was acknowledged. */
process.on('SIGTERM', () => process.exit(1));

const connections = 16;
const { url } = await startEmbeddedMongo({ dir: process.argv[2]! });
const client = await MongoClient.connect(url, { maxPoolSize: connections });
const items = client.db('test').collection<{ _id: string; key: string; count: number }>('items');
await items.createIndex({ key: 1 }, { unique: true });

await Promise.all(
  Array.from({ length: connections }, async () => {
    for (;;) {
      const _id = randomUUID();
      await items.insertOne({ _id, key: `key of ${_id}`, count: 0 });
      console.log(`inserted ${_id}`);
      await items.updateOne({ key: `key of ${_id}` }, { $inc: { count: 1 } });
      console.log(`updated ${_id}`);
    }
  }),
);
