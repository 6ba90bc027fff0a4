import type { CheckoutDocument } from '../../../../models/billing/checkout.ts';
import { now } from '../../clock.ts';
import type { Asking } from '../../subscriptions/documents.ts';
import { readSubscription } from '../../subscriptions/subscriptions.ts';
import { isRunning } from '../../subscriptions/transition.ts';

/**
 * Whether what a checkout says is due still buys what it says. What an upgrade costs is for the rest of a period of a
 * subscription, and nothing else is had for it once the period has ended or the subscription is gone.
 */
export async function isPriceRight(ctx: Asking, checkout: CheckoutDocument): Promise<boolean> {
  const { orgId, kind, provider, gatewaySubscriptionId, until } = checkout;
  if (kind !== 'upgrade') return true;
  if (until !== null && until <= now()) return false;
  const { subscription } = await readSubscription(ctx, orgId);
  const isSame = subscription.provider === provider && subscription.gatewaySubscriptionId === gatewaySubscriptionId;
  return isSame && isRunning(subscription);
}
