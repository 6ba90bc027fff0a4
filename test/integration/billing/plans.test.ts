import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ServiceBroker } from 'moleculer';
import { StartError } from '../../../lib/settings/start-error.ts';
import { type SoldVersionDocument, SoldVersionModel } from '../../../models/billing/sold-version.ts';
import billing from '../../../services/billing/billing.service.ts';
import { limitsOfPlan } from '../../../services/billing/plans/plans.actions.ts';
import { currentPlan, type Plan, plans } from '../../../services/billing/plans/plans.ts';
import { recordSold, requireSoldVersions, soldEntitlements } from '../../../services/billing/plans/sold-versions.ts';
import { actionsOf } from '../../support/actions-of.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';

const broker = new ServiceBroker({ logger: false, validator: false });
const pro = currentPlan('pro');
let database: OwnDatabase;

beforeAll(async () => {
  database = await connectOwnDatabase();
  broker.createService({ name: 'billing', actions: { ...actionsOf(billing, 'plans.', 'limits.') } });
  await broker.start();
});

afterAll(async () => {
  await broker.stop();
  await database.close();
});

beforeEach(async () => {
  await SoldVersionModel.deleteMany({});
});

const plansWith = (change: Partial<Plan>): Plan[] => plans.map((plan) => (plan === pro ? { ...pro, ...change } : plan));
const listPlans = (query: object = {}) =>
  broker.call<{ data: object[]; nextCursor: string | null }, object>('billing.plans.list', { query });
const recorded = () => SoldVersionModel.findById('pro@1').lean<SoldVersionDocument>();

describe('GET /v1/plans', () => {
  test('shows anybody the plans that are sold, the least first, with prices and what they include', async () => {
    const answer = await listPlans();
    expect(answer).toMatchObject({ data: [{ plan: 'free' }, { plan: 'pro' }, { plan: 'scale' }], nextCursor: null });
    expect(answer.data[1]).toEqual({
      plan: 'pro',
      version: 1,
      name: 'Pro',
      description: pro.description,
      prices: [
        { billingCycle: 'monthly', currency: 'eur', amount: pro.prices.monthly.eur },
        { billingCycle: 'monthly', currency: 'usd', amount: pro.prices.monthly.usd },
        { billingCycle: 'yearly', currency: 'eur', amount: pro.prices.yearly.eur },
        { billingCycle: 'yearly', currency: 'usd', amount: pro.prices.yearly.usd },
      ],
      taxBehavior: 'inclusive',
      entitlements: pro.entitlements,
      limits: limitsOfPlan('pro'),
    });
  });

  test('shows them in pages', async () => {
    const first = await listPlans({ limit: '2' });
    expect(first).toMatchObject({ data: [{ plan: 'free' }, { plan: 'pro' }], nextCursor: expect.any(String) });
    const second = await listPlans({ limit: '2', cursor: first.nextCursor ?? '' });
    expect(second).toMatchObject({ data: [{ plan: 'scale' }], nextCursor: null });
  });

  test.each([
    [{ limit: '0' }, 'INPUT_INVALID'],
    [{ limit: '101' }, 'INPUT_INVALID'],
    [{ plan: 'pro' }, 'INPUT_INVALID'],
    [{ cursor: 'mangled' }, 'CURSOR_INVALID'],
  ])('refuses %j', async (query, type) => {
    await expect(listPlans(query)).rejects.toMatchObject({ type });
  });
});

describe('a version that was sold', () => {
  test('is recorded once, as it was, however many sell it at once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => recordSold(pro)));
    expect(await SoldVersionModel.countDocuments({})).toBe(1);
    expect(await recorded()).toMatchObject({ entitlements: pro.entitlements, prices: pro.prices });
    expect(await soldEntitlements(pro)).toEqual(pro.entitlements);
    expect(await soldEntitlements({ name: 'pro', version: 7 })).toBeNull();
  });

  test('lets the service start with the same plans, and before anything is sold with any', async () => {
    await requireSoldVersions([]);
    await recordSold(pro);
    await requireSoldVersions();
  });

  test.each<[string, Plan[], string]>([
    ['gone', plans.filter((plan) => plan !== pro), 'pro@1 is gone'],
    [
      'lower',
      plansWith({ entitlements: { ...pro.entitlements, mail: { enabled: true, sendsPerMonth: 1 } } }),
      'pro@1 lowers mail.sendsPerMonth',
    ],
    [
      'another price',
      plansWith({ prices: { ...pro.prices, monthly: { ...pro.prices.monthly, usd: 1 } } }),
      'pro@1 changes its monthly price in usd',
    ],
  ])('keeps the service from starting when it is %s, and stays as it was', async (_name, changed, problem) => {
    await recordSold(pro);
    const starting = requireSoldVersions(changed);
    await expect(starting).rejects.toThrow(StartError);
    await expect(starting).rejects.toThrow(problem);
    expect(await recorded()).toMatchObject({ entitlements: pro.entitlements, prices: pro.prices });
  });

  test('promises what it was raised to, from the next start on', async () => {
    await recordSold(pro);
    const raised = plansWith({
      entitlements: { ...pro.entitlements, mail: { enabled: true, sendsPerMonth: 1_000_000 } },
    });
    await requireSoldVersions(raised);
    expect((await recorded())?.entitlements.mail).toEqual({ enabled: true, sendsPerMonth: 1_000_000 });
    await expect(requireSoldVersions()).rejects.toThrow('pro@1 lowers mail.sendsPerMonth');
  });
});
