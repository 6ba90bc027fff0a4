import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Context, type Service, ServiceBroker } from 'moleculer';
import { renewLeases, withQuota } from '../../../lib/clients/quota.ts';
import { quotaBatchWindow, releasePrefetched, withQuotaAllocation } from '../../../lib/clients/quota-batches.ts';
import type { QuotaRefusal } from '../../../lib/clients/quota-refusal.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { setClock } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { type CounterDocument, CounterModel } from '../../../models/billing/counter.ts';
import { DeclaredLimitModel } from '../../../models/billing/declared-limit.ts';
import { TakeModel } from '../../../models/billing/take.ts';
import billing from '../../../services/billing/billing.service.ts';
import { setClockOffset } from '../../../services/billing/clock.ts';
import { keepDeclaredLimits } from '../../../services/billing/quota/declared-limits.ts';
import { startQuota, sweepQuotas } from '../../../services/billing/quota/quota.ts';
import type { Allowance } from '../../../services/billing/quota/store.ts';
import { actionsOf } from '../../support/actions-of.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';
import { until } from '../../support/until.ts';

/** The actions, and a shop that sends mail under a plan, over a database of its own and a clock that the tests turn. */
const minute = 60_000;
const calls = new Map<string, number>();
const broker = new ServiceBroker({
  logger: false,
  validator: false,
  middlewares: [
    {
      name: 'CountCalls',
      localAction(next, action) {
        const name = String(action.name);
        return function count(this: Service, ctx: Context) {
          calls.set(name, (calls.get(name) ?? 0) + 1);
          return next.call(this, ctx);
        };
      },
    },
  ],
});
let database: OwnDatabase;
let instant = Date.parse('2030-01-31T12:00:00.000Z');
let restoreClock = (): void => undefined;
let allowance: Allowance = { outcome: 'included', limit: 10 };
let endOfWork = (): void => undefined;
/** The works that were done, by the key of their take. */
const done = new Map<string, number>();

type Params = Record<string, unknown>;
const call = <T>(action: string, body: Params): Promise<T> => broker.call<T, object>(action, { body });

beforeAll(async () => {
  database = await connectOwnDatabase(CounterModel, TakeModel);
  broker.createService({ name: 'billing', actions: actionsOf(billing, 'quota.') });
  broker.createService({
    name: 'shop',
    actions: {
      'quota.settle': (ctx: Context<{ body: { keys: string[] } }>) => ({
        done: ctx.params.body.keys.flatMap((key) => (done.has(key) ? [{ key, amount: done.get(key) }] : [])),
      }),
      send: (ctx: Context<{ orgId: string; key: string; failure?: Error; amount?: number }>) =>
        withQuota(ctx, { meter: 'mail.sendsPerMonth', amount: 1, ...ctx.params }, () => {
          if (ctx.params.failure) return Promise.reject(ctx.params.failure);
          done.set(ctx.params.key, 1);
          return Promise.resolve('sent');
        }),
      // Holds an allocation until the test ends the work, and then checks that its lease is still held.
      hold: (ctx: Context<{ orgId: string; amount: number }>) =>
        withQuotaAllocation(ctx, { meter: 'context.eventsPerDay', ...ctx.params }, async ({ quotaBatch, granted }) => {
          await new Promise<void>((resolve) => {
            endOfWork = resolve;
          });
          if (!quotaBatch.isHeld()) throw apiError('UNAVAILABLE');
          done.set(quotaBatch.key, granted);
          return { result: granted, charged: granted };
        }),
      allocate: (ctx: Context<{ orgId: string; amount: number; charged?: number; failure?: Error }>) =>
        withQuotaAllocation(
          ctx,
          { meter: 'context.eventsPerDay', ...ctx.params },
          ({ quotaBatch, granted, refusal }) => {
            const charged = ctx.params.charged ?? granted;
            done.set(quotaBatch.key, (done.get(quotaBatch.key) ?? 0) + charged);
            if (ctx.params.failure) return Promise.reject(ctx.params.failure);
            return Promise.resolve({ result: { batch: quotaBatch.key, granted, refusal }, charged });
          },
        ),
    },
  });
  await broker.start();
  startQuota(broker, { allowanceOf: () => Promise.resolve(allowance), maxWait: 20_000 });
  restoreClock = setClock(() => new Date(instant));
});

