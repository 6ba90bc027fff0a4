import type { Currency, Terms } from '../../../models/billing/sold-version.ts';
import type { Period, Subscription } from '../../../models/billing/subscription.ts';
import { priceOf } from '../plans/plans.ts';
import { endOf, isPaid, later } from './transition.ts';

/** A purchase: the terms, the provider and the currency. */
export type Purchase = { terms: Terms; provider: string; currency: Currency };

/**
 * The price of an upgrade now, in minor units, tax included: for the rest of the period if the cycle stays, otherwise
 * for a new period less the credit of the paid one. Fractions of a minor unit are not charged.
 */
export function upgradeAmount(subscription: Subscription, purchase: Purchase, at: Date): number {
  const price = priceIn(purchase.currency, purchase.terms);
  const { left, whole, worth } = creditOf(subscription, purchase, at);
  const charge = price * (keepsPeriod(subscription, purchase, at) ? left : whole);
  return charge > worth ? Number((charge - worth) / whole) : 0;
}

/** Whether the purchase continues the paid period. A credit above the price begins a new, longer period instead. */
export function keepsPeriod(subscription: Subscription, { terms, provider, currency }: Purchase, at: Date): boolean {
  return (
    isSetOff(subscription, provider) &&
    subscription.currency === currency &&
    subscription.billingCycle === terms.billingCycle &&
    at < subscription.currentPeriodEnd &&
    priceIn(currency, terms) >= priceIn(currency, subscription)
  );
}

/**
 * The period that begins with a purchase. The credit and the payment beyond the price lengthen it. In whole
 * milliseconds, rounded up.
 */
export function lengthen(
  { start, end }: Period,
  subscription: Subscription,
  purchase: Purchase & { amount: number },
  at: Date,
): Period {
  const price = priceIn(purchase.currency, purchase.terms);
  const { whole, worth } = creditOf(subscription, purchase, at);
  const surplus = (BigInt(purchase.amount) - price) * whole + worth;
  if (surplus <= 0n || price === 0n) return { start, end };
  const [more, per] = [surplus * span(start, end), price * whole];
  return { start, end: later(end, Number((more + per - 1n) / per)) };
}

/** The end of the current period without a credit's lengthening. A provider that renews by itself reports it. */
export function ordinaryEnd(subscription: Subscription): Date {
  const { collection, currentPeriodStart, currentPeriodEnd, billingCycle, anchorDay } = subscription;
  return collection === 'provider' ? currentPeriodEnd : endOf(currentPeriodStart, billingCycle, anchorDay);
}

/**
 * The credit of the paid period in the currency of the purchase. `left` is its remaining time, `whole` the time that the
 * plan's price pays for. `worth` is in minor units times `whole`: integers, so that nothing is rounded before it becomes
 * an amount or a time.
 */
type Credit = { left: bigint; whole: bigint; worth: bigint };

function creditOf(subscription: Subscription, { provider, currency }: Purchase, at: Date): Credit {
  if (!isSetOff(subscription, provider)) return { left: 0n, whole: 1n, worth: 0n };
  const { currentPeriodStart: start, currentPeriodEnd: end } = subscription;
  const remaining = at < end ? span(at > start ? at : start, end) : 0n;
  return {
    left: remaining,
    whole: span(start, ordinaryEnd(subscription)),
    worth: priceIn(currency, subscription) * remaining,
  };
}

/** A payment to one provider is not credited by another. */
function isSetOff(subscription: Subscription, provider: string): boolean {
  return subscription.provider === provider && subscription.status === 'active' && isPaid(subscription);
}

function priceIn(currency: Currency, terms: Terms): bigint {
  return BigInt(priceOf(terms, currency));
}

function span(from: Date, to: Date): bigint {
  return BigInt(to.getTime() - from.getTime());
}
