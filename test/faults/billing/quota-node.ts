import { createInterface } from 'node:readline';
import mongoose from 'mongoose';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { type CounterDocument, CounterModel } from '../../../models/billing/counter.ts';
import { type TakeDocument, TakeModel } from '../../../models/billing/take.ts';
import { createQuota } from '../../../services/billing/quota/quota.ts';

/*
 * A node that takes quota, as an entry of its own: `quota-node.ts <database url> <limit>`. For each line `<orgId> <first
 * key> <takes>` it takes so many units at once, does the work of each that it got, which is one document of `works`,
 * and commits it; it refunds every seventh instead. It says `took` for each, and `done` when a line is done.
 */

const [url = '', limit = '0'] = process.argv.slice(2);
await mongoose.connect(url, { dbName: 'test', autoIndex: false });
const works = mongoose.connection.collection<{ _id: string; orgId: string }>('works');
const quota = createQuota({
  counters: nativeCollection<CounterDocument>(CounterModel),
  takes: nativeCollection<TakeDocument>(TakeModel),
  allowanceOf: () => Promise.resolve({ outcome: 'included', limit: Number(limit) }),
  askOwner: () => Promise.reject(new Error('Only the sweep asks.')),
  now: () => new Date(),
  leaseNow: () => new Date(),
  maxWait: 1000,
});

async function work(orgId: string, number: number): Promise<void> {
  const key = `key-${number}`;
  const fixed = { meter: 'connect.agentSeats', amount: 1, owner: 'test', isPartly: false } as const;
  const { receipt } = await quota.take({ orgId, key, ...fixed, remembered: number % 2 === 0, wantsUsed: false });
  if (!receipt) return;
  process.stdout.write('took\n');
  if (number % 7 === 0) return quota.refund(receipt);
  await works.insertOne({ _id: `${orgId}:${key}`, orgId });
  await quota.commit({ receipt, charged: 1 });
}

process.stdout.write('ready\n');
for await (const line of createInterface(process.stdin)) {
  const [orgId = '', first, takes] = line.split(' ');
  await Promise.all(Array.from({ length: Number(takes) }, (_one, place) => work(orgId, Number(first) + place)));
  process.stdout.write('done\n');
}
await mongoose.disconnect();
