import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { caughtUp, cronEffects, killCronNodes, missHours, startCronNode } from '../../support/cron-nodes.ts';
import { serverVariable } from '../../support/platform.ts';
import { until } from '../../support/until.ts';

/** What scheduled work asks of a database, of the one that a pool has: there guarded updates may not be exact. */
const databaseUrl = serverVariable('TEST_MONGO_URL');
const organizations = 3;
const missed = 40;

beforeAll(() => mongoose.connect(databaseUrl, { dbName: 'cron', autoIndex: false }));
afterAll(() => mongoose.disconnect());
afterEach(killCronNodes);

test('three nodes do every missed period once, in order', async () => {
  await missHours(missed);
  // Long enough that none of them is taken for dead, for whoever is may have done what is done again.
  const leaseTime = 10_000;
  const nodes = await Promise.all(
    ['a', 'b', 'c'].map((owner) => startCronNode(databaseUrl, owner, organizations, { leaseTime })),
  );
  await caughtUp();
  const made = await cronEffects().find().sort({ _id: 1 }).toArray();
  const periods = new Set(made.map(({ _id }) => _id.split(' ')[0]));
  expect(periods.size).toBeGreaterThanOrEqual(missed);
  expect(made).toHaveLength(periods.size * organizations);
  await until(() => nodes.reduce((sum, node) => sum + node.said('done'), 0) >= periods.size);
  expect(nodes.reduce((sum, node) => sum + node.said('done'), 0)).toBe(periods.size);
  // One run a period, and each with a token of its own.
  const tokens = made.filter((_one, place) => place % organizations === 0).map(({ token }) => token);
  expect(tokens).toEqual([...new Set(tokens)].sort((one, other) => one - other));
}, 120_000);

test('of three nodes the others go on when one is killed', async () => {
  await missHours(missed);
  const last = 10;
  const dying = await startCronNode(databaseUrl, 'a', organizations, { last });
  await until(() => dying.said('did') === last);
  await Promise.all(['b', 'c'].map((owner) => startCronNode(databaseUrl, owner, organizations)));
  dying.child.kill('SIGKILL');
  await caughtUp();
  const made = await cronEffects().find().toArray();
  const periods = new Set(made.map(({ _id }) => _id.split(' ')[0]));
  expect(made).toHaveLength(periods.size * organizations);
}, 120_000);
