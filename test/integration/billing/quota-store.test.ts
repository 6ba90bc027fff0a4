import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { type CounterDocument, CounterModel } from '../../../models/billing/counter.ts';
import { type TakeDocument, TakeModel } from '../../../models/billing/take.ts';
import type { Meter } from '../../../services/billing/quota/meters.ts';
import { createQuota, type Quota, type TakeInput } from '../../../services/billing/quota/quota.ts';
import { counterAt } from '../../../services/billing/quota/shapes.ts';
import { maxOpen, type Receipt, type SettlementReport, type Store } from '../../../services/billing/quota/store.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { until } from '../../support/until.ts';

/** Several of them on one database are several nodes: each with a clock and with queues of its own. */
const start = Date.parse('2030-01-31T12:00:00.000Z');
const minute = 60_000;
const hour = 60 * minute;
let database: OwnDatabase;
let instant = start;
let limit: number | 'notIncluded' | 'paymentRequired' = 50;
/** What the owners say was done. */
const done = new Map<string, number>();
let isOwnerAway = false;
const complaints: unknown[] = [];

const counters = () => nativeCollection<CounterDocument>(CounterModel);

function node(changes: Partial<Store> = {}): Quota {
  return createQuota({
    counters: counters(),
    takes: nativeCollection<TakeDocument>(TakeModel),
    allowanceOf: () => Promise.resolve(typeof limit === 'number' ? { outcome: 'included', limit } : { outcome: limit }),
    askOwner: (_owner, _orgId, keys) => {
      if (isOwnerAway) return Promise.reject(new Error('The owner is away.'));
      return Promise.resolve(
        keys.flatMap((key): SettlementReport[] => (done.has(key) ? [{ key, amount: done.get(key)! }] : [])),
      );
    },
    now: () => new Date(instant),
    leaseNow: () => new Date(instant),
    maxWait: 300,
    ...changes,
  });
}

beforeAll(async () => {
  database = await connectOwnDatabase(CounterModel, TakeModel);
});

afterAll(async () => {
  await database.close();
});

beforeEach(async () => {
  await counters().deleteMany({});
  instant = start;
  limit = 50;
  isOwnerAway = false;
  done.clear();
  complaints.length = 0;
});

const events = 'context.eventsPerDay';
let keys = 0;
function ask(orgId: string, change: Partial<TakeInput> = {}): TakeInput {
  keys += 1;
  const fixed = { meter: events, amount: 1, owner: 'context', isPartly: false, remembered: true } as const;
  return { orgId, key: `key-${keys}`, ...fixed, ...change };
}

const newOrg = () => newId('org');
const sweep = (quota: Quota) => quota.sweep((message, error) => void complaints.push([message, error]));
/** A counter, with lists of what is open and overdue. */
async function stored(orgId: string, meter: Meter = events, at = instant) {
  const found = await counters().findOne({ _id: counterAt(orgId, meter, new Date(at))._id });
  return found && { ...found, open: Object.values(found.open), overdue: Object.values(found.overdue) };
}
const usedBy = async (orgId: string) => (await stored(orgId))?.used ?? 0;

/** The counters, and how often somebody looked into one. */
function countedCounters() {
  let looks = 0;
  const look = (...args: unknown[]) => {
    looks += 1;
    return Reflect.apply(counters().find, counters(), args);
  };
  const counting = { get: (target: object, name: string) => (name === 'find' ? look : Reflect.get(target, name)) };
  return { counters: new Proxy(counters(), counting as never), looks: () => looks };
}

/** The records of charged keys, where something happens between the first query and its answer. */
function takesFoundAfter(meanwhile: () => Promise<void>): Store['takes'] {
  const takes = nativeCollection<TakeDocument>(TakeModel);
  let isFirst = true;
  const find = (...args: unknown[]) => ({
    async toArray() {
      const found = await Reflect.apply(takes.find, takes, args).toArray();
      const isTurn = isFirst;
      isFirst = false;
      if (isTurn) await meanwhile();
      return found;
    },
  });
  return new Proxy(takes, {
    get: (target: object, name: string) => (name === 'find' ? find : Reflect.get(target, name)),
  } as never);
}

async function taken(quota: Quota, input: TakeInput): Promise<Receipt> {
  const { outcome, receipt } = await quota.take(input);
  expect(outcome).toBe('taken');
  return receipt!;
}

