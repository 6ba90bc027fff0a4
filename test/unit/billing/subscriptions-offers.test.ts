import { describe, expect, test } from '@jest/globals';
import { renderOffers } from '../../../services/billing/pages/offers.ts';
import type { Subscription } from '../../../services/billing/pages/subscription.ts';

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
    const offers = { orgId: 'org_1', plans: [], subscription: described, currency: 'eur', form: null } as const;
    const shown = String(renderOffers({ ...offers, plans: [], billingCycle: 'monthly' }));
    expect(shown).toMatch(first);
    expect(shown).toMatch(second);
  });
});
