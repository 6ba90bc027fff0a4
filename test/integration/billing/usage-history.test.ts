import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Context, ServiceBroker } from 'moleculer';
import type { Caller, Ctx } from '../../../lib/contract/context.ts';
import { setClock } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { type CounterDocument, CounterModel } from '../../../models/billing/counter.ts';
import { type PlanName, SoldVersionModel } from '../../../models/billing/sold-version.ts';
import { type SubscriptionDocument, SubscriptionModel } from '../../../models/billing/subscription.ts';
import { type TakeDocument, TakeModel } from '../../../models/billing/take.ts';
import { UsagePeriodModel } from '../../../models/billing/usage-period.ts';
import billing from '../../../services/billing/billing.service.ts';
import { archiveEndedPeriods, periodJobs } from '../../../services/billing/jobs.ts';
import type { Meter } from '../../../services/billing/quota/meters.ts';
import { createQuota, startQuota, sweepQuotas } from '../../../services/billing/quota/quota.ts';
import { invalidateEntitlements } from '../../../services/billing/subscriptions/entitlements.ts';
import { complimentarySubscription } from '../../../services/billing/subscriptions/transition.ts';
import { eraseUsageHistory, sweepUsageHistory } from '../../../services/billing/usage/archive.ts';
import { actionsOf } from '../../support/actions-of.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';

/** Quotas and their periods over a database of their own, and a clock that the tests turn. */
type Body<T> = Context<{ body: T }>;
type Mail = { key: string; to: string; template: string; orgId: string; variables: Record<string, string> };
type Act = { action: string; orgId: string; target: object; actor: object; after: Record<string, unknown> };
type Period = { meter: string; period: string; used: number; limit: number };
type History = { data: Period[]; nextCursor: string | null };

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.parse('2030-01-30T12:00:00.000Z');
const broker = new ServiceBroker({ logger: false, validator: false });
let database: OwnDatabase;
let instant = start;
let restoreClock = (): void => undefined;

/** By key, as the service has them; the keys that were asked for; and what fails at present. */
const mails = new Map<string, Mail>();
const acts: Act[] = [];
const failing = new Set<string>();
const gone = new Set<string>();
const refuse = (what: string) => {
  if (failing.has(what)) throw new Error(`${what} fails.`);
};

beforeAll(async () => {
  database = await connectOwnDatabase(CounterModel, TakeModel, UsagePeriodModel, SubscriptionModel, SoldVersionModel);
  broker.createService({
    name: 'identity',
    actions: {
      'organizations.describe': ({ params: { body } }: Body<{ orgId: string }>) => {
        refuse(body.orgId);
        if (gone.has(body.orgId)) return { organization: null };
        return { organization: { name: `Shop ${body.orgId}`, slug: 'shop', isFirst: false } };
      },
      'organizations.owners': ({ params: { body } }: Body<{ orgId: string }>) => ({
        owners: ['ann', 'ben'].map((name) => {
          const language = name === 'ben' ? 'de' : null;
          return { userId: name, email: `${name}@${body.orgId}.example`, language };
        }),
      }),
      'audit.append': ({ params: { body } }: Body<Act>) => {
        refuse('audit');
        acts.push(body);
      },
    },
  });
  broker.createService({
    name: 'mail',
    actions: {
      'system.send': ({ params: { body } }: Body<Mail>) => {
        refuse('mail');
        mails.set(body.key, body);
        return { messageId: 'msg' };
      },
    },
  });
  broker.createService({
    name: 'shop',
    metadata: {
      meters: { 'shop.stampsPerDay': { kind: 'day', name: 'stamps', limits: { free: 10, pro: 90, scale: null } } },
    },
    actions: { 'quota.settle': ({ params: { body } }: Body<{ keys: string[] }>) => settle(body.keys) },
  });
  broker.createService({
    name: 'billing',
    actions: { ...actionsOf(billing, 'quota.'), ...actionsOf(billing, 'usage.') } as never,
  });
  await broker.start();
  startQuota(broker);
  restoreClock = setClock(() => new Date(instant));
});

afterAll(async () => {
  restoreClock();
  await broker.stop();
  await database.close();
});

beforeEach(() => {
  instant = start;
  failing.clear();
  mails.clear();
  acts.length = 0;
  settle = () => ({ done: [] });
});