describe('a take', () => {
  test('reserves units, and its end charges them or gives them back', async () => {
    const [quota, orgId] = [node(), newOrg()];
    const first = await taken(quota, ask(orgId, { amount: 7 }));
    const second = await taken(quota, ask(orgId, { amount: 3 }));
    expect(await quota.read(orgId, events)).toMatchObject({ used: 10, reserved: 10 });
    await quota.commit({ receipt: first, charged: 7 });
    await quota.refund(second);
    expect(await quota.read(orgId, events)).toMatchObject({ used: 7, reserved: 0 });
  });

  test('says what is used, the limit and the period', async () => {
    const [quota, orgId] = [node(), newOrg()];
    expect(await quota.take(ask(orgId, { amount: 7 }))).toMatchObject({ outcome: 'taken', used: 7, limit: 50 });
    const { counter } = await quota.take(ask(orgId));
    expect(counter.period).toEqual({ start: new Date('2030-01-31'), end: new Date('2030-02-01') });
    const { counter: monthly } = await quota.take(ask(orgId, { meter: 'mail.sendsPerMonth' }));
    expect(monthly.period).toEqual({ start: new Date('2030-01-01'), end: new Date('2030-02-01') });
    expect((await quota.take(ask(orgId, { meter: 'connect.agentSeats' }))).counter.period).toBeNull();
  });

  test('of more than is left takes nothing, and one behind it that fits is taken', async () => {
    const [quota, orgId] = [node(), newOrg()];
    const amounts = [45, 6, 4, 2, 1];
    const outcomes = await Promise.all(amounts.map((amount) => quota.take(ask(orgId, { amount }))));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['taken', 'exceeded', 'taken', 'exceeded', 'taken']);
    expect(await usedBy(orgId)).toBe(50);
    expect(await quota.take(ask(newOrg(), { amount: 51 }))).toMatchObject({ outcome: 'exceeded', used: 0, limit: 50 });
  });

  test('takes as much as there is when part of it will do', async () => {
    const [quota, orgId] = [node(), newOrg()];
    await quota.take(ask(orgId, { amount: 30 }));
    const { receipt } = await quota.take(ask(orgId, { amount: 500, isPartly: true }));
    expect(receipt).toMatchObject({ amount: 20 });
    expect(await quota.take(ask(orgId, { amount: 500, isPartly: true }))).toMatchObject({ outcome: 'exceeded' });
    await quota.commit({ receipt: receipt!, charged: 15 });
    expect(await quota.read(orgId, events)).toMatchObject({ used: 45, reserved: 30 });
  });

  test.each(['notIncluded', 'paymentRequired'] as const)('is refused when the plan says %s', async (outcome) => {
    const [quota, orgId] = [node(), newOrg()];
    const again = ask(orgId);
    await quota.take(again);
    limit = outcome;
    expect(await quota.take(ask(orgId))).toMatchObject({ outcome, limit: null, receipt: null });
    expect(await quota.take(again)).toMatchObject({ outcome: 'taken' });
    expect(await usedBy(orgId)).toBe(1);
  });

  test('reads the limit when it is made', async () => {
    const [quota, orgId] = [node(), newOrg()];
    await quota.take(ask(orgId, { amount: 50 }));
    expect(await quota.take(ask(orgId))).toMatchObject({ outcome: 'exceeded' });
    limit = 51;
    expect(await quota.take(ask(orgId))).toMatchObject({ outcome: 'taken', used: 51, limit: 51 });
    limit = 10;
    expect(await quota.take(ask(orgId))).toMatchObject({ outcome: 'exceeded', used: 51, limit: 10 });
  });

  test('counts gigabytes in bytes', async () => {
    const [quota, orgId] = [node(), newOrg()];
    limit = 2.5;
    const storage = { meter: 'storage.storageGb' } as const;
    expect(await quota.take(ask(orgId, { ...storage, amount: 2_500_000_001 }))).toMatchObject({ outcome: 'exceeded' });
    expect(await quota.take(ask(orgId, { ...storage, amount: 2_500_000_000 }))).toMatchObject({
      outcome: 'taken',
      used: 2_500_000_000,
      limit: 2_500_000_000,
    });
    expect(await quota.take(ask(orgId, { ...storage, amount: 1 }))).toMatchObject({ outcome: 'exceeded' });
  });

  test('is refused while more reservations are held than one document should carry, and nothing is charged', async () => {
    const [quota, orgId] = [node(), newOrg()];
    limit = 1e6;
    await Promise.all(Array.from({ length: maxOpen }, () => quota.take(ask(orgId, { remembered: false }))));
    await expect(quota.take(ask(orgId))).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    expect(await usedBy(orgId)).toBe(maxOpen);
    instant += 6 * minute;
    await sweep(quota);
    expect(await quota.read(orgId, events)).toMatchObject({ used: 0, reserved: 0 });
    await taken(quota, ask(orgId));
  });
});

