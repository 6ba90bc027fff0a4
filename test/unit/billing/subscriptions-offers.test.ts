import { describe, expect, test } from '@jest/globals';
import { renderOffers } from '../../../services/billing/pages/offers.ts';
import { renderUsage, type Subscription } from '../../../services/billing/pages/subscription.ts';

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

describe('the usage on the page', () => {
  const periodEnd = '2031-01-01T00:00:00.000Z';

  test('has the meters that services declare by their names', () => {
    const calls = { meter: 'shop.callsPerDay', kind: 'day' as const, name: 'API calls', used: 3, limit: 10, periodEnd };
    const missing = { ...calls, meter: 'shop.keys', kind: 'month' as const, name: 'API keys', limit: null };
    const seats = { ...calls, meter: 'connect.agentSeats', kind: 'gauge' as const, name: null, periodEnd: null };
    const shown = String(renderUsage({ ...subscription, usage: [calls, missing, seats] }));
    for (const words of ['API calls today', '3 of 10', 'Not included: API keys this month.', 'Agent seats']) {
      expect(shown).toContain(words);
    }
  });
});
