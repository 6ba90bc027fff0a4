import type { Currency, Terms } from '../../../models/billing/sold-version.ts';
import type { Effect, Period, Subscription } from '../../../models/billing/subscription.ts';
import { directionOf, priceOf } from '../plans/plans.ts';
import type { CheckoutCompleted } from './events.ts';
import { endOf } from './periods.ts';
import {
  changed,
  endings,
  isPaid,
  owes,
  periodOf,
  providerOf,
  remember,
  type Transition,
  termsOf,
  unchanged,
} from './transition.ts';

/** The plan that was bought counts at once: in the paid period where the cycle stays, else in a new one from now on. */
export function completeCheckout(subscription: Subscription, event: CheckoutCompleted, at: Date): Transition {
  const { checkoutId, provider, gatewaySubscriptionId, collection, currency } = event;
  if (subscription.checkouts.includes(checkoutId)) return unchanged(subscription);
  const period = periodBought(subscription, event, at);
  const changes = {
    ...event.terms,
    status: 'active' as const,
    provider,
    gatewaySubscriptionId,
    collection,
    currency,
    currentPeriodStart: period.start,
    currentPeriodEnd: period.end,
    anchorDay: anchorOf(subscription, event, period, at),
    paidUntil: period.end,
    invoicedUntil: period.end,
    cancelAtPeriodEnd: false,
    cancelReason: null,
    scheduled: null,
    deadline: null,
    checkouts: remember(subscription.checkouts, checkoutId),
    endedIds: remember(
      subscription.endedIds,
      isReplaced(subscription, event) ? subscription.gatewaySubscriptionId : null,
    ),
  };
  return changed(subscription, changes, at, [
    ...settling(subscription, event),
    ...invoicing(subscription, event, period),
  ]);
}

/**
 * What an upgrade costs now, in minor units before taxes: for the rest of the period where the cycle stays, else a new
 * period less what is left of the paid one.
 */
export function upgradeAmount(subscription: Subscription, purchase: Purchase, at: Date): number {
  const { terms, currency } = purchase;
  const price = priceOf(terms, currency);
  if (subscription.currency !== currency || subscription.status !== 'active' || !isPaid(subscription)) return price;
  const left = shareLeft(periodOf(subscription), at);
  const credit = priceOf(subscription, currency) * left;
  const charge = keepsPeriod(subscription, purchase, at) ? price * left : price;
  return Math.max(0, Math.round(charge - credit));
}

/** What is bought, by which provider and in which currency. */
export type Purchase = { terms: Terms; provider: string; currency: Currency };

function shareLeft({ start, end }: Period, at: Date): number {
  const share = (end.getTime() - at.getTime()) / (end.getTime() - start.getTime());
  return Math.min(1, Math.max(0, share));
}

function periodBought(subscription: Subscription, event: CheckoutCompleted, at: Date): Period {
  if (event.period) return event.period;
  if (keepsPeriod(subscription, event, at)) return periodOf(subscription);
  return { start: at, end: endOf(at, event.terms.billingCycle, at.getUTCDate()) };
}

function keepsPeriod(subscription: Subscription, { terms, provider, currency }: Purchase, at: Date): boolean {
  return (
    subscription.provider === provider &&
    subscription.currency === currency &&
    subscription.billingCycle === terms.billingCycle &&
    subscription.status === 'active' &&
    isPaid(subscription) &&
    at < subscription.currentPeriodEnd
  );
}

/** A period that goes on keeps its day, also where it began earlier in a short month; a new one has the day it begins on. */
function anchorOf(subscription: Subscription, event: CheckoutCompleted, { start }: Period, at: Date): number {
  const isSame = subscription.provider !== null && start.getTime() === subscription.currentPeriodStart.getTime();
  const goesOn = event.period ? isSame : keepsPeriod(subscription, event, at);
  return goesOn ? subscription.anchorDay : start.getUTCDate();
}

function isReplaced({ gatewaySubscriptionId }: Subscription, event: CheckoutCompleted): boolean {
  return gatewaySubscriptionId !== null && gatewaySubscriptionId !== event.gatewaySubscriptionId;
}

/** Nobody pays twice: another subscription of the provider's ends, and what was left unpaid is no longer asked for. */
function settling(subscription: Subscription, event: CheckoutCompleted): Effect[] {
  const names = providerOf(subscription);
  if (!names) return [];
  if (isReplaced(subscription, event)) return endings(subscription, 'void');
  return owes(subscription) ? [{ kind: 'giveUpInvoices', ...names, status: 'void' }] : [];
}

/** What was bought, unless its payment was told of before the checkout was. */
function invoicing(subscription: Subscription, event: CheckoutCompleted, period: Period): Effect[] {
  const { provider, gatewaySubscriptionId, terms, amount, currency } = event;
  const isSame = !isReplaced(subscription, event) && directionOf(subscription, terms) === 'same';
  const { paidUntil, invoicedUntil } = subscription;
  if (isSame && paidUntil !== null && paidUntil >= period.end) return [];
  const isUpgrade = invoicedUntil !== null;
  return [
    {
      kind: 'issueInvoice',
      provider,
      gatewaySubscriptionId,
      reason: isUpgrade ? 'upgraded' : 'subscribed',
      terms,
      formerTerms: isUpgrade ? termsOf(subscription) : null,
      period,
      amount,
      currency,
      isPaid: true,
    },
  ];
}