describe('a take that is repeated', () => {
  test('counts once: together, later, on another node, at the limit, when it was charged', async () => {
    const [quota, other, orgId] = [node(), node(), newOrg()];
    const mine = ask(orgId, { amount: 50 });
    const grants = await Promise.all([quota.take(mine), quota.take(mine), other.take(mine), other.take(mine)]);
    expect(grants.map(({ outcome }) => outcome)).toEqual(['taken', 'taken', 'taken', 'taken']);
    expect(new Set(grants.map(({ receipt }) => receipt!.nonce)).size).toBe(1);
    await quota.commit({ receipt: grants[0]!.receipt!, charged: 50 });
    await other.commit({ receipt: grants[3]!.receipt!, charged: 50 });
    expect(await other.take(mine)).toMatchObject({ outcome: 'taken', receipt: { amount: 50 } });
    expect(await quota.read(orgId, events)).toMatchObject({ used: 50, reserved: 0 });
  });

  test('whose caller needs no `used` may be reserved again where plenty is left, and counts once all the same', async () => {
    const [quota, other, orgId] = [node(), node(), newOrg()];
    const repeated = [1, 2, 3, 4].map(() => ask(orgId, { wantsUsed: false }));
    for (const mine of repeated) await quota.commit({ receipt: await taken(quota, mine), charged: 1 });
    const receipts = await Promise.all(repeated.map((mine) => taken(other, mine)));
    await other.commit({ receipt: receipts[0]!, charged: 1 });
    await other.refund(receipts[1]!);
    await other.commit({ receipt: receipts[2]!, charged: 0 });
    done.set(repeated[3]!.key, 1);
    instant += 5 * minute;
    await sweep(other);
    expect(await other.read(orgId, events)).toMatchObject({ used: 4, reserved: 0 });
  });

  test('keeps nobody from the last units, however long its work takes', async () => {
    const [quota, other, orgId] = [node(), node(), newOrg()];
    const mine = ask(orgId, { amount: 20, wantsUsed: false });
    await quota.commit({ receipt: await taken(quota, mine), charged: 20 });
    const again = await taken(quota, mine);
    const atWork = await taken(quota, ask(orgId, { amount: 5 }));
    const last = await taken(other, ask(orgId, { amount: 25 }));
    expect(await other.take(ask(orgId))).toMatchObject({ outcome: 'exceeded' });
    for (const receipt of [atWork, last, again]) await quota.commit({ receipt, charged: receipt.amount });
    expect(await stored(orgId)).toMatchObject({ used: 50, held: 0, open: [] });
  });

  test('whose caller needs no `used` is found at the limit, when it was charged', async () => {
    const [quota, other, orgId] = [node(), node(), newOrg()];
    const mine = ask(orgId, { amount: 50, wantsUsed: false });
    await quota.commit({ receipt: await taken(quota, mine), charged: 50 });
    expect(await other.take(mine)).toMatchObject({ outcome: 'taken', isFresh: false });
    expect(await other.take(ask(orgId, { wantsUsed: false }))).toMatchObject({ outcome: 'exceeded' });
    expect(await usedBy(orgId)).toBe(50);
  });

  test('is not given back by one of those who asked, while another may be at the work', async () => {
    const [quota, other, orgId] = [node(), node(), newOrg()];
    const mine = ask(orgId);
    const first = await taken(quota, mine);
    const second = await taken(other, mine);
    await quota.refund(first);
    expect(await usedBy(orgId)).toBe(1);
    await other.commit({ receipt: second, charged: 1 });
    expect(await other.read(orgId, events)).toMatchObject({ used: 1, reserved: 0 });
  });

  test('is given back by the sweep when neither has done it', async () => {
    const [quota, orgId] = [node(), newOrg()];
    const mine = ask(orgId);
    const receipts = [await taken(quota, mine), await taken(quota, mine)];
    await Promise.all(receipts.map((receipt) => quota.refund(receipt)));
    instant += 5 * minute;
    await sweep(quota);
    expect(await quota.read(orgId, events)).toMatchObject({ used: 0, reserved: 0 });
  });

  test('is found across midnight, held or charged', async () => {
    const [quota, orgId] = [node(), newOrg()];
    const day = Date.parse('2030-02-01');
    const [held, charged] = [ask(orgId), ask(orgId)];
    instant = day - 1;
    await quota.take(held);
    await quota.commit({ receipt: await taken(quota, charged), charged: 1 });
    instant = day + 1;
    await quota.commit({ receipt: await taken(quota, held), charged: 1 });
    await quota.take(held);
    await quota.take(charged);
    expect(await usedBy(orgId)).toBe(0);
    expect((await stored(orgId, events, day - 1))!.used).toBe(2);
    instant = day + 36 * hour;
    await quota.take(charged);
    expect(await usedBy(orgId)).toBe(0);
    instant = day + 48 * hour;
    await quota.commit({ receipt: await taken(quota, charged), charged: 1 });
    expect(await usedBy(orgId)).toBe(1);
  });

  test('is free again when it was given back', async () => {
    const [quota, orgId] = [node(), newOrg()];
    const mine = ask(orgId, { amount: 50 });
    await quota.refund(await taken(quota, mine));
    const other = await taken(quota, ask(orgId, { amount: 50 }));
    expect(await quota.take(mine)).toMatchObject({ outcome: 'exceeded' });
    await quota.refund(other);
    await quota.commit({ receipt: await taken(quota, mine), charged: 50 });
    expect(await usedBy(orgId)).toBe(50);
  });

  test('under two nodes whose clocks are of two days is charged once when both commit', async () => {
    const day = Date.parse('2030-02-01');
    const [slow, fast] = [node({ now: () => new Date(day - 45_000) }), node({ now: () => new Date(day + 45_000) })];
    const orgId = newOrg();
    const mine = ask(orgId);
    const receipts = [await taken(fast, mine), await taken(slow, mine)];
    await fast.commit({ receipt: receipts[0]!, charged: 1 });
    await slow.commit({ receipt: receipts[1]!, charged: 1 });
    expect((await stored(orgId, events, day))!.used + (await stored(orgId, events, day - 1))!.used).toBe(1);
  });
});

