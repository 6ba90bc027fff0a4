import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import { takeJob } from './job.ts';
import { meanwhile } from './meanwhile.ts';
import { percentile } from './result.ts';

const { MongoClient } = mongoose.mongo;

/**
 * A step on one collection: `fill` it with documents, `build` an index of them, `drop` the index, or `wait` some
 * seconds; while concurrent connections read, change and insert.
 */
export type IndexJob = {
  url: string;
  step: 'fill' | 'build' | 'drop' | 'wait';
  documents: number;
  connections: number;
  seconds?: number;
};

/** Seconds of the step, and latencies of the concurrent requests in milliseconds. */
export type IndexResult = { seconds: number; count: number; p99: number; max: number };

const batchSize = 1000;
/** Keys in random order, each of which changes a different page of the index. */
const keys = { orgId: 1, key: 1 } as const;
const indexName = 'by_key';

type Item = { _id: number; orgId: string; key: string; payload: string };

async function run({ url, step, documents, connections, seconds: pause = 0 }: IndexJob): Promise<IndexResult> {
  const writeConcern = { w: 'majority', journal: true } as const;
  const client = await MongoClient.connect(url, { maxPoolSize: connections + 1, writeConcern });
  const items = collectionOf(client);
  const others = meanwhile(connections, useOf(items, documents));
  const startedAt = performance.now();
  if (step === 'fill') await fill(items, documents);
  if (step === 'build') await items.createIndex(keys, { name: indexName });
  if (step === 'drop') await items.dropIndex(indexName);
  if (step === 'wait') await wait(pause * 1000);
  const seconds = (performance.now() - startedAt) / 1000;
  const latencies = await others.end();
  await client.close();
  return { seconds, count: latencies.length, p99: percentile(latencies, 0.99), max: latencies.at(-1) ?? 0 };
}

type Items = ReturnType<typeof collectionOf>;
const collectionOf = (client: InstanceType<typeof MongoClient>) => client.db('bench').collection<Item>('items');

async function fill(items: Items, documents: number): Promise<void> {
  for (let from = 0; from < documents; from += batchSize) {
    const length = Math.min(batchSize, documents - from);
    await items.insertMany(Array.from({ length }, (_none, at) => itemOf(from + at)));
  }
}

const itemOf = (_id: number): Item => ({ _id, orgId: 'org_bench', key: randomUUID(), payload: 'x'.repeat(300) });

/** Alternates between reads, changes and inserts. */
function useOf(items: Items, documents: number): (lane: number, turn: number) => Promise<unknown> {
  let inserted = 0;
  const kinds = [
    () => items.findOne({ _id: anyOf(documents) }),
    () => items.updateOne({ _id: anyOf(documents) }, { $set: { payload: 'y'.repeat(300) } }),
    () => items.insertOne(itemOf(documents + process.pid * 1_000_000 + inserted++)),
  ];
  return async (lane, turn) => await kinds[(lane + turn) % kinds.length]?.();
}

const anyOf = (documents: number): number => Math.floor(Math.random() * documents);

takeJob(run);
