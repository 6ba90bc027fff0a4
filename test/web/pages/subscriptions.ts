import { day, fromNow, now } from '../../../lib/data/clock.ts';
import type { Subscription } from '../../../models/billing/subscription.ts';
import { complimentarySubscription } from '../../../services/billing/subscriptions/transition.ts';
import { storeSubscription } from '../../support/plans.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { databaseUrlOf } from '../../support/tenants.ts';

/**
 * Has an organization of the shared platform subscribe to Pro, ten days ago and paid until in twenty, monthly and in EUR
 * at the test provider, but for what is given. Nobody is to have asked for its subscription before.
 */
export async function subscribe(orgId: string, changes: Partial<Subscription> = {}): Promise<Subscription> {
  const currentPeriodStart = fromNow(-10 * day);
  const currentPeriodEnd = fromNow(20 * day);
  const subscription: Subscription = {
    ...complimentarySubscription('pro', now()),
    provider: 'test',
    gatewaySubscriptionId: `sub_of_${orgId}`,
    collection: 'platform',
    currency: 'eur',
    currentPeriodStart,
    currentPeriodEnd,
    anchorDay: currentPeriodStart.getUTCDate(),
    paidUntil: currentPeriodEnd,
    invoicedUntil: currentPeriodEnd,
    ...changes,
  };
  const databaseUrl = await databaseUrlOf(await sharedPlatform());
  await storeSubscription(databaseUrl, orgId, subscription, subscription.deadline ?? currentPeriodEnd);
  return subscription;
}