describe('the end of a reservation', () => {
  test('is charged to the period it was made in', async () => {
    const [quota, orgId] = [node(), newOrg()];
    instant = Date.parse('2030-01-31T23:59:59.999Z');
    const receipt = await taken(quota, ask(orgId));
    const refunded = await taken(quota, ask(orgId));
    instant += 1;
    await quota.commit({ receipt, charged: 1 });
    await quota.refund(refunded);
    expect(await usedBy(orgId)).toBe(0);
    expect(await stored(orgId, events, instant - 1)).toMatchObject({ used: 1, open: [] });
  });

  test('is the first one: a later one changes nothing', async () => {
    const [quota, orgId] = [node(), newOrg()];
    for (const remembered of [true, false]) {
      const charged = await taken(quota, ask(orgId, { remembered }));
      await quota.commit({ receipt: charged, charged: 1 });
      await quota.refund(charged);
      await quota.commit({ receipt: charged, charged: 1 });
    }
    const refunded = await taken(quota, ask(orgId));
    await quota.refund(refunded);
    await quota.refund(refunded);
    expect(await quota.read(orgId, events)).toMatchObject({ used: 2, reserved: 0 });
  });

  test('is the first one also when the next comes to another node at once, or says less', async () => {
    const [quota, other, orgId] = [node(), node(), newOrg()];
    const [one, two] = [await taken(quota, ask(orgId, { amount: 3 })), await taken(quota, ask(orgId, { amount: 5 }))];
    await quota.commit({ receipt: one, charged: 3 });
    await quota.commit({ receipt: two, charged: 4 });
    await Promise.all([other.refund(one), other.commit({ receipt: two, charged: 1 })]);
    expect(await stored(orgId)).toMatchObject({ used: 7, held: 0, open: [] });
  });

  test('may come for many at once', async () => {
    const [quota, orgId] = [node(), newOrg()];
    const receipts = await Promise.all(Array.from({ length: 50 }, () => taken(quota, ask(orgId))));
    await Promise.all(
      receipts.flatMap((receipt, place) =>
        place % 2 ? [quota.refund(receipt)] : [quota.commit({ receipt, charged: 1 }), quota.refund(receipt)],
      ),
    );
    const { used, reserved } = await quota.read(orgId, events);
    expect(reserved).toBe(0);
    expect(used).toBeLessThanOrEqual(25);
  });
});

