import type { CheckoutBasis, CheckoutDocument } from '../../../../models/billing/checkout.ts';
import type { Subscription } from '../../../../models/billing/subscription.ts';
import { now } from '../../clock.ts';
import type { Asking } from '../../subscriptions/documents.ts';
import { readSubscription } from '../../subscriptions/subscriptions.ts';
import { isPaid, isRunning, termsOf } from '../../subscriptions/transition.ts';

/** What a price is reckoned from. */
export function basisOf(subscription: Subscription): CheckoutBasis {
  const { gatewaySubscriptionId } = subscription;
  const [running, paid] = [isRunning(subscription), isPaid(subscription)];
  return { ...termsOf(subscription), isRunning: running, isPaid: paid, gatewaySubscriptionId };
}

/** Whether what a checkout says is due still buys what it says. */
export async function isPriceRight(ctx: Asking, checkout: CheckoutDocument): Promise<boolean> {
  const { subscription } = await readSubscription(ctx, checkout.orgId);
  return isReckonedFrom(checkout, subscription);
}

/**
 * Whether what a checkout says is due was reckoned from the subscription as it is. What was paid has changed the
 * subscription itself, and paying it again is no news.
 */
export function isReckonedFrom(checkout: CheckoutDocument, subscription: Subscription): boolean {
  if (checkout.kind === 'change' || subscription.checkouts.includes(checkout._id)) return true;
  return checkout.kind === 'upgrade' ? isSameUpgrade(checkout, subscription) : isSamePurchase(checkout, subscription);
}

/**
 * What an upgrade costs is for the rest of a period of a subscription, less what is left of its plan: nothing else is had
 * for it once the period has ended, or the subscription is gone or has another plan.
 */
function isSameUpgrade(checkout: CheckoutDocument, subscription: Subscription): boolean {
  const { provider, gatewaySubscriptionId, until, from } = checkout;
  if (!isRunning(subscription) || subscription.provider !== provider) return false;
  if (subscription.gatewaySubscriptionId !== gatewaySubscriptionId) return false;
  if (until !== null && (until <= now() || until.getTime() !== subscription.currentPeriodEnd.getTime())) return false;
  return !from || areSame(from, basisOf(subscription));
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
