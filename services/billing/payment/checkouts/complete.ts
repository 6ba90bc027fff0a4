import type { Ctx } from '../../../../lib/caller.ts';
import type { CheckoutDocument } from '../../../../models/billing/checkout.ts';
import type { CheckoutCompleted } from '../../subscriptions/events.ts';
import { changeSubscription } from '../../subscriptions/subscriptions.ts';
import { recordChange } from '../apply-events.ts';
import { subscriptionIdFor } from '../subscription-id.ts';
import { completeCheckout } from './documents.ts';
import { isQuotedFrom } from './price-right.ts';

/** The event of a paid checkout whose account the platform itself keeps. */
export function completionOf(checkout: CheckoutDocument): CheckoutCompleted {
  const { _id: checkoutId, terms, provider, currency, amount } = checkout;
  const gatewaySubscriptionId = checkout.gatewaySubscriptionId ?? subscriptionIdFor(checkoutId);
  const paid = { provider, gatewaySubscriptionId, collection: 'platform' as const, currency, amount, period: null };
  return { kind: 'checkoutCompleted', checkoutId, terms, ...paid };
}

/**
 * `had`: the checkout counts, now or since before. `changed`: the subscription that the price was computed from has
 * changed, and nothing was applied. `gone`: the organization is deleted, and the payment is to be refunded.
 */
export type Completion = 'had' | 'changed' | 'gone';

/** Completes a checkout that needs no provider call. */
export async function completeWithoutProvider(ctx: Ctx, checkout: CheckoutDocument): Promise<Completion> {
  const { _id, orgId } = checkout;
  const changed = await changeSubscription(ctx, orgId, (current) =>
    isQuotedFrom(checkout, current) ? completionOf(checkout) : null,
  );
  const { subscription } = changed;
  if (subscription.status === 'canceled') return 'gone';
  if (!subscription.checkouts.includes(_id)) return 'changed';
  await recordChange(ctx, orgId, changed);
  await completeCheckout(checkout);
  return 'had';
}
