import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import {
  type CronNode,
  caughtUp,
  cronEffects,
  cronJobs,
  killCronNodes,
  missHours,
  startCronNode,
} from '../../support/cron-nodes.ts';
import { until } from '../../support/until.ts';

const organizations = 40;
const missed = 3;
const folder = mkdtempSync(join(tmpdir(), 'cron-kill-'));
let database: EmbeddedMongo;

beforeAll(async () => {
  database = await startEmbeddedMongo({ dir: folder });
  await mongoose.connect(database.url, { dbName: 'cron', autoIndex: false });
});

afterAll(async () => {
  await mongoose.disconnect();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(() => missHours(missed));
afterEach(killCronNodes);

const start = (owner: string, last = 0): Promise<CronNode> =>
  startCronNode(database.url, owner, organizations, { last });
const isAllDone = async () => (await cronEffects().countDocuments()) >= missed * organizations;

/** Every missed period was done for every organization, one after another, and the schedule knows it. */
async function expectAllDone(): Promise<void> {
  expect(await caughtUp()).toMatchObject({ attempts: 0, lastError: null });
  const made = await cronEffects().find().sort({ _id: 1 }).toArray();
  const periods = new Set(made.map(({ _id }) => _id.split(' ')[0]));
  expect(made).toHaveLength(periods.size * organizations);
  expect(periods.size).toBeGreaterThanOrEqual(missed);
  const tokens = made.map(({ token }) => token);
  expect(tokens).toEqual([...tokens].sort((one, other) => one - other));
}

test('a node that is killed in the middle is followed by another, and each organization is handled once', async () => {
  const last = organizations + 10;
  const first = await start('first', last);
  await until(() => first.said('did') === last);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  expect(await isAllDone()).toBe(false);
  const second = await start('second');
  await expectAllDone();
  // It went on where the other was: the first period was done, and of the second what was missing.
  expect(second.said('done')).toBe((await cronEffects().countDocuments()) / organizations - 1);
  expect((await cronEffects().distinct('owner')).sort()).toEqual(['first', 'second']);
});

test('of three nodes that are killed again and again, one finishes', async () => {
  for (let round = 0; round < 4; round += 1) {
    const last = 5 + round * 7;
    const running = await Promise.all(['a', 'b', 'c'].map((name) => start(`${name}${round}`, last)));
    await until(() => running.some((node) => node.said('did') === last));
    for (const { child } of running) child.kill('SIGKILL');
  }
  await start('last');
  await expectAllDone();
}, 120_000);

test('a node that hung while another took over ends its work and marks nothing', async () => {
  const hanging = await start('hanging', 10);
  await until(() => hanging.said('did') === 10);
  hanging.child.kill('SIGSTOP');
  await start('heir');
  await expectAllDone();
  const before = await cronJobs().findOne({ _id: 'test.hourly' });
  hanging.child.kill('SIGCONT');
  await until(() => hanging.said('aborted') === 1);
  expect(hanging.said('done')).toBe(0);
  expect(await cronJobs().findOne({ _id: 'test.hourly' })).toEqual(before);
});
