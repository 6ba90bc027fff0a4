import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { type CounterDocument, CounterModel } from '../../../models/billing/counter.ts';
import { type TakeDocument, TakeModel } from '../../../models/billing/take.ts';
import type { Quota } from '../../../services/billing/quota/quota.ts';
import { type Crash, Ended } from '../../support/mortal-collection.ts';
import { type MortalQuota, mortalQuota } from '../../support/mortal-quota.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';
import { propertyCases } from '../../support/property-cases.ts';

/*
 * 200 takes of the last 50 units by three nodes at once, again and again. In most rounds one or two of the nodes end at
 * some write. Then time goes by, the sweep runs, and what is left is taken: what was done and what was taken then is
 * exactly what there was.
 */

/** Every combination of ends once, or a thousand rounds. */
const rounds = propertyCases(60, 1000);
const limit = 1000;
const last = 50;
const meter = 'mail.sendsPerMonth';
let database: OwnDatabase;
let instant = Date.parse('2030-01-01T12:00:00.000Z');

beforeAll(async () => {
  database = await connectOwnDatabase(CounterModel, TakeModel);
});

afterAll(async () => {
  await database.close();
});

const node = (done: Map<string, number>, crash: Crash | null) =>
  mortalQuota({ done, limit, now: () => new Date(instant) }, crash);

/** Takes a unit, works and says so; every seventh work is refused, every fifth take is of a lot with some ahead. */
async function work(
  orgId: string,
  { quota, life }: MortalQuota,
  done: Map<string, number>,
  number: number,
): Promise<void> {
  const key = `key-${number}`;
  const isLot = number % 5 === 0;
  const ask = { orgId, meter, amount: 1, ahead: isLot ? 2 : 0, key, owner: 'test' } as const;
  const { receipt } = await quota.take({
    ...ask,
    isPartly: isLot,
    remembered: !isLot && number % 2 === 0,
    wantsUsed: isLot,
  });
  if (!receipt) return;
  if (life.isOver) throw new Ended();
  if (number % 7 === 0) return quota.refund(receipt);
  done.set(key, 1);
  await quota.commit({ receipt, charged: 1 });
}

async function spend(quota: Quota, orgId: string, amount: number): Promise<void> {
  const ask = { orgId, meter, amount, key: 'before', owner: 'test', isPartly: false, remembered: false } as const;
  const { receipt } = await quota.take(ask);
  await quota.commit({ receipt: receipt!, charged: amount });
}

/** Ends at one of its first writes, before it or after it; every fourth lives on. */
const crashOf = (round: number, place: number): Crash | null =>
  (round + place) % 4 < 2 && place < 2 ? { at: 1 + ((round * 7 + place * 3) % 5), isAfter: round % 3 === 0 } : null;

test(`exactly the last ${last} units are given, in ${rounds} rounds with nodes that end`, async () => {
  let ended = 0;
  for (let round = 0; round < rounds; round += 1) {
    const orgId = newId('org');
    const done = new Map<string, number>();
    const survivor = node(done, null);
    await spend(survivor.quota, orgId, limit - last);
    const nodes = [node(done, crashOf(round, 0)), node(done, crashOf(round, 1)), survivor];
    const works = Array.from({ length: 200 }, (_one, number) => work(orgId, nodes[number % 3]!, done, number));
    for (const outcome of await Promise.allSettled(works)) {
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(Ended);
    }
    ended += nodes.filter(({ life }) => life.isOver).length;
    expect(done.size).toBeLessThanOrEqual(last);
    expect((await survivor.quota.read(orgId, meter)).used).toBeLessThanOrEqual(limit);

    instant += 6 * 60_000;
    await survivor.quota.sweep((message, error) => expect([message, error]).toBeNull());
    expect(await survivor.quota.read(orgId, meter)).toMatchObject({ used: limit - last + done.size, reserved: 0 });
    const ask = { orgId, meter, amount: 1, owner: 'test', isPartly: false, remembered: false } as const;
    const more = await Promise.all(
      Array.from({ length: last + 5 }, (_one, place) => survivor.quota.take({ ...ask, key: `more-${place}` })),
    );
    expect(more.filter(({ outcome }) => outcome === 'taken')).toHaveLength(last - done.size);
    await nativeCollection<CounterDocument>(CounterModel).deleteMany({ orgId });
    await nativeCollection<TakeDocument>(TakeModel).deleteMany({ orgId });
  }
  expect(ended).toBeGreaterThan(rounds / 2);
}, 600_000);