let settle = (_keys: string[]): object => ({ done: [] });
const signal = new AbortController().signal;
const newCtx = () => broker.ContextFactory.create(broker) as Ctx;
const counters = () => nativeCollection<CounterDocument>(CounterModel);
const at = (time: string) => (instant = Date.parse(time));

async function newOrg(plan: PlanName = 'free'): Promise<string> {
  const orgId = newId('org');
  const subscription = complimentarySubscription(plan, new Date(instant));
  const times = { createdAt: new Date(instant), updatedAt: new Date(instant) };
  await nativeCollection<SubscriptionDocument>(SubscriptionModel).insertOne({
    _id: orgId,
    orgId,
    revision: 1,
    subscription,
    dueAt: null,
    effects: [],
    ...times,
  });
  return orgId;
}

async function setPlan(orgId: string, plan: PlanName): Promise<void> {
  const subscription = complimentarySubscription(plan, new Date(instant));
  await nativeCollection<SubscriptionDocument>(SubscriptionModel).updateOne({ _id: orgId }, { $set: { subscription } });
  invalidateEntitlements({ orgId, revision: 2 });
}

type Receipt = { counter: string };
async function reserve(orgId: string, meter: Meter, amount: number): Promise<Receipt> {
  const take = { orgId, meter, amount, key: newId('req'), owner: 'shop' };
  const grant = await broker.call<{ outcome: string; receipt: Receipt }, object>('billing.quota.take', { body: take });
  expect(grant.outcome).toBe('taken');
  return grant.receipt;
}
const commit = (receipt: Receipt) => broker.call('billing.quota.commit', { body: { takes: [{ receipt }] } });
const use = async (orgId: string, meter: Meter, amount: number) => commit(await reserve(orgId, meter, amount));

const callerOf = (orgId: string, scopes = ['billing.read']): Caller =>
  ({ type: 'application', id: newId('app'), orgId, scopes }) as unknown as Caller;
const history = (orgId: string, query: object = {}, caller: object | undefined = callerOf(orgId)): Promise<History> =>
  broker.call('billing.usage.list-history', { path: { orgId }, query }, { meta: { caller } });

const readUsageOf = (orgId: string): Promise<{ usage: { services?: object } }> =>
  broker.call('billing.usage.read', { path: { orgId } }, { meta: { caller: callerOf(orgId) } });

/** Runs a job as the scheduler does, for a period. */
async function runJob(name: string, period = new Date(instant)): Promise<void> {
  await periodJobs.find((job) => job.name === name)!.run(newCtx(), signal, period);
}
const midnight = (time: string) => {
  at(time);
  return runJob('billing.quota.daily', new Date(time));
};

