import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { type CounterDocument, CounterModel } from '../../../models/billing/counter.ts';
import { TakeModel } from '../../../models/billing/take.ts';
import type { Receipt } from '../../../services/billing/quota/store.ts';
import { type Crash, Ended } from '../../support/mortal-collection.ts';
import { type MortalQuota, mortalQuota } from '../../support/mortal-quota.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';
import { propertyCases, propertyTimeout } from '../../support/property-cases.ts';

/*
 * Nodes take, work, commit and refund at the same time, and each ends at some write: before it, or after it and before
 * its answer. Another node takes over, repeats what the client repeats, and the sweep runs, which may end as well. What
 * was done is known from the outside. At no time is more used than the limit, and in the end what is used is what was
 * done, and nothing is held.
 */

const start = Date.parse('2030-01-31T23:50:00.000Z');
const minute = 60_000;
let database: OwnDatabase;
let instant = start;

beforeAll(async () => {
  database = await connectOwnDatabase(CounterModel, TakeModel);
});

afterAll(async () => {
  await database.close();
});

type Work = {
  key: string;
  amount: number;
  ahead: number;
  remembered: boolean;
  fate: 'done' | 'refused' | 'unknown';
  pause: number;
};

/** What is so outside: works that were done, by key. */
type World = { orgId: string; done: Map<string, number>; limit: number };

const node = ({ done, limit }: World, crash: Crash | null) =>
  mortalQuota({ done, limit, now: () => new Date(instant) }, crash);

/** As a service works: takes, does it, says so. It is done between two steps of the node's, or not at all. */
async function work(world: World, { quota, life }: MortalQuota, one: Work): Promise<void> {
  const { key, amount, ahead, remembered } = one;
  const meter = 'context.eventsPerDay';
  const grant = await quota.take({
    orgId: world.orgId,
    meter,
    amount,
    ahead,
    key,
    owner: 'context',
    isPartly: false,
    remembered,
    wantsUsed: amount % 2 === 0,
  });
  if (grant.outcome !== 'taken') return;
  for (let turn = 0; turn < one.pause; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  if (life.isOver) throw new Ended();
  const receipt = grant.receipt as Receipt;
  if (one.fate === 'refused' && grant.isFresh) return quota.refund(receipt);
  if (one.fate !== 'done') return;
  world.done.set(key, amount);
  await quota.commit({ receipt, charged: amount });
}

async function state(orgId: string): Promise<{ used: number[]; held: number; total: number }> {
  const all = await nativeCollection<CounterDocument>(CounterModel).find({ orgId }).toArray();
  const used = all.map((counter) => counter.used);
  for (const { open, held } of all) expect(held).toBe(Object.keys(open).length);
  return { used, held: all.reduce((sum, { held }) => sum + held, 0), total: used.reduce((sum, one) => sum + one, 0) };
}

const crashes = fc.option(fc.record({ at: fc.integer({ min: 1, max: 12 }), isAfter: fc.boolean() }), { nil: null });
const works = fc.record({
  place: fc.integer({ min: 0, max: 5 }),
  amount: fc.integer({ min: 1, max: 4 }),
  ahead: fc.constantFrom(0, 0, 3, 100),
  remembered: fc.boolean(),
  fate: fc.constantFrom('done', 'done', 'refused', 'unknown'),
  pause: fc.integer({ min: 0, max: 8 }),
  times: fc.integer({ min: 1, max: 2 }),
});
/** A time in which some nodes live, what they do, and how much time goes by then. */
const eras = fc.record({
  nodes: fc.array(crashes, { minLength: 1, maxLength: 3 }),
  works: fc.array(works, { minLength: 1, maxLength: 8 }),
  sweep: fc.option(crashes, { nil: undefined }),
  minutes: fc.constantFrom(0, 0, 1, 4, 6),
});

test(
  'nothing is lost, stuck or over the limit, wherever nodes end',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(eras, { minLength: 1, maxLength: 4 }),
        fc.oneof(fc.integer({ min: 3, max: 12 }), fc.integer({ min: 20, max: 200 })),
        async (lives, limit) => {
          instant = start;
          const world: World = { orgId: newId('org'), done: new Map(), limit };
          const amounts = new Map<string, Omit<Work, 'fate' | 'pause'>>();
          for (const [number, era] of lives.entries()) {
            const nodes = era.nodes.map((crash) => node(world, crash));
            const running = era.works.flatMap((one, index) => {
              // What is remembered is repeated in later times; else each take has a key of its own.
              const key = one.remembered ? `key-${one.place}` : `lot-${number}-${index}`;
              // Nobody takes ahead for a key that is asked for again.
              const ahead = one.remembered ? 0 : one.ahead;
              const same = amounts.get(key) ?? { key, amount: one.amount, ahead, remembered: one.remembered };
              amounts.set(key, same);
              const times = one.remembered ? one.times : 1;
              return Array.from({ length: times }, (_again, place) =>
                work(world, nodes[(index + place) % nodes.length]!, { ...one, ...same }),
              );
            });
            const sweeping = era.sweep === undefined ? null : node(world, era.sweep).quota.sweep(() => undefined);
            for (const { status, ...rest } of await Promise.allSettled([...running, sweeping])) {
              if (status === 'rejected') expect((rest as { reason: unknown }).reason).toBeInstanceOf(Ended);
            }
            for (const used of (await state(world.orgId)).used) expect(used).toBeLessThanOrEqual(limit);
            instant += era.minutes * minute;
          }
          instant += 6 * minute;
          const { quota } = node(world, null);
          await quota.sweep((message, error) => expect([message, error]).toBeNull());
          const { used, held, total } = await state(world.orgId);
          expect(held).toBe(0);
          for (const one of used) expect(one).toBeLessThanOrEqual(limit);
          expect(total).toBe([...world.done.values()].reduce((sum, one) => sum + one, 0));
        },
      ),
      { numRuns: propertyCases(15, 2_000), endOnFailure: false },
    );
  },
  propertyTimeout,
);
