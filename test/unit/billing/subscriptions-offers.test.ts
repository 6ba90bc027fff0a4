import { describe, expect, test } from '@jest/globals';
import { renderOffers } from '../../../services/billing/pages/offers.ts';
import type { Subscription } from '../../../services/billing/pages/subscription.ts';
import { renderNearLimit, renderUsage, type Usage } from '../../../services/billing/pages/usage.ts';

const subscription: Subscription = {
  plan: 'pro',
  title: 'Pro',
  billingCycle: 'yearly',
  status: 'active',
  currency: 'eur',
  price: 49_000,
  currentPeriodEnd: '2031-01-01T00:00:00.000Z',
  credit: 'time',
  cancelAtPeriodEnd: false,
  endsAt: null,
  scheduled: null,
  deadline: null,
  usage: [],
  arePaymentsEnabled: true,
  changes: [],
};

describe('the offers of the console', () => {
  const takenOff = /We credit what is left of your current period\./;

  test.each<[Subscription['credit'], RegExp, RegExp]>([
    ['time', takenOff, /more than the price, the new period is longer\./],
    ['provider', takenOff, /current period\. Downgrades take effect/],
    ['none', /are paid in full\./, /is not\s+deducted, because it was paid in another way\./],
    [null, takenOff, /current period\. Downgrades take effect/],
  ])('say what more costs where the credit is %s', (credit, first, second) => {
    const described = { ...subscription, credit };
    const offers = {
      path: '/console/acme/usage',
      plans: [],
      subscription: described,
      currency: 'eur',
      form: null,
    } as const;
    const shown = String(renderOffers({ ...offers, plans: [], billingCycle: 'monthly' }));
    expect(shown).toMatch(first);
    expect(shown).toMatch(second);
  });
});

const periodEnd = '2031-01-01T00:00:00.000Z';
const events: Usage = { meter: 'context.eventsPerDay', kind: 'day', name: null, used: 0, limit: 1000, periodEnd };
const seats: Usage = { ...events, meter: 'connect.agentSeats', kind: 'gauge', limit: 5, periodEnd: null };
const storage: Usage = { ...seats, meter: 'storage.storageGb', limit: 2000 };

describe('the usage on the page', () => {
  test('has the meters that services declare by their names', () => {
    const calls = { meter: 'shop.callsPerDay', kind: 'day' as const, name: 'API calls', used: 3, limit: 10, periodEnd };
    const missing = { ...calls, meter: 'shop.keys', kind: 'month' as const, name: 'API keys', limit: null };
    const shown = String(renderUsage({ ...subscription, usage: [calls, missing, seats] }));
    for (const words of ['API calls today', '<b>3</b> of 10', 'Not included: API keys this month.', 'Agent seats']) {
      expect(shown).toContain(words);
    }
  });

  test('has what is limited in GB as sizes', () => {
    const traffic: Usage = { ...events, meter: 'storage.bandwidthGbPerMonth', kind: 'month', used: 96.04, limit: 250 };
    const shown = String(renderUsage({ ...subscription, usage: [{ ...storage, used: 0.000_003_18 }, traffic] }));
    for (const words of ['<b>3.18 KB</b> of 2 TB', '<b>96 GB</b> of 250 GB']) {
      expect(shown).toContain(words);
    }
  });
});

describe('the banner of a limit that is near', () => {
  const words = (usage: Usage[], plans: string | null = null) =>
    String(renderNearLimit({ ...subscription, usage }, plans) ?? '')
      .replace(/<svg.*<\/svg>/, '')
      .replace(/<\/?(?:p|b|div|time)\b(?! class)[^>]*>/g, '');
  const warn = '<div class="banner warn">';
  const bad = '<div class="banner bad">';
  const beyond = 'Requests beyond the limit are refused';
  const until = 'until 1 January 2031 at 00:00 UTC';

  test.each<[string, Usage[], string]>([
    [
      'a limit of which less than 75 % is used',
      [
        { ...events, used: 749 },
        { ...seats, used: 3 },
      ],
      '',
    ],
    ['a day', [{ ...events, used: 750 }], `${warn}75% of events today are used. ${beyond} ${until}.`],
    ['almost all of it', [{ ...events, used: 999 }], `${warn}99% of events today are used. ${beyond} ${until}.`],
    ['all of it', [{ ...events, used: 1000 }], `${bad}100% of events today are used. More are refused ${until}.`],
    [
      'more than all of it',
      [{ ...events, used: 1200 }],
      `${bad}100% of events today are used. More are refused ${until}.`,
    ],
    ['seats', [{ ...seats, used: 4 }], `${warn}80% of agent seats are used. ${beyond}.`],
    ['storage', [{ ...storage, used: 1840 }], `${warn}92% of storage is used. ${beyond}.`],
    ['all storage', [{ ...storage, used: 2000 }], `${bad}100% of storage is used. More is refused.`],
    [
      'the nearest of several limits',
      [
        { ...events, used: 800 },
        { ...storage, used: 1840 },
        { ...seats, used: 4 },
      ],
      `${warn}92% of storage is used. ${beyond}.`,
    ],
    [
      'what a plan does not include',
      [
        { ...events, limit: 0 },
        { ...seats, limit: null, used: 4 },
      ],
      '',
    ],
  ])('says how much is used of %s', (_name, usage, shown) => {
    expect(words(usage)).toBe(shown);
  });

  test('leads to the plans those who may change the plan', () => {
    const shown = words([{ ...events, used: 900 }], '#plans');
    expect(shown).toMatch(/<a class="btn sm" href="#plans">See plans<\/a>$/);
  });

  test('is none for an expired plan', () => {
    const expired = { ...subscription, status: 'expired' as const, usage: [{ ...events, used: 1000 }] };
    expect(renderNearLimit(expired, '#plans')).toBeNull();
  });
});
