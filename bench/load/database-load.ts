import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { takeJob } from './job.ts';
import { createRecorder } from './result.ts';
import type { DatabaseJob, DatabaseResult, Workload } from './workloads.ts';

const { MongoClient } = mongoose.mongo;
type Database = ReturnType<InstanceType<typeof MongoClient>['db']>;

const orgId = 'org_bench';
const seeded = 5_000;
const counters = 100;

async function run(job: DatabaseJob): Promise<DatabaseResult> {
  const client = new MongoClient(job.url, {
    maxPoolSize: job.inFlight,
    // Acknowledged means durable.
    writeConcern: { w: 'majority', journal: true },
  });
  await client.connect();
  const database = client.db(`bench_${randomUUID().slice(0, 8)}`);
  const operate = await preparations[job.workload](database);
  const recorder = createRecorder(job.warmUpSeconds, job.seconds);
  const lanes = Array.from({ length: job.inFlight }, async () => {
    while (!recorder.isOver()) {
      const startedAt = performance.now();
      if (await operate()) recorder.succeeded(startedAt);
      else recorder.failed(`${job.workload} found nothing`);
    }
  });
  await Promise.all(lanes);
  const lost = job.workload === 'guarded $inc' ? await countLost(database) : 0;
  await database.dropDatabase();
  await client.close();
  return { ...recorder.result(), lost };
}

/** Creates a workload's data and returns one operation of it, which returns whether it succeeded. */
const preparations: Record<Workload, (database: Database) => Promise<() => Promise<boolean>>> = {
  insert: async (database) => {
    const events = await createEvents(database);
    let next = 0;
    return async () => (await events.insertOne(eventOf(randomUUID(), next++))).acknowledged;
  },
  'find by index': async (database) => {
    const events = await seedEvents(database);
    let next = 0;
    return async () => (await events.findOne({ orgId, eventId: String(next++ % seeded) })) !== null;
  },
  'guarded $inc': async (database) => {
    const quotas = database.collection<Quota>('quotas');
    await quotas.insertMany(Array.from({ length: counters }, (_, index) => ({ _id: `quota ${index}`, used: 0 })));
    let next = 0;
    return async () => {
      const _id = `quota ${next++ % counters}`;
      const { modifiedCount } = await quotas.updateOne({ _id, used: { $lt: limit } }, { $inc: { used: 1 } });
      acknowledged += modifiedCount;
      return modifiedCount === 1;
    };
  },
};

const limit = 1_000_000_000;
let acknowledged = 0;

async function countLost(database: Database): Promise<number> {
  const quotas = await database.collection<Quota>('quotas').find().toArray();
  return acknowledged - quotas.reduce((sum, { used }) => sum + used, 0);
}

type Quota = { _id: string; used: number };
type Event = {
  _id: string;
  orgId: string;
  eventId: string;
  customer: string;
  occurredAt: Date;
  payload: string;
};

/** Documents and indexes in the form of business events. */
async function createEvents(database: Database) {
  const events = database.collection<Event>('events');
  await events.createIndex({ orgId: 1, eventId: 1 }, { unique: true });
  await events.createIndex({ orgId: 1, customer: 1, occurredAt: 1 });
  return events;
}

async function seedEvents(database: Database) {
  const events = await createEvents(database);
  for (let from = 0; from < seeded; from += 500) {
    await events.insertMany(Array.from({ length: 500 }, (_, index) => eventOf(String(from + index), from + index)));
  }
  return events;
}

function eventOf(eventId: string, number: number): Event {
  return {
    _id: `${orgId}:${eventId}`,
    orgId,
    eventId,
    customer: `customer ${number % 1000}`,
    occurredAt: new Date(),
    payload: JSON.stringify({ orderId: eventId, totalAmount: 49.9, currency: 'EUR', note: 'x'.repeat(200) }),
  };
}

takeJob(run);