afterAll(async () => {
  restoreClock();
  await broker.stop();
  await database.close();
});

beforeEach(() => {
  allowance = { outcome: 'included', limit: 10 };
  done.clear();
  calls.clear();
});

const newOrg = () => newId('org');
const valid = (orgId: string) => ({
  orgId,
  meter: 'context.eventsPerDay',
  amount: 1,
  key: newId('req'),
  owner: 'shop',
});
const sweep = () => sweepQuotas(new Date(instant), new AbortController().signal);

async function counted(orgId: string): Promise<{ used: number; open: number }> {
  const all = await nativeCollection<CounterDocument>(CounterModel).find({ orgId }).toArray();
  return { used: all.reduce((sum, { used }) => sum + used, 0), open: all.reduce((sum, { held }) => sum + held, 0) };
}

type Granted = { outcome: string; receipt: Params; taken: number };

describe('giving back', () => {
  test('returns charged units of the period once for a key, and never more than are used', async () => {
    const orgId = newOrg();
    const { receipt } = await call<Granted>('billing.quota.take', { ...valid(orgId), amount: 3 });
    await call('billing.quota.commit', { takes: [{ receipt }] });
    const chargedAt = new Date(instant).toISOString();
    const back = { orgId, meter: 'context.eventsPerDay', amount: 1, key: 'died:1', chargedAt };
    await Promise.all([call('billing.quota.give-back', back), call('billing.quota.give-back', back)]);
    await call('billing.quota.give-back', back);
    expect(await counted(orgId)).toEqual({ used: 2, open: 0 });
    await call('billing.quota.give-back', { ...back, amount: 9, key: 'died:2' });
    expect(await counted(orgId)).toEqual({ used: 0, open: 0 });
  });

  test('changes nothing in a period without units, and is refused for a gauge', async () => {
    const orgId = newOrg();
    const back = {
      orgId,
      meter: 'context.eventsPerDay',
      amount: 1,
      key: 'died:1',
      chargedAt: '2020-01-01T00:00:00.000Z',
    };
    await call('billing.quota.give-back', back);
    expect(await counted(orgId)).toEqual({ used: 0, open: 0 });
    const refused = call('billing.quota.give-back', { ...back, meter: 'connect.agentSeats' });
    await expect(refused).rejects.toMatchObject({ type: 'INPUT_INVALID' });
  });
});

describe('taking', () => {
  test.each([
    ['amount', 0],
    ['amount', -1],
    ['amount', 1.5],
    ['amount', '1'],
    ['amount', Number.MAX_SAFE_INTEGER + 1],
    ['amount', Number.NaN],
    ['meter', 'context.retentionDays'],
    ['meter', '__proto__'],
    ['key', ''],
    ['key', 'x'.repeat(201)],
    ['key', { $ne: '' }],
    ['owner', 'shop.evil'],
    ['orgId', 'org_1'],
    ['orgId', null],
    ['more', 1],
  ])('is refused by the field %s when it is %j', async (field, value) => {
    const orgId = newOrg();
    const refused = call('billing.quota.take', { ...valid(orgId), [field]: value });
    await expect(refused).rejects.toMatchObject({
      type: 'INPUT_INVALID',
      data: { details: [{ path: `body.${field}` }] },
    });
    expect(await counted(orgId)).toEqual({ used: 0, open: 0 });
  });

  test('says the outcome, what is used, the limit and the period', async () => {
    const orgId = newOrg();
    const answer = await call('billing.quota.take', { ...valid(orgId), amount: 4 });
    expect(answer).toMatchObject({
      outcome: 'taken',
      taken: 4,
      used: 4,
      limit: 10,
      period: { start: '2030-01-31T00:00:00.000Z', end: '2030-02-01T00:00:00.000Z' },
      receipt: { orgId, amount: 4, remembered: true },
      isFresh: true,
    });
    const more = await call('billing.quota.take', { ...valid(orgId), amount: 7 });
    expect(more).toMatchObject({ outcome: 'exceeded', taken: 0, used: 4, limit: 10, receipt: null });
    const huge = await call('billing.quota.take', { ...valid(orgId), amount: Number.MAX_SAFE_INTEGER });
    expect(huge).toMatchObject({ outcome: 'exceeded', used: 4 });
  });

  test('of many gives each its own outcome, in the order given', async () => {
    const [one, other] = [newOrg(), newOrg()];
    const takes = [6, 5, 4, 1].map((amount) => ({ ...valid(one), amount })).concat({ ...valid(other), amount: 10 });
    const answer = await call<{ takes: Granted[] }>('billing.quota.take-many', { takes });
    expect(answer.takes.map(({ outcome }) => outcome)).toEqual(['taken', 'exceeded', 'taken', 'exceeded', 'taken']);
    await call('billing.quota.commit', { takes: answer.takes.slice(0, 1).map(({ receipt }) => ({ receipt })) });
    await call('billing.quota.refund', { takes: answer.takes.slice(2, 3).map(({ receipt }) => receipt) });
    expect(await counted(one)).toEqual({ used: 6, open: 0 });
  });

  test('is not charged more than was taken', async () => {
    const { receipt } = await call<Granted>('billing.quota.take', valid(newOrg()));
    await expect(call('billing.quota.commit', { takes: [{ receipt, charged: 2 }] })).rejects.toMatchObject({
      type: 'INPUT_INVALID',
      data: { details: [{ path: 'body.takes.0.charged' }] },
    });
  });
});

