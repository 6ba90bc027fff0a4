import type { Currency, Terms } from '../../../models/billing/sold-version.ts';
import type { Period, Subscription } from '../../../models/billing/subscription.ts';
import { priceOf } from '../plans/plans.ts';
import { endOf } from './periods.ts';
import { isPaid, later } from './transition.ts';

/** What is bought, by which provider and in which currency. */
export type Purchase = { terms: Terms; provider: string; currency: Currency };

/**
 * What an upgrade costs now, in minor units, tax included: for the rest of the period where the cycle stays, else a new
 * period less what is left of the paid one. What is less than a minor unit is not charged.
 */
export function upgradeAmount(subscription: Subscription, purchase: Purchase, at: Date): number {
  const price = priceIn(purchase.currency, purchase.terms);
  const { left, whole, worth } = creditOf(subscription, purchase, at);
  const charge = price * (keepsPeriod(subscription, purchase, at) ? left : whole);
  return charge > worth ? Number((charge - worth) / whole) : 0;
}

/** Whether the paid period goes on with what is bought. What costs less is had for longer instead: in a new one. */
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
 * A period that begins with a purchase: longer than its price buys by what was paid beyond that, together with what was
 * left of the former one. In whole milliseconds, of which a begun one counts.
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

/** Where the current period would end, had nothing lengthened it. A provider that renews by itself says where. */
export function ordinaryEnd(subscription: Subscription): Date {
  const { collection, currentPeriodStart, currentPeriodEnd, billingCycle, anchorDay } = subscription;
  return collection === 'provider' ? currentPeriodEnd : endOf(currentPeriodStart, billingCycle, anchorDay);
}

/**
 * What is left of the paid period, as time of which `whole` has the plan's price, in the currency of what is bought.
 * `worth` is in minor units times `whole`: integers, so that nothing is rounded before it is due, or is time.
 */
type Credit = { left: bigint; whole: bigint; worth: bigint };

function creditOf(subscription: Subscription, { provider, currency }: Purchase, at: Date): Credit {
  if (!isSetOff(subscription, provider)) return { left: 0n, whole: 1n, worth: 0n };
  const { currentPeriodStart: start, currentPeriodEnd: end } = subscription;
  const left = at < end ? span(at > start ? at : start, end) : 0n;
  return { left, whole: span(start, ordinaryEnd(subscription)), worth: priceIn(currency, subscription) * left };
}

/** What was paid to one provider is not set off by another. */
function isSetOff(subscription: Subscription, provider: string): boolean {
  return subscription.provider === provider && subscription.status === 'active' && isPaid(subscription);
}

function priceIn(currency: Currency, terms: Terms): bigint {
  return BigInt(priceOf(terms, currency));
}

function span(from: Date, to: Date): bigint {
  return BigInt(to.getTime() - from.getTime());
}
