import type { Context } from 'moleculer';
import type { RequestMeta } from '../../../../lib/caller.ts';
import type { CheckoutDocument } from '../../../../models/billing/checkout.ts';
import type { Subscription } from '../../../../models/billing/subscription.ts';
import type { CheckoutCompleted } from '../../subscriptions/events.ts';
import { changeSubscription } from '../../subscriptions/subscriptions.ts';
import { recordChange } from '../apply-events.ts';
import { subscriptionIdFor } from '../subscription-id.ts';
import { completeCheckout } from './documents.ts';
import { isReckonedFrom } from './price-right.ts';

/** What happens to a subscription when a checkout is paid whose account the platform itself keeps. */
export function completionOf(checkout: CheckoutDocument): CheckoutCompleted {
  const { _id: checkoutId, terms, provider, currency, amount } = checkout;
  const gatewaySubscriptionId = checkout.gatewaySubscriptionId ?? subscriptionIdFor(checkoutId);
  const paid = { provider, gatewaySubscriptionId, collection: 'platform' as const, currency, amount, period: null };
  return { kind: 'checkoutCompleted', checkoutId, terms, ...paid };
}

/**
 * Has a checkout count that nobody but the platform has to be told of. Again, it is so already.
 *
 * @returns false when what is due was for what the organization has no more; then nothing has changed.
 */
export async function completeHere(ctx: Context<unknown, RequestMeta>, checkout: CheckoutDocument): Promise<boolean> {
  const { _id, orgId } = checkout;
  const former: { subscription?: Subscription } = {};
  const { subscription, isChanged } = await changeSubscription(ctx, orgId, (current) => {
    former.subscription = current;
    return isReckonedFrom(checkout, current) ? completionOf(checkout) : null;
  });
  if (!subscription.checkouts.includes(_id)) return false;
  if (isChanged && former.subscription) await recordChange(ctx, orgId, former.subscription, subscription);
  await completeCheckout(checkout);
  return true;
}