describe('a meter that a service declares', () => {
  const limits = { free: 5, pro: 50, scale: null };
  const declared = (kind: string, name: string) => ({ [name]: { kind, name: 'stamps', limits } });
  const take = (name: string, more: Params = {}) =>
    call<Granted>('billing.quota.take', { ...valid(newOrg()), meter: name, owner: 'loyalty', ...more });
  let service: Service;

  beforeAll(async () => {
    const meters = declared('day', 'loyalty.stampsPerDay');
    service = broker.createService({
      name: 'loyalty',
      metadata: { meters, limits: { 'loyalty.cards': { name: 'cards', limits: { free: 1, pro: 2, scale: 3 } } } },
    });
    await broker.waitForServices('loyalty');
  });

  test('is taken as soon as the service runs, and its declaration is stored', async () => {
    expect(await take('loyalty.stampsPerDay')).toMatchObject({ outcome: 'taken', receipt: { amount: 1 } });
    const stored = await DeclaredLimitModel.find().sort({ _id: 1 }).lean();
    expect(stored).toEqual([
      { _id: 'loyalty.cards', kind: 'count', name: 'cards', limits: { free: 1, pro: 2, scale: 3 } },
      { _id: 'loyalty.stampsPerDay', kind: 'day', name: 'stamps', limits },
    ]);
  });

  test.each([
    ['by another service', 'loyalty.stampsPerDay', { owner: 'shop' }, 'INPUT_INVALID'],
    ['that no service declares', 'loyalty.pointsPerDay', {}, 'UNAVAILABLE'],
    ['that is a resource, which the service counts', 'loyalty.cards', {}, 'UNAVAILABLE'],
  ])('is not taken %s', async (_what, name, more, type) => {
    const orgId = newOrg();
    await expect(take(name, { orgId, ...more })).rejects.toMatchObject({ type });
    expect(await counted(orgId)).toEqual({ used: 0, open: 0 });
  });

  test('is known from the database where its service was never seen', async () => {
    await DeclaredLimitModel.create({ _id: 'elsewhere.callsPerMonth', kind: 'month', name: 'calls', limits } as never);
    const taken = await take('elsewhere.callsPerMonth', { owner: 'elsewhere' });
    expect(taken).toMatchObject({ outcome: 'taken', period: { start: '2030-01-01T00:00:00.000Z' } });
  });

  test('keeps its kind when a new version declares another, and takes its new limits', async () => {
    await broker.destroyService(service);
    const larger = { ...limits, free: 6 };
    const meters = { 'loyalty.stampsPerDay': { kind: 'month', name: 'stamps', limits: larger } };
    service = broker.createService({ name: 'loyalty', metadata: { meters } });
    await broker.waitForServices('loyalty');
    await keepDeclaredLimits(broker);
    const stored = () => DeclaredLimitModel.findById('loyalty.stampsPerDay').lean();
    expect(await stored()).toMatchObject({ kind: 'day', limits });
    expect(await take('loyalty.stampsPerDay')).toMatchObject({ period: { end: '2030-02-01T00:00:00.000Z' } });
    await broker.destroyService(service);
    service = broker.createService({
      name: 'loyalty',
      metadata: { meters: { 'loyalty.stampsPerDay': { ...meters['loyalty.stampsPerDay'], kind: 'day' } } },
    });
    await broker.waitForServices('loyalty');
    await keepDeclaredLimits(broker);
    expect(await stored()).toMatchObject({ kind: 'day', limits: larger });
  });

  test('is still counted while its service is away, and charged when that has reported', async () => {
    const orgId = newOrg();
    await broker.destroyService(service);
    await take('loyalty.stampsPerDay', { orgId, amount: 3, key: 'away' });
    instant += 5 * minute;
    await sweep();
    expect(await counted(orgId)).toEqual({ used: 3, open: 1 });
    service = broker.createService({
      name: 'loyalty',
      actions: { 'quota.settle': () => ({ done: [{ key: 'away', amount: 2 }] }) },
    });
    await broker.waitForServices('loyalty');
    instant += minute;
    await sweep();
    expect(await counted(orgId)).toEqual({ used: 2, open: 0 });
  });
});