describe('a reservation that is charged', () => {
  async function charged(quota: Quota, input: TakeInput): Promise<void> {
    const receipt = await taken(quota, input);
    await quota.commit({ receipt, charged: receipt.amount });
  }

  test('goes with the next update of its counter, together with what is taken and given back then', async () => {
    const [quota, orgId] = [node(), newOrg()];
    const [one, two] = [await taken(quota, ask(orgId, { amount: 2 })), await taken(quota, ask(orgId, { amount: 2 }))];
    const before = await stored(orgId);
    const last = ask(orgId, { remembered: false });
    await Promise.all([quota.commit({ receipt: one, charged: 2 }), quota.commit({ receipt: two, charged: 2 })]);
    await quota.take(last);
    expect(await stored(orgId)).toMatchObject({ used: 5, held: 1, open: [{ key: last.key }] });
    expect((await stored(orgId))!.revision).toBeLessThanOrEqual(before!.revision + 2);
    const given = await taken(quota, ask(orgId, { remembered: false }));
    const { revision } = (await stored(orgId))!;
    const more = Array.from({ length: 9 }, () => quota.take(ask(orgId, { remembered: false })));
    await Promise.all([...more, quota.refund(given), quota.take(ask(orgId, { remembered: false }))]);
    expect(await stored(orgId)).toMatchObject({ used: 15, held: 11 });
    expect((await stored(orgId))!.revision).toBeLessThanOrEqual(revision + 2);
  });

  test('goes by itself when nothing is taken any more', async () => {
    const [quota, orgId] = [node(), newOrg()];
    await charged(quota, ask(orgId));
    expect(await stored(orgId)).toMatchObject({ used: 1, held: 0, open: [] });
  });

  test('keeps nothing from the next take, however many they are', async () => {
    const [quota, orgId] = [node(), newOrg()];
    limit = 1e6;
    const some = () => Promise.all(Array.from({ length: maxOpen / 2 }, () => charged(quota, ask(orgId))));
    for (const _time of [1, 2, 3, 4]) await some();
    expect(await stored(orgId)).toMatchObject({ used: 2 * maxOpen, held: 0, open: [] });
  });

  test('stays one when its key is asked for again, by this node or another', async () => {
    const [quota, other, orgId] = [node(), node(), newOrg()];
    const mine = ask(orgId);
    await charged(quota, mine);
    await Promise.all([charged(quota, mine), charged(quota, mine), charged(other, mine), charged(quota, ask(orgId))]);
    expect(await stored(orgId)).toMatchObject({ used: 2, held: 0, open: [] });
  });

  test('does not disturb what somebody else has ended before', async () => {
    const [quota, orgId] = [node(), newOrg()];
    limit = 1000;
    await charged(quota, ask(orgId, { amount: 5 }));
    instant += 5 * minute;
    await sweep(node());
    expect(await stored(orgId)).toMatchObject({ used: 5, held: 0 });
    await charged(quota, ask(orgId));
    expect(await stored(orgId)).toMatchObject({ used: 6, held: 0, open: [] });
  });

  test('of a gauge goes at once, for a recount adds what is held', async () => {
    const [quota, orgId] = [node(), newOrg()];
    await charged(quota, ask(orgId, { meter: 'connect.agentSeats', amount: 3 }));
    expect(await stored(orgId, 'connect.agentSeats')).toMatchObject({ used: 3, held: 0 });
    expect(await node().setGauge(orgId, 'connect.agentSeats', 3)).toEqual({ outcome: 'set', drift: 0 });
  });

  test('is charged once when its node dies before it has gone', async () => {
    const orgId = newOrg();
    let isDead = false;
    const die = () => Promise.reject(new Error('The node is dead.'));
    const get = (target: object, name: string) => (isDead && name === 'updateOne' ? die : Reflect.get(target, name));
    const dying = node({ counters: new Proxy(counters(), { get } as never) });
    const mine = ask(orgId, { amount: 4 });
    const receipt = await taken(dying, mine);
    isDead = true;
    await expect(dying.commit({ receipt, charged: 4 })).rejects.toThrow('dead');
    expect(await stored(orgId)).toMatchObject({ used: 4, held: 1 });
    instant += 5 * minute;
    await sweep(node());
    expect(await stored(orgId)).toMatchObject({ used: 4, held: 0, open: [], overdue: [] });
    expect(await node().take(mine)).toMatchObject({ outcome: 'taken', isFresh: false });
    expect(await stored(orgId)).toMatchObject({ used: 4 });
  });
});

describe('a reservation that has expired', () => {
  test('is charged when its owner says that the work was done, or part of it, else given back', async () => {
    const [quota, orgId] = [node(), newOrg()];
    const [whole, part, none] = [ask(orgId, { amount: 5 }), ask(orgId, { amount: 10 }), ask(orgId, { amount: 20 })];
    for (const one of [whole, part, none]) await quota.take(one);
    done.set(whole.key, 5).set(part.key, 4);
    instant += 5 * minute - 1;
    await sweep(quota);
    expect(await quota.read(orgId, events)).toMatchObject({ used: 35, reserved: 35 });
    instant += 1;
    await Promise.all([sweep(quota), sweep(node()), sweep(node())]);
    expect(await quota.read(orgId, events)).toMatchObject({ used: 9, reserved: 0 });
    expect(await quota.take(whole)).toMatchObject({ outcome: 'taken' });
    expect(await usedBy(orgId)).toBe(9);
  });

  test('is charged after all when its work ends later, once', async () => {
    const [quota, orgId] = [node(), newOrg()];
    const receipt = await taken(quota, ask(orgId, { amount: 50, remembered: false }));
    const keyed = ask(newOrg(), { amount: 50 });
    const keyedReceipt = await taken(quota, keyed);
    instant += 5 * minute;
    await sweep(quota);
    await quota.take(ask(orgId, { amount: 10 }));
    for (const _again of [1, 2]) {
      await quota.commit({ receipt, charged: 50 });
      await quota.commit({ receipt: keyedReceipt, charged: 50 });
    }
    expect(await usedBy(orgId)).toBe(60);
    expect(await usedBy(keyed.orgId)).toBe(50);
    expect(await quota.take(ask(orgId))).toMatchObject({ outcome: 'exceeded' });
  });

  test('waits for an owner that cannot be asked, and is charged when that lasts a day', async () => {
    const [quota, orgId] = [node(), newOrg()];
    await quota.take(ask(orgId, { amount: 5 }));
    isOwnerAway = true;
    instant += 10 * minute;
    await sweep(quota);
    expect(complaints).not.toEqual([]);
    expect(await stored(orgId)).toMatchObject({ used: 5, open: [{ amount: 5 }] });
    isOwnerAway = false;
    const former = start;
    await quota.take(ask(orgId, { amount: 7 }));
    instant += minute;
    await sweep(quota);
    expect(await stored(orgId)).toMatchObject({ used: 7 });
    isOwnerAway = true;
    instant += 24 * hour + 5 * minute;
    await sweep(quota);
    expect(await stored(orgId, events, former)).toMatchObject({ used: 7, open: [], overdue: [] });
    expect(await stored(orgId, events, former)).not.toHaveProperty('dueAt');
  });

  test('leaves nothing behind once the notes of what was given back are old', async () => {
    const [quota, orgId] = [node(), newOrg()];
    await quota.take(ask(orgId));
    instant += 5 * minute;
    await sweep(quota);
    expect(await stored(orgId)).toMatchObject({ used: 0, open: [], overdue: [{ charged: 0 }] });
    instant += hour;
    await sweep(quota);
    expect(await stored(orgId)).toMatchObject({ used: 0, open: [], overdue: [] });
    expect(await stored(orgId)).not.toHaveProperty('dueAt');
  });
});

