import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { type CounterDocument, CounterModel } from '../../../models/billing/counter.ts';
import { type TakeDocument, TakeModel } from '../../../models/billing/take.ts';
import { createQuota } from '../../../services/billing/quota/quota.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';
import { propertyCases } from '../../support/property-cases.ts';

const limit = 1000;
const last = 50;
const takesOfNode = 67;
const rounds = propertyCases(9, 20);
const meter = 'connect.agentSeats';
const script = join(import.meta.dirname, 'quota-node.ts');

/** A process that takes; `hears` gives each line that it says. */
type QuotaNode = { child: ChildProcess; hears: (word: string, times?: number) => Promise<boolean> };

let database: OwnDatabase;
const nodes: QuotaNode[] = [];

beforeAll(async () => {
  database = await connectOwnDatabase(CounterModel, TakeModel);
});

afterAll(async () => {
  for (const { child } of nodes) child.kill('SIGKILL');
  await database.close();
});

async function startQuotaNode(): Promise<QuotaNode> {
  const child = spawn(process.execPath, [script, database.url, String(limit)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]();
  // Until it has said the word so often, or that it is done; false when the process ended before.
  const hears = async (word: string, times = 1) => {
    for (let heard = 0; heard < times; ) {
      const { done, value } = await lines.next();
      if (done) return false;
      if (value === word) heard += 1;
      if (value === 'done') return true;
    }
    return true;
  };
  const node = { child, hears };
  nodes.push(node);
  expect(await hears('ready')).toBe(true);
  return node;
}

const works = () => mongoose.connection.collection<{ _id: string; orgId: string }>('works');

/** What the sweep knows six minutes later. */
const sweeper = createQuota({
  counters: nativeCollection<CounterDocument>(CounterModel),
  takes: nativeCollection<TakeDocument>(TakeModel),
  allowanceOf: () => Promise.resolve({ outcome: 'included', limit }),
  askOwner: async (_owner, orgId, keys) => {
    const done = await works()
      .find({ _id: { $in: keys.map((key) => `${orgId}:${key}`) } })
      .toArray();
    return done.map(({ _id }) => ({ key: _id.slice(orgId.length + 1), amount: 1 }));
  },
  now: () => new Date(Date.now() + 6 * 60_000),
  leaseNow: () => new Date(Date.now() + 6 * 60_000),
  maxWait: 0,
});

test('200 takes of the last 50 units by three nodes, some of which are killed: exactly 50, and nothing stuck', async () => {
  let running: QuotaNode[] = await Promise.all([startQuotaNode(), startQuotaNode(), startQuotaNode()]);
  for (let round = 0; round < rounds; round += 1) {
    const orgId = newId('org');
    await sweeper.setGauge(orgId, meter, limit - last);
    for (const [place, { child }] of running.entries())
      child.stdin!.write(`${orgId} ${1 + place * takesOfNode} ${takesOfNode}\n`);
    // In every second round one is killed after so many of its takes, wherever it is in its work then.
    const victim = round % 2 === 0 ? running[round % 3] : undefined;
    const ends = running.map(async (node) => {
      if (node !== victim) return expect(await node.hears('done')).toBe(true);
      await node.hears('took', 1 + (round % 9));
      if (node.child.kill('SIGKILL')) await once(node.child, 'exit');
    });
    await Promise.all(ends);
    if (victim) running = await Promise.all(running.map((node) => (node === victim ? startQuotaNode() : node)));

    await sweeper.sweep((message, error) => expect([message, error]).toBeNull());
    const done = await works().countDocuments({ orgId });
    expect(await sweeper.read(orgId, meter)).toMatchObject({ used: limit - last + done, reserved: 0 });
    expect(done).toBeLessThanOrEqual(last);
    // What was refunded or never done is there for others, and not one unit more.
    const take = { orgId, meter, amount: 1, owner: 'test', isPartly: false, remembered: false } as const;
    const more = await Promise.all(
      Array.from({ length: last - done + 10 }, (_one, place) => sweeper.take({ ...take, key: `more-${place}` })),
    );
    expect(more.filter(({ outcome }) => outcome === 'taken')).toHaveLength(last - done);
  }
}, 600_000);
