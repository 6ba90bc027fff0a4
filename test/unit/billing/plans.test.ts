import { describe, expect, test } from '@jest/globals';
import { billingCycles, currencies, planNames } from '../../../models/billing/sold-version.ts';
import {
  currentPlan,
  directionOf,
  entitlementsOf,
  entitlementsOutput,
  findPlan,
  type Plan,
  plans,
  plansOnSale,
  priceOf,
} from '../../../services/billing/plans/plans.ts';
import { describeBreach } from '../../../services/billing/plans/sold-versions.ts';

const pro = currentPlan('pro');
const sold = { _id: 'pro@1', entitlements: pro.entitlements, prices: pro.prices };
const withGroup = (group: object): Plan => ({ ...pro, entitlements: { ...pro.entitlements, ...group } });

describe('the plans', () => {
  test('are each version once, in whole minor units and in the shape of the API', () => {
    const ids = plans.map(({ name, version }) => `${name}@${version}`);
    expect(new Set(ids).size).toBe(ids.length);
    for (const plan of plans) {
      expect(entitlementsOutput.parse(entitlementsOf(plan))).toEqual(plan.entitlements);
      const amounts = billingCycles.flatMap((cycle) => currencies.map((currency) => plan.prices[cycle][currency]));
      expect(amounts.every((amount) => Number.isSafeInteger(amount) && amount >= 0)).toBe(true);
    }
  });

  test('that are sold are the newest of each, the least first, and each includes what the one before does', () => {
    const onSale = plansOnSale();
    expect(onSale.map(({ name }) => name)).toEqual([...planNames]);
    for (const [place, plan] of onSale.entries()) {
      expect(plans.filter(({ name, version }) => name === plan.name && version > plan.version)).toEqual([]);
      const less = onSale[place - 1];
      if (less) expect(describeBreach({ ...less, _id: 'less' }, { ...plan, prices: less.prices })).toEqual([]);
    }
  });

  test('that are free cost nothing in any currency', () => {
    for (const billingCycle of billingCycles) {
      for (const currency of currencies) expect(priceOf({ plan: 'free', version: 1, billingCycle }, currency)).toBe(0);
    }
  });

  test('are found by name and version', () => {
    expect(findPlan('pro', 1)).toBe(plans.find(({ name, version }) => name === 'pro' && version === 1));
    expect(findPlan('pro', 99)).toBeUndefined();
    expect(() => priceOf({ plan: 'pro', version: 99, billingCycle: 'monthly' }, 'eur')).toThrow('pro@99');
  });

  test('give a group that is not included without limits', () => {
    expect(entitlementsOf(currentPlan('free')).intelligence).toEqual({ enabled: false });
  });

  test('give entitlements that are nobody else’s', () => {
    const mine = entitlementsOf(pro);
    if (mine.connect.enabled) mine.connect.channels.push('smoke-signals');
    expect(entitlementsOf(pro).connect).not.toEqual(mine.connect);
  });
});

describe('a change of plan', () => {
  const terms = (plan: Plan['name'], billingCycle: 'monthly' | 'yearly') => ({ plan, billingCycle });

  test.each([
    [terms('free', 'monthly'), terms('pro', 'monthly'), 'upgrade'],
    [terms('pro', 'yearly'), terms('scale', 'monthly'), 'upgrade'],
    [terms('pro', 'monthly'), terms('pro', 'yearly'), 'upgrade'],
    [terms('pro', 'monthly'), terms('pro', 'monthly'), 'same'],
    [terms('free', 'monthly'), terms('free', 'yearly'), 'same'],
    [terms('pro', 'yearly'), terms('pro', 'monthly'), 'downgrade'],
    [terms('scale', 'monthly'), terms('pro', 'yearly'), 'downgrade'],
    [terms('pro', 'monthly'), terms('free', 'monthly'), 'downgrade'],
  ] as const)('from %j to %j is: %s', (from, to, direction) => {
    expect(directionOf(from, to)).toBe(direction);
  });
});

describe('a version that was sold', () => {
  test('is kept by the same, by more, and by what costs nothing else', () => {
    const more = withGroup({
      context: { enabled: true, eventsPerDay: 1_000_000, contextRetentionDays: 365 },
      connect: { enabled: true, channels: ['web', 'phone', 'chatapp', 'socialapp'], agentSeats: 5 },
      pulse: { enabled: true },
    });
    expect(describeBreach(sold, pro)).toEqual([]);
    expect(describeBreach(sold, more)).toEqual([]);
  });

  test.each<[string, Plan | undefined, string[]]>([
    ['that is gone', undefined, ['pro@1 is gone']],
    [
      'with a lower limit',
      withGroup({ mail: { enabled: true, sendsPerMonth: 49_999 } }),
      ['pro@1 lowers mail.sendsPerMonth'],
    ],
    ['without a limit it had', withGroup({ mail: { enabled: true } }), ['pro@1 lowers mail.sendsPerMonth']],
    ['without a group', withGroup({ intelligence: { enabled: false } }), ['pro@1 lowers intelligence']],
    [
      'without a channel',
      withGroup({ connect: { enabled: true, channels: ['web', 'chatapp', 'phone'], agentSeats: 9 } }),
      ['pro@1 lowers connect.channels'],
    ],
    [
      'at another price, also a lower one',
      { ...pro, prices: { ...pro.prices, yearly: { eur: 1, usd: pro.prices.yearly.usd } } },
      ['pro@1 changes its yearly price in eur'],
    ],
  ])('is broken by a plan %s', (_name, plan, breach) => {
    expect(describeBreach(sold, plan)).toEqual(breach);
  });

  test('tells all that is broken', () => {
    const broken = withGroup({ content: { enabled: false }, storage: { enabled: true, storageGb: 1 } });
    expect(describeBreach(sold, broken)).toEqual([
      'pro@1 lowers storage.storageGb',
      'pro@1 lowers storage.bandwidthGbPerMonth',
      'pro@1 lowers content',
    ]);
  });
});
