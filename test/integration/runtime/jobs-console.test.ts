import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ServiceBroker } from 'moleculer';
import mongoose from 'mongoose';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { cron, daily, type Schedule } from '../../../mixins/cron/cron.ts';
import type { Job } from '../../../mixins/cron/jobs.ts';
import { nodeService } from '../../../runtime/node-service.ts';
import { describeJobsOfPool, runJobInPool } from '../../../runtime/operator/jobs.ts';

/** A pool of three nodes: two with the same service, and one with none, which an operator has a console on. */
const dir = mkdtempSync(join(tmpdir(), 'jobs-console-'));
const [one, two, operator] = ['one', 'two', 'console'].map(
  (nodeID) => new ServiceBroker({ logger: false, nodeID, namespace: 'jobs-console', transporter: 'Fake' }),
) as [ServiceBroker, ServiceBroker, ServiceBroker];
const pool = [one, two, operator];
let database: EmbeddedMongo;
const ran: string[] = [];

beforeAll(async () => {
  database = await startEmbeddedMongo({ dir });
  await mongoose.connect(database.url, { dbName: 'jobs' });
  for (const broker of [one, two]) {
    const run: Schedule['run'] = () => Promise.resolve(ran.push(broker.nodeID));
    const fail = () => Promise.reject(new Error('The printer\n\u001b[31m has no ink.'));
    const jobs = [
      { name: 'test.printing', period: daily, run },
      { name: 'test.broken', period: daily, run: fail },
    ];
    broker.createService({ name: 'test', mixins: [cron(...jobs)] });
  }
  for (const broker of pool) broker.createService(nodeService());
  await Promise.all(pool.map((broker) => broker.start()));
  await operator.waitForServices('test');
});

afterAll(async () => {
  await Promise.all(pool.map((broker) => broker.stop()));
  await mongoose.disconnect();
  await database.close();
  rmSync(dir, { recursive: true });
});

const present = () => `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`;

test('jobs lists the work of all services once, from any node', async () => {
  for (const broker of pool) {
    const [head, ...rows] = (await describeJobsOfPool(broker)).text.split('\n');
    expect(head).toMatch(/^NAME {2,}LAST DONE {2,}NEXT {2,}RUNNING ON {2,}ATTEMPTS {2,}LAST ERROR$/);
    expect(rows.map((row) => row.split(' ')[0])).toEqual(['test.broken', 'test.printing']);
  }
});

test('jobs:run does work once on a node that has it, and says where and for which period', async () => {
  const before = ran.length;
  const said = await runJobInPool(operator, 'test.printing');
  const [, nodeID] = /^test\.printing was done on (one|two), for the period that began at /.exec(said)!;
  expect(said).toContain(`${present()}.`);
  expect(ran.slice(before)).toContain(nodeID);
  expect(await runJobInPool(two, 'test.printing')).toContain('was done on two,');
});

test('jobs:run says why work failed, and that there is no such work', async () => {
  await expect(runJobInPool(operator, 'test.broken')).rejects.toThrow('test.broken was not done: The printer');
  await expect(runJobInPool(operator, 'test.nothing')).rejects.toThrow(
    'No node has scheduled work test.nothing; jobs lists what there is.',
  );
});

test('what an error says stays on its line', async () => {
  const jobs = mongoose.connection.collection<Job>('scheduled_jobs');
  const nothing = { doneUpTo: null, doneAt: null, period: null, claimedAt: null, owner: null, retryAt: null };
  const failed = { ...nothing, token: 1, beat: 0, attempts: 1, lastError: 'The printer\n\u001b[31m has no ink.' };
  await jobs.replaceOne({ _id: 'test.broken' }, failed, { upsert: true });
  const rows = (await describeJobsOfPool(operator)).text.split('\n');
  expect(rows).toHaveLength(3);
  expect(rows[1]).toContain('The printer [31m has no ink.');
});
