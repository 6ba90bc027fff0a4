import type { Effect, Period, Subscription } from '../../../models/billing/subscription.ts';
import { directionOf } from '../plans/plans.ts';
import type { CheckoutCompleted } from './events.ts';
import { endOf } from './periods.ts';
import { keepsPeriod, lengthen } from './proration.ts';
import {
  changed,
  endings,
  later,
  owes,
  periodOf,
  providerOf,
  remember,
  type Transition,
  termsOf,
  unchanged,
  unpaidSince,
  unpaidUseAt,
} from './transition.ts';

/** Applies the purchased plan immediately: in the paid period if the cycle stays, otherwise in a new period. */
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
    unpaidUse: null,
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
 * The period after a purchase. Unpaid use is a part of it: while a payment is overdue it begins when the unpaid period
 * began. The quoted price holds, however long the payer took: it buys the rest of the present period if that continues,
 * otherwise a whole new one. The credit of the previous period is computed as of now, because the plan was used until
 * now; where credit and payment exceed the price, the new period is longer. So it is never shorter than quoted, and
 * never worth more than the payment and the credit at the time of the quote.
 */
function periodBought(subscription: Subscription, event: CheckoutCompleted, at: Date): Period {
  if (event.period) return event.period;
  if (goesOn(subscription, event, at)) return periodOf(subscription);
  const start = unpaidStart(subscription, at);
  const ordinary = { start, end: endOf(start, event.terms.billingCycle, anchorOf(subscription, event, { start }, at)) };
  return lengthen(ordinary, subscription, event, at);
}

/** Now, or earlier by the unpaid use. */
function unpaidStart(subscription: Subscription, at: Date): Date {
  return later(at, -(unpaidUseAt(subscription, at)?.milliseconds ?? 0));
}

/** Whether the period continues. The payment of another subscription at the provider begins a new period. */
function goesOn(subscription: Subscription, event: CheckoutCompleted, at: Date): boolean {
  return !isReplaced(subscription, event) && keepsPeriod(subscription, event, at);
}

/**
 * A continuing period keeps its anchor day, even if it began earlier in a short month; a new period has the day of its
 * start.
 */
function anchorOf(
  subscription: Subscription,
  event: CheckoutCompleted,
  { start }: Pick<Period, 'start'>,
  at: Date,
): number {
  const isSame = subscription.provider !== null && start.getTime() === subscription.currentPeriodStart.getTime();
  const isOverdue = unpaidSince(subscription)?.getTime() === start.getTime();
  const isKept = event.period ? isSame : isOverdue || goesOn(subscription, event, at);
  return isKept ? subscription.anchorDay : start.getUTCDate();
}

function isReplaced({ gatewaySubscriptionId }: Subscription, event: CheckoutCompleted): boolean {
  return gatewaySubscriptionId !== null && gatewaySubscriptionId !== event.gatewaySubscriptionId;
}

/** Prevents a double payment: a replaced subscription is ended at its provider, and open invoices are voided. */
function settling(subscription: Subscription, event: CheckoutCompleted): Effect[] {
  const names = providerOf(subscription);
  if (!names) return [];
  if (isReplaced(subscription, event)) return endings(subscription, 'void');
  return owes(subscription) ? [{ kind: 'giveUpInvoices', ...names, status: 'void' }] : [];
}

/** Invoices the purchase, unless its payment event arrived before its checkout event. */
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