describe('work under a quota', () => {
  const send = (orgId: string, key: string, more: Params = {}) => broker.call('shop.send', { orgId, key, ...more });

  test('is done and charged', async () => {
    const orgId = newOrg();
    expect(await send(orgId, 'a')).toBe('sent');
    await until(async () => (await counted(orgId)).open === 0);
    expect(await counted(orgId)).toEqual({ used: 1, open: 0 });
    expect(await send(orgId, 'a')).toBe('sent');
    await until(async () => (await counted(orgId)).open === 0);
    expect(await counted(orgId)).toEqual({ used: 1, open: 0 });
  });

  test.each([
    [
      { outcome: 'included', limit: 0 },
      'PLAN_LIMIT_EXCEEDED',
      402,
      /^0 of 0 mails used this month\. Resets on 1 February at 00:00 UTC, or upgrade: http/,
    ],
    [{ outcome: 'notIncluded' }, 'SERVICE_NOT_INCLUDED', 403, /not include/],
    [{ outcome: 'paymentRequired' }, 'PAYMENT_REQUIRED', 402, /renew/],
  ] as [Allowance, string, number, RegExp][])(
    'is not begun when the plan says %j: %s',
    async (plan, type, code, says) => {
      const orgId = newOrg();
      allowance = plan;
      const upgradeUrl = `${settings.PUBLIC_URL}/console/billing?orgId=${orgId}`;
      const quota = { meter: 'mail.sendsPerMonth', limit: 0, used: 0, resetsAt: '2030-02-01T00:00:00.000Z' };
      const data = type === 'PLAN_LIMIT_EXCEEDED' ? { upgradeUrl, quota } : { upgradeUrl };
      const message = expect.stringMatching(says);
      await expect(send(orgId, 'a')).rejects.toMatchObject({ type, code, message, data });
      expect(done.size).toBe(0);
      expect(await counted(orgId)).toEqual({ used: 0, open: 0 });
    },
  );

  test('that is refused gives its units back at once', async () => {
    const orgId = newOrg();
    await expect(send(orgId, 'a', { failure: apiError('NOT_FOUND') })).rejects.toMatchObject({ type: 'NOT_FOUND' });
    await until(async () => (await counted(orgId)).open === 0);
    expect(await counted(orgId)).toEqual({ used: 0, open: 0 });
  });

  test('that fails otherwise is held until the service says whether it was done', async () => {
    const orgId = newOrg();
    for (const key of ['done', 'undone'])
      await expect(send(orgId, key, { failure: new Error('lost') })).rejects.toThrow('lost');
    expect(await counted(orgId)).toEqual({ used: 2, open: 2 });
    done.set('done', 1);
    instant += 5 * minute;
    await sweep();
    expect(await counted(orgId)).toEqual({ used: 1, open: 0 });
  });

  test('of many at the same moment takes its units in few calls', async () => {
    const orgId = newOrg();
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, (_one, place) => send(orgId, `key-${place}`)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    await until(async () => (await counted(orgId)).open === 0);
    expect(await counted(orgId)).toEqual({ used: 10, open: 0 });
    expect(calls.get('billing.quota.take-many')).toBeLessThan(10);
  });
});

