import type { CallContext } from '../../../lib/contract/context.ts';
import { apiError, inputError } from '../../../lib/contract/errors.ts';
import type { CheckoutBasis, CheckoutDocument } from '../../../models/billing/checkout.ts';
import type { BillingCycle, Currency, PlanName, Terms } from '../../../models/billing/sold-version.ts';
import type { Subscription } from '../../../models/billing/subscription.ts';
import { now } from '../clock.ts';
import { currentPlan, directionOf, priceOf } from '../plans/plans.ts';
import { upgradeAmount } from '../subscriptions/proration.ts';
import { readSubscription } from '../subscriptions/subscriptions.ts';
import { isPaid, isRunning, termsOf } from '../subscriptions/transition.ts';

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

/** The plan that a caller requests for their organization. */
export type QuoteRequest = { plan: PlanName; billingCycle: BillingCycle; currency?: Currency | undefined };

/** The effect of a request on the present subscription, and its price. */
export type Quote = Pick<
  CheckoutDocument,
  'kind' | 'provider' | 'terms' | 'currency' | 'amount' | 'gatewaySubscriptionId' | 'until'
>;

const defaultCurrency: Currency = 'eur';

/**
 * Quotes a request. An upgrade is paid for now, a downgrade counts from the next period on, and an unpaid period is
 * charged again.
 *
 * @param provider the provider that collects new payments
 * @throws CONFLICT the request is for another plan while the provider has an open invoice of the present one;
 *   PLAN_IS_CURRENT the organization has that plan, or will have it at the end of the period; INPUT_INVALID the
 *   currency differs from the currency of the continuing subscription.
 */
export function quoteFor(subscription: Subscription, request: QuoteRequest, provider: string, at: Date): Quote {
  const currency = request.currency ?? subscription.currency ?? defaultCurrency;
  const terms = requestedTerms(subscription, request);
  const purchase = { kind: 'purchase' as const, provider, terms, currency, gatewaySubscriptionId: null, until: null };
  if (isOverdueAt(subscription, provider)) return payOverdue(subscription, purchase);
  if (!isRunning(subscription)) return { ...purchase, amount: priceOf(terms, currency) };
  const direction = directionOf(subscription, terms);
  if (direction === 'same') return keep(subscription, request);
  // A plan that was given has no subscription at a provider to change.
  if (subscription.provider === null) return { ...purchase, amount: priceOf(terms, currency) };
  if (direction === 'downgrade') return changeLater(subscription, request, terms);
  // A payment to one provider is not credited by another.
  if (subscription.provider !== provider || !canHaveCurrency(subscription, currency)) {
    return { ...purchase, amount: priceOf(terms, currency) };
  }
  const amount = upgradeAmount(subscription, { terms, provider, currency }, at);
  const { gatewaySubscriptionId, currentPeriodEnd } = subscription;
  // The price is for the rest of this period, and would otherwise buy the next one.
  return { ...purchase, kind: 'upgrade', amount, gatewaySubscriptionId, until: currentPeriodEnd };
}

/** Whether the provider, which renews by itself, has an open invoice of a period that has begun. */
function isOverdueAt({ status, collection, provider: name }: Subscription, provider: string): boolean {
  return status === 'past_due' && collection === 'provider' && name === provider;
}

/** A new subscription would begin a new period; the open invoice is for the one that has begun. */
function payOverdue(subscription: Subscription, purchase: Omit<Quote, 'amount'>): Quote {
  const { terms, currency } = purchase;
  if (!isSame(subscription, terms) || subscription.currency !== currency) {
    const message =
      'A payment for the present plan is overdue. Pay it by a checkout for the same plan, then change the plan.';
    throw apiError('CONFLICT', { message });
  }
  return {
    ...purchase,
    gatewaySubscriptionId: subscription.gatewaySubscriptionId,
    amount: priceOf(terms, currency),
  };
}

/** A provider that renews by itself does so in one currency. */
function canHaveCurrency({ collection, currency }: Subscription, requested: Currency): boolean {
  return collection === 'platform' || currency === requested;
}

/** A customer who keeps the plan keeps its version. */
function requestedTerms(subscription: Subscription, { plan, billingCycle }: QuoteRequest): Terms {
  const version = plan === subscription.plan ? subscription.version : currentPlan(plan).version;
  return { plan, version, billingCycle };
}

/** Quotes a request for the present plan, which revokes a scheduled change. */
function keep(subscription: Subscription, request: QuoteRequest): Quote {
  if (subscription.scheduled && subscription.provider !== null) {
    return changeLater(subscription, request, termsOf(subscription));
  }
  if (!subscription.cancelAtPeriodEnd) throw apiError('PLAN_IS_CURRENT');
  throw apiError('PLAN_IS_CURRENT', {
    message: 'The organization has this plan until the end of the period: resume the subscription to keep it.',
  });
}

function changeLater(subscription: Subscription, request: QuoteRequest, terms: Terms): Quote {
  const { provider, currency, scheduled, gatewaySubscriptionId } = subscription;
  if (!provider || !currency) throw new Error('A free subscription cannot be downgraded.');
  if (request.currency !== undefined && request.currency !== currency) {
    const message = `The subscription continues in ${currency}. The currency can only change with a payment now.`;
    throw inputError([{ path: 'body.currency', message }]);
  }
  if (scheduled && isSame(scheduled, terms)) {
    throw apiError('PLAN_IS_CURRENT', { message: 'The organization will have this plan when the period ends.' });
  }
  return { kind: 'change', provider, terms, currency, amount: 0, gatewaySubscriptionId, until: null };
}

function isSame(one: Terms, other: Terms): boolean {
  return one.plan === other.plan && one.version === other.version && one.billingCycle === other.billingCycle;
}