describe('a gauge', () => {
  const seats = 'connect.agentSeats';

  test('is set to what was counted and what is reserved, and tells the drift', async () => {
    const [quota, orgId] = [node(), newOrg()];
    expect(await quota.setGauge(orgId, seats, 3)).toEqual({ outcome: 'set', drift: 3 });
    await quota.take(ask(orgId, { meter: seats, amount: 2 }));
    const { revision } = await quota.read(orgId, seats);
    expect(await quota.setGauge(orgId, seats, 10, revision)).toEqual({ outcome: 'set', drift: 7 });
    expect(await quota.setGauge(orgId, seats, 10, revision)).toEqual({ outcome: 'changed' });
    expect(await quota.read(orgId, seats)).toMatchObject({ used: 12, reserved: 2 });
    instant += 400 * 24 * hour;
    expect(await quota.read(orgId, seats)).toMatchObject({ used: 12 });
  });

  test('is released once for a key, and never below nought', async () => {
    const [quota, orgId] = [node(), newOrg()];
    await quota.setGauge(orgId, seats, 10);
    await Promise.all([1, 2, 3].map(() => quota.releaseGauge(orgId, seats, [{ amount: 4, key: 'a' }])));
    await node().releaseGauge(orgId, seats, [{ amount: 4, key: 'a' }]);
    expect(await quota.read(orgId, seats)).toMatchObject({ used: 6, reserved: 0 });
    await quota.releaseGauge(orgId, seats, [{ amount: 100, key: 'b' }]);
    expect(await quota.read(orgId, seats)).toMatchObject({ used: 0, reserved: 0 });
    expect((await stored(orgId, seats))!.open).toEqual([]);
  });

  test('is released once although another node releases the same key while this one looks for it', async () => {
    const [orgId, other] = [newOrg(), node()];
    await other.setGauge(orgId, seats, 10);
    const late = node({ takes: takesFoundAfter(() => other.releaseGauge(orgId, seats, [{ amount: 4, key: 'a' }])) });
    await late.releaseGauge(orgId, seats, [{ amount: 4, key: 'a' }]);
    expect(await other.read(orgId, seats)).toMatchObject({ used: 6, reserved: 0 });
  });
});