describe('the end of a day', () => {
  test('archives what was used of each daily meter, beside the limit, and begins anew', async () => {
    const orgId = await newOrg('pro');
    await use(orgId, 'context.eventsPerDay', 120);
    await use(orgId, 'intelligence.recommendationsPerDay', 7);
    await use(orgId, 'mail.sendsPerMonth', 3);
    await midnight('2030-01-31T00:00:00.000Z');
    const period = '2030-01-30T00:00:00.000Z / 2030-01-31T00:00:00.000Z';
    expect(await history(orgId)).toEqual({
      data: [
        { meter: 'intelligence.recommendationsPerDay', period, used: 7, limit: 1000 },
        { meter: 'context.eventsPerDay', period, used: 120, limit: 50_000 },
      ],
      nextCursor: null,
    });
    await use(orgId, 'context.eventsPerDay', 50_000);
  });

  test('may be run by several nodes, and again, and changes nothing then', async () => {
    const orgId = await newOrg();
    await use(orgId, 'context.eventsPerDay', 5);
    at('2030-01-31T00:00:00.000Z');
    await Promise.all([1, 2, 3].map(() => runJob('billing.quota.daily')));
    const before = await UsagePeriodModel.find({ orgId }).lean();
    expect(before).toHaveLength(1);
    await setPlan(orgId, 'scale');
    await runJob('billing.quota.daily');
    expect(await UsagePeriodModel.find({ orgId }).lean()).toEqual(before);
  });

  test('leaves the present day alone, also for a node whose clock is 90 s ahead', async () => {
    const orgId = await newOrg();
    at('2030-01-30T23:58:45.000Z');
    await use(orgId, 'context.eventsPerDay', 5);
    await runJob('billing.quota.daily', new Date('2030-01-30T00:00:00.000Z'));
    expect((await history(orgId)).data).toEqual([]);
    // The fast node takes it for over; the others still count in it.
    await runJob('billing.quota.daily', new Date('2030-01-31T00:00:00.000Z'));
    await use(orgId, 'context.eventsPerDay', 2);
    at('2030-01-31T01:00:00.000Z');
    await runJob('billing.quota.late');
    expect((await history(orgId)).data).toMatchObject([{ used: 7 }]);
  });

  test('that was missed for days is made good in order, each day with its own', async () => {
    const orgId = await newOrg();
    for (const date of ['30', '31']) {
      at(`2030-01-${date}T12:00:00.000Z`);
      await use(orgId, 'context.eventsPerDay', Number(date));
    }
    at('2030-02-02T09:00:00.000Z');
    await use(orgId, 'context.eventsPerDay', 2);
    await runJob('billing.quota.daily', new Date('2030-01-31T00:00:00.000Z'));
    expect((await history(orgId)).data.map(({ used }) => used)).toEqual([30]);
    await runJob('billing.quota.daily', new Date('2030-02-01T00:00:00.000Z'));
    expect((await history(orgId)).data.map(({ used }) => used)).toEqual([31, 30]);
    await runJob('billing.quota.daily', new Date('2030-02-02T00:00:00.000Z'));
    expect((await history(orgId)).data.map(({ used }) => used)).toEqual([31, 30]);
  });

  test('has what another node charges a moment after it, for work that it has begun before', async () => {
    const orgId = await newOrg();
    const other = createQuota({
      counters: counters(),
      takes: nativeCollection<TakeDocument>(TakeModel),
      allowanceOf: () => Promise.resolve({ outcome: 'included', limit: 1000 }),
      askOwner: () => Promise.reject(new Error('Only the sweep asks.')),
      now: () => new Date(instant),
      leaseNow: () => new Date(instant),
      maxWait: 0,
    });
    const take = { orgId, meter: 'context.eventsPerDay', amount: 9, key: newId('req'), owner: 'shop' } as const;
    const { receipt } = await other.take({ ...take, isPartly: false, remembered: true });
    expect(await counters().findOne({ orgId })).toMatchObject({ used: 9, held: 1 });
    const archiving = midnight('2030-01-31T00:00:00.000Z');
    await other.commit({ receipt: receipt!, charged: 8 });
    await archiving;
    expect((await history(orgId)).data).toMatchObject([{ used: 8 }]);
  });

  test('waits for work under way, and charges what ends late to its own day', async () => {
    const orgId = await newOrg();
    await use(orgId, 'context.eventsPerDay', 5);
    at('2030-01-30T23:59:59.000Z');
    const late = await reserve(orgId, 'context.eventsPerDay', 2);
    await midnight('2030-01-31T00:00:00.000Z');
    expect((await history(orgId)).data).toEqual([]);
    at('2030-01-31T00:00:05.000Z');
    await commit(late);
    await use(orgId, 'context.eventsPerDay', 1);
    at('2030-01-31T01:00:00.000Z');
    await archiveEndedPeriods(newCtx(), signal);
    expect((await history(orgId)).data.map(({ used }) => used)).toEqual([7]);
  });

  test('is corrected when work that had been given back was done after all', async () => {
    const orgId = await newOrg();
    await use(orgId, 'context.eventsPerDay', 5);
    at('2030-01-30T23:59:59.000Z');
    const hung = await reserve(orgId, 'context.eventsPerDay', 2);
    at('2030-01-31T00:06:00.000Z');
    await sweepQuotas(new Date(instant), signal);
    await archiveEndedPeriods(newCtx(), signal);
    expect((await history(orgId)).data).toMatchObject([{ used: 5 }]);
    await commit(hung);
    at('2030-01-31T01:00:00.000Z');
    await archiveEndedPeriods(newCtx(), signal);
    expect((await history(orgId)).data).toMatchObject([{ used: 7 }]);
  });

  test('removes counters two days later, when they are archived as they are', async () => {
    const orgId = await newOrg();
    await use(orgId, 'context.eventsPerDay', 5);
    await midnight('2030-01-31T00:00:00.000Z');
    await midnight('2030-02-01T00:00:00.000Z');
    expect(await counters().countDocuments({ orgId })).toBe(1);
    await midnight('2030-02-02T00:00:00.000Z');
    expect(await counters().countDocuments({ orgId })).toBe(0);
    await midnight('2030-02-03T00:00:00.000Z');
    expect((await history(orgId)).data).toMatchObject([{ used: 5 }]);
  });

  test('removes nothing that nobody had time to archive, however old it is', async () => {
    const orgId = await newOrg();
    await use(orgId, 'context.eventsPerDay', 5);
    await midnight('2030-03-01T00:00:00.000Z');
    expect((await history(orgId)).data).toMatchObject([{ used: 5, limit: 1000 }]);
    expect(await counters().countDocuments({ orgId })).toBe(1);
    await midnight('2030-03-02T00:00:00.000Z');
    expect(await counters().countDocuments({ orgId })).toBe(0);
  });

  test('of one organization that fails holds up none of the others, and is tried again', async () => {
    const [broken, ...others] = [newId('org'), await newOrg(), await newOrg()] as [string, string, string];
    const period = { periodStart: new Date('2030-01-30'), periodEnd: new Date('2030-01-31') };
    const _id = `${broken}:context.eventsPerDay:2030-01-30T00:00:00.000Z`;
    const nothing = { limit: 1000, open: {}, held: 0, overdue: {}, revision: 1, warned: [] };
    await counters().insertOne({ _id, orgId: broken, meter: 'context.eventsPerDay', used: 4, ...period, ...nothing });
    for (const orgId of others) await use(orgId, 'context.eventsPerDay', 5);
    failing.add(broken);
    await expect(midnight('2030-01-31T00:00:00.000Z')).rejects.toThrow('fails.');
    for (const orgId of others) expect((await history(orgId)).data).toMatchObject([{ used: 5 }]);
    failing.clear();
    await midnight('2030-01-31T00:00:00.000Z');
    expect((await history(broken)).data).toMatchObject([{ used: 4 }]);
  });

  test('of an organization that is gone leaves nothing', async () => {
    const orgId = newId('org');
    gone.add(orgId);
    const period = { periodStart: new Date('2030-01-30'), periodEnd: new Date('2030-01-31') };
    const _id = `${orgId}:context.eventsPerDay:2030-01-30T00:00:00.000Z`;
    const nothing = { limit: 1000, open: {}, held: 0, overdue: {}, revision: 1, warned: [] };
    await counters().insertOne({ _id, orgId, meter: 'context.eventsPerDay', used: 4, ...period, ...nothing });
    await midnight('2030-01-31T00:00:00.000Z');
    expect(await counters().countDocuments({ orgId })).toBe(0);
    expect(await UsagePeriodModel.countDocuments({ orgId })).toBe(0);
  });

  test('archives thousands of counters', async () => {
    const orgId = await newOrg('scale');
    const days = Array.from({ length: 1001 }, (_one, place) => {
      const periodStart = new Date(Date.parse('2026-01-01T00:00:00.000Z') + place * day);
      const _id = `${orgId}:context.eventsPerDay:${periodStart.toISOString()}`;
      const periodEnd = new Date(periodStart.getTime() + day);
      const nothing = { limit: 1000, open: {}, held: 0, overdue: {}, revision: 1, warned: [] };
      return { _id, orgId, meter: 'context.eventsPerDay', periodStart, periodEnd, used: place, ...nothing };
    });
    await counters().insertMany(days);
    await midnight('2030-01-31T00:00:00.000Z');
    expect(await UsagePeriodModel.countDocuments({ orgId })).toBe(days.length);
    await midnight('2030-01-31T00:00:00.000Z');
    expect(await counters().countDocuments({ orgId })).toBe(0);
    await eraseUsageHistory(orgId, 10_000);
  });
});

