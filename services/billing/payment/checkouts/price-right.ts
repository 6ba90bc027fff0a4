import type { CheckoutBasis, CheckoutDocument } from '../../../../models/billing/checkout.ts';
import type { Subscription } from '../../../../models/billing/subscription.ts';
import { now } from '../../clock.ts';
import type { CallContext } from '../../subscriptions/documents.ts';
import { readSubscription } from '../../subscriptions/subscriptions.ts';
import { isPaid, isRunning, termsOf } from '../../subscriptions/transition.ts';

/** The part of a subscription that a price is computed from. */
export function quoteBasis(subscription: Subscription): CheckoutBasis {
  const { gatewaySubscriptionId } = subscription;
  const [running, paid] = [isRunning(subscription), isPaid(subscription)];
  return { ...termsOf(subscription), isRunning: running, isPaid: paid, gatewaySubscriptionId };
}

/** Whether the amount of a checkout is still right. */
export async function isQuoteCurrent(ctx: CallContext, checkout: CheckoutDocument): Promise<boolean> {
  const { subscription } = await readSubscription(ctx, checkout.orgId);
  return isQuotedFrom(checkout, subscription);
}

/**
 * Whether the amount of a checkout was computed from the present subscription. A checkout that was paid has itself
 * changed the subscription, and stays right.
 */
export function isQuotedFrom(checkout: CheckoutDocument, subscription: Subscription): boolean {
  if (checkout.kind === 'change' || subscription.checkouts.includes(checkout._id)) return true;
  return checkout.kind === 'upgrade' ? isSameUpgrade(checkout, subscription) : isSamePurchase(checkout, subscription);
}

/**
 * The price of an upgrade is for the rest of a period, less the credit of the present plan. It is wrong once the period
 * has ended, or the subscription has ended or has another plan.
 */
function isSameUpgrade(checkout: CheckoutDocument, subscription: Subscription): boolean {
  const { provider, gatewaySubscriptionId, until, from } = checkout;
  if (!isRunning(subscription) || subscription.provider !== provider) return false;
  if (subscription.gatewaySubscriptionId !== gatewaySubscriptionId) return false;
  if (until !== null && (until <= now() || until.getTime() !== subscription.currentPeriodEnd.getTime())) return false;
  return !from || areSame(from, quoteBasis(subscription));
}

/**
 * Refuses a second payment: false when a subscription runs by now that did not run, or was another one, at the quote.
 */
function isSamePurchase({ from }: CheckoutDocument, subscription: Subscription): boolean {
  if (!from || !isRunning(subscription) || subscription.provider === null) return true;
  return from.isRunning && from.gatewaySubscriptionId === subscription.gatewaySubscriptionId;
}

function areSame(one: CheckoutBasis, other: CheckoutBasis): boolean {
  return (['plan', 'version', 'billingCycle', 'isPaid'] as const).every((name) => one[name] === other[name]);
}