describe('an allocation of units that are reserved together', () => {
  type Allocated = { batch: string; granted: number; refusal: QuotaRefusal | null };
  const allocate = (orgId: string, amount: number, more: Params = {}) =>
    broker.call<Allocated, object>('shop.allocate', { orgId, amount, ...more });

  test('is as much as there is, first come, first served, and one take for all', async () => {
    const orgId = newOrg();
    const allocations = await Promise.all([4, 3, 5, 1].map((amount) => allocate(orgId, amount)));
    expect(allocations.map(({ granted, refusal }) => [granted, refusal?.reason ?? null])).toEqual([
      [4, null],
      [3, null],
      [3, 'exceeded'],
      [0, 'exceeded'],
    ]);
    expect(new Set(allocations.map(({ batch }) => batch)).size).toBe(1);
    expect(quotaBatchWindow(allocations[0]!.batch)!.from).toEqual(new Date(instant));
    await until(async () => (await counted(orgId)).open === 0);
    expect(await counted(orgId)).toEqual({ used: 10, open: 0 });
    expect(calls.get('billing.quota.take')).toBe(1);
    expect(await allocate(orgId, 1)).toMatchObject({
      granted: 0,
      refusal: { reason: 'exceeded', quota: { used: 10, limit: 10 } },
    });
  });

  test('gives back what its work did not come to', async () => {
    const orgId = newOrg();
    await Promise.all([allocate(orgId, 4, { charged: 1 }), allocate(orgId, 4, { charged: 0 }), allocate(orgId, 2)]);
    await until(async () => (await counted(orgId)).open === 0);
    expect(await counted(orgId)).toEqual({ used: 3, open: 0 });
  });

  test('whose work failed leaves all of it to what the service counts', async () => {
    const orgId = newOrg();
    const failing = allocate(orgId, 4, { charged: 3, failure: new Error('lost') });
    await Promise.allSettled([failing, allocate(orgId, 2)]);
    await expect(failing).rejects.toThrow('lost');
    expect(await counted(orgId)).toEqual({ used: 6, open: 1 });
    instant += 5 * minute;
    await sweep();
    expect(await counted(orgId)).toEqual({ used: 5, open: 0 });
  });

  describe('of which much is wanted', () => {
    /** Spends without a pause, as many at a time, until so many calls have taken units. */
    async function spendMuch(orgId: string): Promise<number> {
      let spent = 0;
      for (calls.clear(); (calls.get('billing.quota.take') ?? 0) < 6; spent += 20)
        await Promise.all(Array.from({ length: 20 }, () => allocate(orgId, 1)));
      return spent;
    }

    beforeEach(() => {
      allowance = { outcome: 'included', limit: 1_000_000 };
    });

    test('is mostly prefetched, and unused prefetched units are released after a moment', async () => {
      const orgId = newOrg();
      let spent = await spendMuch(orgId);
      await until(async () => {
        calls.clear();
        await Promise.all(Array.from({ length: 20 }, () => allocate(orgId, 1)));
        spent += 20;
        return !calls.has('billing.quota.take');
      });
      await until(async () => (await counted(orgId)).open === 0);
      expect(await counted(orgId)).toEqual({ used: spent, open: 0 });
    });

    test('is given back when the service stops', async () => {
      const orgId = newOrg();
      const spent = await spendMuch(orgId);
      await releasePrefetched();
      await until(async () => (await counted(orgId)).open === 0);
      expect(await counted(orgId)).toEqual({ used: spent, open: 0 });
    });

    test('is exact at the limit all the same', async () => {
      const orgId = newOrg();
      allowance = { outcome: 'included', limit: 3000 };
      let granted = 0;
      let refusals = 0;
      const lane = async () => {
        for (let count = 0; count < 100; count += 1) {
          const { granted: one, refusal } = await allocate(orgId, 1);
          granted += one;
          if (refusal !== null) refusals += 1;
        }
      };
      await Promise.all(Array.from({ length: 32 }, lane));
      expect([granted, refusals]).toEqual([3000, 200]);
      await until(async () => (await counted(orgId)).open === 0);
      expect(await counted(orgId)).toEqual({ used: 3000, open: 0 });
    });

    test('is charged to the new day from its first moment', async () => {
      const orgId = newOrg();
      const midnight = Date.parse('2030-03-01T00:00:00.000Z');
      const before = instant;
      instant = midnight - 1;
      const spent = await spendMuch(orgId);
      instant = midnight;
      await allocate(orgId, 7);
      await until(async () => (await counted(orgId)).open === 0);
      const all = await nativeCollection<CounterDocument>(CounterModel).find({ orgId }).sort({ _id: 1 }).toArray();
      expect(all.map(({ used }) => used)).toEqual([spent, 7]);
      instant = before;
    });

    test('is what the service counts when its work failed', async () => {
      const orgId = newOrg();
      let stored = await spendMuch(orgId);
      await expect(allocate(orgId, 1, { failure: new Error('lost') })).rejects.toThrow('lost');
      stored += 1;
      await until(async () => (await counted(orgId)).open === 1);
      instant += 5 * minute;
      await sweep();
      expect(await counted(orgId)).toEqual({ used: stored, open: 0 });
    });
  });
});