describe('the end of a month', () => {
  test('archives monthly meters, bytes in the gigabytes that are sold', async () => {
    const orgId = await newOrg();
    at('2030-01-05T00:00:00.000Z');
    await use(orgId, 'mail.sendsPerMonth', 12);
    await use(orgId, 'storage.bandwidthGbPerMonth', 1_250_000_000);
    await use(orgId, 'connect.agentSeats', 1);
    await midnight('2030-02-01T00:00:00.000Z');
    expect((await history(orgId)).data).toEqual([]);
    await runJob('billing.quota.monthly', new Date('2030-02-01T00:00:00.000Z'));
    const period = '2030-01-01T00:00:00.000Z / 2030-02-01T00:00:00.000Z';
    expect((await history(orgId)).data).toEqual([
      { meter: 'storage.bandwidthGbPerMonth', period, used: 1.25, limit: 5 },
      { meter: 'mail.sendsPerMonth', period, used: 12, limit: 500 },
    ]);
  });

  test('shows the limit that was used, whatever the plan is when it is archived', async () => {
    const orgId = await newOrg('pro');
    await use(orgId, 'intelligence.recommendationsPerDay', 3);
    await use(orgId, 'context.eventsPerDay', 2000);
    await setPlan(orgId, 'free');
    await midnight('2030-01-31T00:00:00.000Z');
    const { data } = await history(orgId);
    expect(data.map(({ meter, used, limit }) => ({ meter, used, limit }))).toEqual([
      { meter: 'intelligence.recommendationsPerDay', used: 3, limit: 1000 },
      { meter: 'context.eventsPerDay', used: 2000, limit: 50_000 },
    ]);
  });

  test('shows the last limit where a plan was changed within the period', async () => {
    const orgId = await newOrg();
    await use(orgId, 'context.eventsPerDay', 900);
    await setPlan(orgId, 'pro');
    await use(orgId, 'context.eventsPerDay', 900);
    await midnight('2030-01-31T00:00:00.000Z');
    expect((await history(orgId)).data).toMatchObject([{ used: 1800, limit: 50_000 }]);
  });
});