describe('what is taken ahead', () => {
  const lot = (orgId: string, amount: number, ahead: number) =>
    ask(orgId, { amount, ahead, isPartly: true, remembered: false });

  test('comes to a sixteenth of what is left at most, and to nothing near the limit', async () => {
    const quota = node();
    const amountOf = async (orgId: string, amount: number, ahead: number) =>
      (await quota.take(lot(orgId, amount, ahead))).receipt?.amount;
    limit = 1000;
    expect(await amountOf(newOrg(), 10, 40)).toBe(50);
    expect(await amountOf(newOrg(), 200, 1000)).toBe(250);
    expect(await amountOf(newOrg(), 984, 1000)).toBe(985);
    expect(await amountOf(newOrg(), 985, 1000)).toBe(985);
    expect(await amountOf(newOrg(), 2000, 1000)).toBe(1000);
    expect(await amountOf(newOrg(), 0, 1000)).toBe(62);
    const orgId = newOrg();
    await quota.take(ask(orgId, { amount: 990 }));
    expect(await quota.take(lot(orgId, 0, 10))).toMatchObject({ outcome: 'exceeded', receipt: null });
    expect(await usedBy(orgId)).toBe(990);
  });

  test('keeps nobody from what comes back of it', async () => {
    const [holder, orgId, counted] = [node(), newOrg(), countedCounters()];
    const other = node({ counters: counted.counters, maxWait: 20_000 });
    limit = 1000;
    const { receipt } = await holder.take(lot(orgId, 1, 40));
    const grants = Promise.all(
      [
        ask(orgId, { amount: 960, remembered: false }),
        ask(orgId, { amount: 36, remembered: false }),
        ask(orgId, { amount: 100, isPartly: true, remembered: false }),
      ].map((one) => other.take(one)),
    );
    await until(() => counted.looks() > 1);
    await holder.commit({ receipt: receipt!, charged: 5 });
    const [all, beyond, partly] = await grants;
    expect(all).toMatchObject({ outcome: 'taken' });
    expect(beyond).toMatchObject({ outcome: 'exceeded' });
    expect(partly).toMatchObject({ outcome: 'taken', receipt: { amount: 35 } });
    expect(await usedBy(orgId)).toBe(1000);
  });

  test('is not waited for where it would not help', async () => {
    const [holder, other, orgId] = [node(), node({ maxWait: 60_000 }), newOrg()];
    limit = 1000;
    await holder.take(lot(orgId, 1, 40));
    expect(await other.take(ask(orgId, { amount: 2000 }))).toMatchObject({ outcome: 'exceeded' });
    expect(await other.take(ask(orgId, { amount: 959 }))).toMatchObject({ outcome: 'taken' });
    limit = 'notIncluded';
    expect(await other.take(ask(orgId))).toMatchObject({ outcome: 'notIncluded' });
  });

  test('by a node that has ended is waited for once, and comes back by the sweep', async () => {
    const [ended, orgId, counted] = [node(), newOrg(), countedCounters()];
    const other = node({ counters: counted.counters });
    limit = 1000;
    const made = lot(orgId, 10, 40);
    await ended.take(made);
    done.set(made.key, 20);
    await taken(other, ask(orgId, { amount: 950 }));
    expect(await other.take(ask(orgId))).toMatchObject({ outcome: 'exceeded', used: 1000 });
    const waited = counted.looks();
    expect(waited).toBeGreaterThan(1);
    expect(await other.take(ask(orgId))).toMatchObject({ outcome: 'exceeded' });
    expect(counted.looks() - waited).toBe(1);
    instant += 5 * minute;
    await sweep(other);
    const left = await other.take(ask(orgId, { amount: 1000, isPartly: true }));
    expect(left.receipt).toMatchObject({ amount: 980 });
    expect(await usedBy(orgId)).toBe(1000);
  });

  test('is not told as used before it is known', async () => {
    const [holder, other, orgId] = [node(), node({ maxWait: 20_000 }), newOrg()];
    limit = 1000;
    const { receipt } = await holder.take(lot(orgId, 1, 40));
    const reading = other.read(orgId, events);
    await holder.commit({ receipt: receipt!, charged: 7 });
    expect(await reading).toMatchObject({ used: 7, reserved: 0 });
  });

  test('since a reading began is not told: nobody wanted it before', async () => {
    const [holder, orgId, counted] = [node(), newOrg(), countedCounters()];
    const other = node({ counters: counted.counters, maxWait: 20_000 });
    limit = 1000;
    const { receipt } = await holder.take(lot(orgId, 1, 40));
    const reading = other.read(orgId, events);
    await until(() => counted.looks() > 1);
    await holder.take(lot(orgId, 2, 30));
    await holder.commit({ receipt: receipt!, charged: 7 });
    expect(await reading).toMatchObject({ used: 9, reserved: 2 });
  });
});