describe('a lease', () => {
  const hold = (orgId: string, amount: number) => broker.call<number, object>('shop.hold', { orgId, amount });
  const take = (orgId: string, amount: number) =>
    call<Granted>('billing.quota.take', { ...valid(orgId), amount, partly: true, remember: false });
  const begun = async (orgId: string, amount: number) =>
    until(async () => (await counted(orgId)).used === amount && endOfWork !== nothing);
  const nothing = (): void => undefined;

  beforeEach(() => {
    endOfWork = nothing;
  });

  test('is renewed while the work goes on, however slowly: its units are given to nobody', async () => {
    const orgId = newOrg();
    const working = hold(orgId, 4);
    await begun(orgId, 4);
    for (let minutes = 0; minutes < 20; minutes += 1) {
      instant += minute;
      await renewLeases();
      await sweep();
      expect(await counted(orgId)).toEqual({ used: 4, open: 1 });
    }
    expect((await take(orgId, 10)).taken).toBe(6);
    endOfWork();
    expect(await working).toBe(4);
    await until(async () => (await counted(orgId)).open === 1);
    expect((await take(orgId, 10)).outcome).toBe('exceeded');
  });

  test('expires with a process that stalls, and what wakes up after it does nothing with its units', async () => {
    const orgId = newOrg();
    const working = hold(orgId, 4);
    await begun(orgId, 4);
    // Before billing gives anything back the holder has stopped.
    instant += 4 * minute;
    await sweep();
    expect(await counted(orgId)).toEqual({ used: 4, open: 1 });
    instant += minute;
    await sweep();
    expect(await counted(orgId)).toEqual({ used: 0, open: 0 });
    expect((await take(orgId, 10)).taken).toBe(10);
    endOfWork();
    await expect(working).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    expect(done.size).toBe(0);
    expect((await counted(orgId)).used).toBe(10);
  });

  test('that was lost is not renewed again', async () => {
    const orgId = newOrg();
    const working = hold(orgId, 4);
    await begun(orgId, 4);
    instant += 5 * minute;
    await sweep();
    await renewLeases();
    instant -= 5 * minute;
    endOfWork();
    await expect(working).rejects.toMatchObject({ type: 'UNAVAILABLE' });
  });

  test('of work that hangs ends after an hour', async () => {
    const orgId = newOrg();
    const working = hold(orgId, 4);
    await begun(orgId, 4);
    for (let minutes = 0; minutes < 66; minutes += 1) {
      instant += minute;
      await renewLeases();
      await sweep();
    }
    expect(await counted(orgId)).toEqual({ used: 0, open: 0 });
    endOfWork();
    await expect(working).rejects.toMatchObject({ type: 'UNAVAILABLE' });
  });

  test('expires by the real time, however far the clock of billing was moved, and was put back', async () => {
    const orgId = newOrg();
    setClockOffset(31 * 24 * 60 * minute);
    const { receipt } = await take(orgId, 4);
    setClockOffset(0);
    expect(receipt).not.toBeNull();
    instant += 6 * minute;
    await sweep();
    expect(await counted(orgId)).toEqual({ used: 0, open: 0 });
  });

  test('does not expire because the clock of billing is moved', async () => {
    const orgId = newOrg();
    const working = hold(orgId, 4);
    await begun(orgId, 4);
    setClockOffset(60 * minute);
    await sweep();
    setClockOffset(0);
    expect(await counted(orgId)).toEqual({ used: 4, open: 1 });
    endOfWork();
    expect(await working).toBe(4);
  });
});