describe('GET /v1/orgs/:orgId/usage/history', () => {
  async function withDays(days: number): Promise<string> {
    const orgId = await newOrg();
    for (let one = 1; one <= days; one += 1) {
      at(`2030-01-${String(one).padStart(2, '0')}T12:00:00.000Z`);
      await use(orgId, 'context.eventsPerDay', one);
      await use(orgId, 'mail.sendsPerMonth', 1);
    }
    at('2030-02-01T00:30:00.000Z');
    await archiveEndedPeriods(newCtx(), signal);
    return orgId;
  }

  test('goes back page by page, the newest first, without a gap or a repeat', async () => {
    const orgId = await withDays(25);
    const all: Period[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const page: History = await history(orgId, { limit: '7', ...(cursor && { cursor }) });
      all.push(...page.data);
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor);
    expect(pages).toBe(4);
    expect(all).toHaveLength(26);
    const days = all.filter(({ meter }) => meter === 'context.eventsPerDay').map(({ used }) => used);
    expect(days).toEqual(Array.from({ length: 25 }, (_one, place) => 25 - place));
    expect((await history(orgId)).data).toHaveLength(20);
  });

  test('shows one meter where it is asked for', async () => {
    const orgId = await withDays(3);
    expect((await history(orgId, { meter: 'mail.sendsPerMonth' })).data).toMatchObject([{ used: 3, limit: 500 }]);
    const { data, nextCursor } = await history(orgId, { meter: 'context.eventsPerDay', limit: '2' });
    expect(data.map(({ used }) => used)).toEqual([3, 2]);
    const next = await history(orgId, { meter: 'context.eventsPerDay', limit: '2', cursor: nextCursor });
    expect(next).toMatchObject({ data: [{ used: 1 }], nextCursor: null });
  });

  test.each([
    ['an unknown meter', { meter: 'context.events' }, 'query.meter'],
    ['a gauge, which has no periods', { meter: 'connect.agentSeats' }, 'query.meter'],
    ['a limit of 0', { limit: '0' }, 'query.limit'],
    ['a limit of 101', { limit: '101' }, 'query.limit'],
    ['an unknown field', { from: '2030-01-01' }, 'query'],
  ])('refuses %s', async (_what, query, path) => {
    const orgId = await newOrg();
    await expect(history(orgId, query)).rejects.toMatchObject({
      type: 'INPUT_INVALID',
      data: { details: [expect.objectContaining({ path: expect.stringContaining(path) })] },
    });
  });

  test.each(['x', ''])('refuses the cursor %j', async (cursor) => {
    await expect(history(await newOrg(), { cursor })).rejects.toMatchObject({ type: 'CURSOR_INVALID' });
  });

  test('is shown to its organization alone, and to who may read its billing', async () => {
    const [orgId, other] = [await withDays(1), await newOrg()];
    await expect(history(orgId, {}, callerOf(other))).rejects.toMatchObject({ type: 'NOT_FOUND' });
    await expect(history(newId('org'), {}, callerOf(other))).rejects.toMatchObject({ type: 'NOT_FOUND' });
    await expect(history(orgId, {}, callerOf(orgId, ['context.read']))).rejects.toMatchObject({
      type: 'PERMISSION_DENIED',
    });
    await expect(history(orgId, {}, null as never)).rejects.toMatchObject({ type: 'CREDENTIAL_REQUIRED' });
    expect((await history(other)).data).toEqual([]);
  });

  test('goes back 13 months', async () => {
    const orgId = await withDays(2);
    at('2031-02-01T12:00:00.000Z');
    await sweepUsageHistory();
    expect((await history(orgId)).data).toHaveLength(3);
    at('2031-02-02T12:00:00.000Z');
    await sweepUsageHistory();
    expect((await history(orgId)).data).toHaveLength(2);
    at('2031-03-02T12:00:00.000Z');
    await sweepUsageHistory();
    expect((await history(orgId)).data).toEqual([]);
  });

  test('goes back 13 months also on a day that the month before those does not have', async () => {
    const orgId = await newOrg();
    at('2030-03-01T12:00:00.000Z');
    await use(orgId, 'context.eventsPerDay', 1);
    at('2030-03-02T00:30:00.000Z');
    await archiveEndedPeriods(newCtx(), signal);
    for (const today of ['2031-03-29', '2031-03-30', '2031-03-31', '2031-04-01']) {
      at(`${today}T12:00:00.000Z`);
      await sweepUsageHistory();
      expect([today, (await history(orgId)).data.length]).toEqual([today, 1]);
    }
    at('2031-04-02T12:00:00.000Z');
    await sweepUsageHistory();
    expect((await history(orgId)).data).toEqual([]);
  });

  test('goes with its organization', async () => {
    const [orgId, other] = [await withDays(3), await withDays(1)];
    expect(await eraseUsageHistory(orgId, 1000)).toBe(4);
    expect(await eraseUsageHistory(orgId, 1000)).toBe(0);
    expect((await history(other)).data).toHaveLength(2);
  });
});