describe('many at once', () => {
  test('200 takes of the last 50 units on three nodes admit exactly 50, in each of many rounds', async () => {
    const nodes = [node(), node(), node()];
    limit = 1000;
    for (let round = 0; round < propertyCases(8, 40); round += 1) {
      const orgId = newOrg();
      // Mixed, mostly those without a record are admitted: they are decided first.
      const isRemembered = (place: number) => round % 2 === 1 || place % 2 === 0;
      await taken(nodes[0]!, ask(orgId, { amount: 950 }));
      const grants = await Promise.all(
        Array.from({ length: 200 }, (_one, place) =>
          nodes[place % 3]!.take(ask(orgId, { remembered: isRemembered(place), wantsUsed: place % 3 === 0 })),
        ),
      );
      const admitted = grants.filter(({ outcome }) => outcome === 'taken');
      expect(admitted).toHaveLength(50);
      expect(await usedBy(orgId)).toBe(1000);
      await Promise.all(
        admitted.map(({ receipt }, place) =>
          place % 5 ? nodes[place % 2]!.commit({ receipt: receipt!, charged: 1 }) : nodes[place % 3]!.refund(receipt!),
        ),
      );
      expect(await nodes[1]!.read(orgId, events)).toMatchObject({ used: 990, reserved: 950 });
    }
  });

  test('amounts of all sizes never exceed the limit and leave no room for one that was refused', async () => {
    const nodes = [node(), node(), node()];
    const amount = fc.integer({ min: 1, max: 9 });
    const law = async (amounts: number[], most: number) => {
      const orgId = newOrg();
      limit = most;
      const grants = await Promise.all(amounts.map((amount, place) => nodes[place % 3]!.take(ask(orgId, { amount }))));
      const used = await usedBy(orgId);
      expect(used).toBe(grants.reduce((sum, { receipt }) => sum + (receipt?.amount ?? 0), 0));
      expect(used).toBeLessThanOrEqual(most);
      const refused = amounts.filter((_amount, place) => grants[place]!.outcome === 'exceeded');
      expect(Math.min(...refused)).toBeGreaterThan(most - used);
    };
    const wishes = fc.array(amount, { minLength: 60, maxLength: 60 });
    await fc.assert(fc.asyncProperty(wishes, fc.integer({ min: 100, max: 119 }), law), {
      numRuns: propertyCases(8, 200),
      endOnFailure: true,
    });
  });

  test('no day is exceeded while clocks differ by 90 s at midnight', async () => {
    const day = Date.parse('2030-02-01');
    let skewed = day - 60_000;
    const nodes = [-45_000, 0, 45_000].map((skew) => node({ now: () => new Date(skewed + skew) }));
    const orgId = newOrg();
    for (; skewed < day + 60_000; skewed += 5000) {
      const grants = await Promise.all(Array.from({ length: 12 }, (_one, place) => nodes[place % 3]!.take(ask(orgId))));
      await Promise.all(
        grants.map(({ receipt }, place) => receipt && nodes[(place + 1) % 3]!.commit({ receipt, charged: 1 })),
      );
    }
    expect((await stored(orgId, events, day - 1))!.used).toBe(50);
    expect((await stored(orgId, events, day))!.used).toBe(50);
  });

  test('no day is exceeded, and nothing is held for longer, when a clock jumps back over midnight', async () => {
    const day = Date.parse('2030-02-01');
    const [quota, orgId] = [node(), newOrg()];
    const held: Receipt[] = [];
    for (const offset of [-2000, 2000, -60_000, 3000, -1]) {
      instant = day + offset;
      const grants = await Promise.all(Array.from({ length: 30 }, () => quota.take(ask(orgId))));
      const receipts = grants.flatMap(({ receipt }) => receipt ?? []);
      await Promise.all(receipts.slice(1).map((receipt) => quota.commit({ receipt, charged: 1 })));
      held.push(...receipts.slice(0, 1));
    }
    expect((await stored(orgId, events, day - 1))!.used).toBe(50);
    expect((await stored(orgId, events, day))!.used).toBe(50);
    expect(held).toHaveLength(4);
    instant = day + 3000 + 5 * minute;
    await sweep(quota);
    expect((await stored(orgId, events, day - 1))!).toMatchObject({ used: 48, open: [] });
    expect((await stored(orgId, events, day))!).toMatchObject({ used: 48, open: [] });
  });

  test('takes of many organizations at once are each decided by their own limit', async () => {
    const nodes = [node(), node()];
    limit = 3;
    const orgIds = Array.from({ length: 60 }, newOrg);
    const asks = orgIds.flatMap((orgId) => [1, 2, 3, 4, 5].map((place) => ask(orgId, { wantsUsed: place === 1 })));
    const grants = await Promise.all(asks.map((one, place) => nodes[place % 2]!.take(one)));
    for (const orgId of orgIds) {
      const own = grants.filter((_grant, place) => asks[place]!.orgId === orgId);
      expect(own.filter(({ outcome }) => outcome === 'taken')).toHaveLength(3);
    }
    const receipts = grants.flatMap(({ receipt }) => receipt ?? []);
    await Promise.all(
      receipts.map((receipt, place) =>
        place % 3 === 0 ? nodes[0]!.refund(receipt) : nodes[1]!.commit({ receipt, charged: 1 }),
      ),
    );
    await Promise.all(receipts.map((receipt) => nodes[0]!.commit({ receipt, charged: 1 })));
    const all = await counters().find({}).toArray();
    expect(all.map(({ open, held }) => [open, held])).toEqual(all.map(() => [{}, 0]));
    const refunded = receipts.filter((_receipt, place) => place % 3 === 0).length;
    expect(all.reduce((sum, { used }) => sum + used, 0)).toBe(180 - refunded);
  });
});
