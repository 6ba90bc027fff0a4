import { randomUUID } from 'node:crypto';
import { ServiceBroker, type ServiceSchema } from 'moleculer';
import mongoose from 'mongoose';
import { drainQuotaCommits, withQuota } from '../../lib/clients/quota.ts';
import { newId } from '../../lib/data/ids.ts';
import { CounterModel } from '../../models/billing/counter.ts';
import { TakeModel } from '../../models/billing/take.ts';
import billing from '../../services/billing/billing.service.ts';
import { startQuota } from '../../services/billing/quota/quota.ts';
import { takeJob } from './job.ts';
import { createRecorder, type Recorder } from './result.ts';
import type { DatabaseResult } from './workloads.ts';

/**
 * Work that a plan limits, reduced to its reservation: `quota` reserves a unit under a new key, as a service does for a
 * mail, and commits it; `bare` is only the driver's guarded increment, without keys or release.
 */
export type QuotaJob = {
  url: string;
  kind: 'quota' | 'bare';
  organizations: number;
  inFlight: number;
  warmUpSeconds: number;
  seconds: number;
};

/** `done`: number of acknowledged operations; `lost`: the acknowledged ones that are missing in the counters. */
export type QuotaResult = DatabaseResult & { done: number };

const limit = 1_000_000_000;

async function run(job: QuotaJob): Promise<QuotaResult> {
  const { url, kind, inFlight } = job;
  await mongoose.connect(url, {
    dbName: `bench_${randomUUID().slice(0, 8)}`,
    autoIndex: false,
    // Acknowledged means durable.
    writeConcern: { w: 'majority', journal: true },
  });
  const orgIds = Array.from({ length: job.organizations }, () => newId('org'));
  const load = kind === 'quota' ? await prepareQuota(orgIds) : await prepareBare(orgIds);
  const recorder = createRecorder(job.warmUpSeconds, job.seconds);
  const done = await runLanes(recorder, orgIds, inFlight, load.take);
  const lost = done - (await load.count());
  await mongoose.connection.dropDatabase();
  await mongoose.disconnect();
  return { ...recorder.result(), lost, done };
}

type Load = { take: (orgId: string) => Promise<void>; count: () => Promise<number> };

/** Reserves for the organizations in turn; returns how often it succeeded. */
async function runLanes(recorder: Recorder, orgIds: string[], inFlight: number, take: Load['take']): Promise<number> {
  let next = 0;
  let done = 0;
  const lanes = Array.from({ length: inFlight }, async () => {
    while (!recorder.isOver()) {
      const startedAt = performance.now();
      try {
        await take(orgIds[next++ % orgIds.length] as string);
        done += 1;
        recorder.succeeded(startedAt);
      } catch (error) {
        recorder.failed(String(error));
      }
    }
  });
  await Promise.all(lanes);
  return done;
}

/** The actions of billing that work on quotas. */
function quotaActions(): NonNullable<ServiceSchema['actions']> {
  return Object.fromEntries(Object.entries(billing.actions ?? {}).filter(([name]) => name.startsWith('quota.')));
}

/** Reserves once for every organization, so that its counter exists, as the bare counters do. */
async function prepareQuota(orgIds: string[]): Promise<Load> {
  await CounterModel.createIndexes();
  await TakeModel.createIndexes();
  const broker = new ServiceBroker({ logger: false, validator: false });
  broker.createService({ name: 'billing', actions: quotaActions() });
  const service = broker.createService({ name: 'shop' });
  await broker.start();
  startQuota(broker, { allowanceOf: () => Promise.resolve({ outcome: 'included', limit }) });
  let keys = 0;
  const take = (orgId: string) => {
    const ask = { orgId, meter: 'mail.sendsPerMonth', amount: 1, key: `mail ${keys++}` } as const;
    return withQuota({ broker, service }, ask, () => Promise.resolve());
  };
  await Promise.all(orgIds.map(take));
  await drainQuotaCommits();
  return {
    take,
    async count() {
      await drainQuotaCommits();
      await broker.stop();
      const counters = await CounterModel.find({}, { used: 1, held: 1 }, { acrossTenants: true }).lean();
      const reserved = counters.reduce((sum, counter) => sum + counter.held, 0);
      return counters.reduce((sum, { used }) => sum + used, -reserved - orgIds.length);
    },
  };
}

async function prepareBare(orgIds: string[]): Promise<Load> {
  const counters = mongoose.connection.collection<{ _id: string; used: number }>('counters');
  await counters.insertMany(orgIds.map((_id) => ({ _id, used: 0 })));
  return {
    async take(_id) {
      const { modifiedCount } = await counters.updateOne({ _id, used: { $lt: limit } }, { $inc: { used: 1 } });
      if (modifiedCount !== 1) throw new Error('An increment matched no document.');
    },
    async count() {
      const found = await counters.find().toArray();
      return found.reduce((sum, { used }) => sum + used, 0);
    },
  };
}

takeJob(run);