describe('a warning', () => {
  const warn = () => runJob('billing.quota.warnings');
  const told = (orgId: string) => acts.filter((act) => act.orgId === orgId).map(({ after }) => after);

  const mailsOf = (orgId: string) => [...mails.values()].filter((mail) => mail.orgId === orgId);

  test('is mailed to each owner and recorded once when 80 and when 100 % are used', async () => {
    const orgId = await newOrg();
    await use(orgId, 'context.eventsPerDay', 799);
    await warn();
    expect([mailsOf(orgId).length, told(orgId)]).toEqual([0, []]);
    await use(orgId, 'context.eventsPerDay', 1);
    await warn();
    await warn();
    expect(mailsOf(orgId)).toEqual(
      [
        { name: 'ann', language: 'en', what: 'events today', limit: '1,000' },
        { name: 'ben', language: 'de', what: 'Ereignisse heute', limit: '1.000' },
      ].map(({ name, language, what, limit }) => ({
        key: expect.stringContaining(orgId),
        to: `${name}@${orgId}.example`,
        template: 'quota-warning',
        orgId,
        language,
        variables: {
          organizationName: `Shop ${orgId}`,
          what,
          percent: '80',
          used: '800',
          limit,
          billingLink: expect.stringContaining(orgId),
        },
      })),
    );
    expect(acts.filter((act) => act.orgId === orgId)).toMatchObject([
      {
        action: 'quota.warned',
        actor: { type: 'system', id: null },
        target: { type: 'quota', id: 'context.eventsPerDay' },
        after: { percent: 80, used: 800, limit: 1000 },
      },
    ]);
    await use(orgId, 'context.eventsPerDay', 200);
    await warn();
    await warn();
    expect(told(orgId).map(({ percent }) => percent)).toEqual([80, 100]);
    expect(mailsOf(orgId).length).toBe(4);
  });

  test('is of the highest level alone when several are crossed at once, and of each period anew', async () => {
    const orgId = await newOrg();
    await use(orgId, 'context.eventsPerDay', 1000);
    await warn();
    expect(told(orgId).map(({ percent }) => percent)).toEqual([100]);
    instant += day;
    await use(orgId, 'context.eventsPerDay', 1000);
    await warn();
    expect(told(orgId).map(({ percent }) => percent)).toEqual([100, 100]);
    expect(mailsOf(orgId).length).toBe(4);
  });

  test('is given for the last minute of a day too, and not for what is long over', async () => {
    const [soon, late] = [await newOrg(), await newOrg()];
    at('2030-01-30T23:59:59.000Z');
    await use(soon, 'context.eventsPerDay', 900);
    await use(late, 'context.eventsPerDay', 100);
    at('2030-01-31T00:01:00.000Z');
    await warn();
    expect(told(soon)).toHaveLength(1);
    await counters().updateMany({ orgId: late }, { $set: { used: 1000 } });
    at('2030-01-31T01:01:00.000Z');
    await warn();
    expect(told(late)).toEqual([]);
  });

  test('follows the plan: an upgrade makes room, and its own crossing is told', async () => {
    const orgId = await newOrg('pro');
    await use(orgId, 'intelligence.recommendationsPerDay', 900);
    await warn();
    await setPlan(orgId, 'scale');
    await warn();
    expect((await counters().findOne({ orgId }))?.warned).toEqual([]);
    await use(orgId, 'intelligence.recommendationsPerDay', 80_000);
    await warn();
    expect(told(orgId).map(({ limit }) => limit)).toEqual([1000, 100_000]);
  });

  test('is given for gauges, again when one was left and is crossed again, by mail once a day', async () => {
    const orgId = await newOrg('pro');
    const seats = (value: number) =>
      broker.call('billing.quota.set-gauge', { body: { orgId, meter: 'connect.agentSeats', value } });
    for (const value of [4, 5, 4, 3, 4, 5]) {
      await seats(value);
      await warn();
    }
    expect(told(orgId).map(({ percent }) => percent)).toEqual([80, 100, 80, 100]);
    expect(mailsOf(orgId).length).toBe(4);
    instant += day;
    await seats(3);
    await warn();
    await seats(4);
    await warn();
    expect(mailsOf(orgId).length).toBe(6);
  });

  test('is given for a meter that a service declares, which is archived and shown like the others', async () => {
    const [orgId, unlimited] = [await newOrg(), await newOrg('scale')];
    await use(orgId, 'shop.stampsPerDay', 8);
    await warn();
    expect(mailsOf(orgId)[0]?.variables).toMatchObject({ what: 'stamps today', used: '8', limit: '10' });
    await use(orgId, 'shop.stampsPerDay', 2);
    await expect(use(orgId, 'shop.stampsPerDay', 1)).rejects.toThrow(/exceeded/);
    await expect(use(unlimited, 'shop.stampsPerDay', 1)).rejects.toThrow(/notIncluded/);
    expect((await readUsageOf(orgId)).usage.services).toEqual({
      shop: { stampsPerDay: { usedToday: 10, limitPerDay: 10 } },
    });
    await setPlan(orgId, 'pro');
    await use(orgId, 'shop.stampsPerDay', 1);
    await midnight('2030-01-31T00:00:00.000Z');
    const period = '2030-01-30T00:00:00.000Z / 2030-01-31T00:00:00.000Z';
    const row = { meter: 'shop.stampsPerDay', period, used: 11, limit: 90 };
    expect((await history(orgId, { meter: 'shop.stampsPerDay' })).data).toEqual([row]);
  });

  test('says gigabytes where these are sold', async () => {
    const orgId = await newOrg();
    await use(orgId, 'storage.bandwidthGbPerMonth', 4_123_456_789);
    await warn();
    expect(mailsOf(orgId)[0]?.variables).toMatchObject({ used: '4.12', limit: '5', percent: '80' });
    expect(told(orgId)).toEqual([{ percent: 80, used: 4_123_456_789, limit: 5_000_000_000 }]);
  });

  test('that could not be mailed or recorded is tried again, and is one mail in the end', async () => {
    const orgId = await newOrg();
    await use(orgId, 'context.eventsPerDay', 800);
    failing.add('mail');
    await warn();
    expect(told(orgId)).toEqual([]);
    failing.clear();
    failing.add('audit');
    await warn();
    failing.clear();
    await warn();
    await warn();
    expect(told(orgId)).toHaveLength(1);
    expect(mailsOf(orgId).length).toBe(2);
  });

  test('given by several nodes at once is one', async () => {
    const orgId = await newOrg();
    await use(orgId, 'context.eventsPerDay', 800);
    await Promise.all([warn(), warn(), warn()]);
    expect(told(orgId)).toHaveLength(1);
    expect(mailsOf(orgId).length).toBe(2);
  });
});
