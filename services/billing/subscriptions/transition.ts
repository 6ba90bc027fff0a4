import { day, hour } from '../../../lib/clock.ts';
import type { Terms } from '../../../models/billing/sold-version.ts';
import type {
  BillingMail,
  Effect,
  OfProvider,
  Period,
  Subscription,
  UnpaidUse,
} from '../../../models/billing/subscription.ts';
import { currentPlan, findPlan } from '../plans/plans.ts';
import { monthOf } from './periods.ts';

/** The result of an event. `subscription` is the same object where nothing changed. */
export type Transition = { subscription: Subscription; effects: Effect[] };

/** How long an unpaid plan keeps working. */
export const grace = 7 * day;
/** How long a payment may remain without an outcome before it counts as failed. */
export const maxCollectionTime = 7 * day;
/** How long an expired subscription waits for payment before the organization falls back to the free plan. */
export const expiredFor = 30 * day;
/** How long a first payment may wait for the payer. */
export const incompleteFor = 23 * hour;
/** How many ended subscriptions and checkouts are remembered, to recognise late events. */
const maxCached = 10;

export const later = (at: Date, milliseconds: number): Date => new Date(at.getTime() + milliseconds);

export function unchanged(subscription: Subscription, effects: Effect[] = []): Transition {
  return { subscription, effects };
}

export function changed(
  subscription: Subscription,
  changes: Partial<Subscription>,
  at: Date,
  effects: Effect[] = [],
): Transition {
  return { subscription: { ...subscription, ...changes, changedAt: at }, effects };
}

/** A plan without payment, in calendar months. */
export function complimentarySubscription(plan: Terms['plan'], at: Date): Subscription {
  const { start, end } = monthOf(at);
  return {
    plan,
    version: currentPlan(plan).version,
    billingCycle: 'monthly',
    status: 'active',
    provider: null,
    gatewaySubscriptionId: null,
    collection: null,
    currency: null,
    currentPeriodStart: start,
    currentPeriodEnd: end,
    anchorDay: 1,
    paidUntil: null,
    invoicedUntil: null,
    cancelAtPeriodEnd: false,
    cancelReason: null,
    scheduled: null,
    deadline: null,
    checkouts: [],
    endedIds: [],
    unpaidUse: null,
    changedAt: at,
  };
}

/**
 * Moves the organization to the free plan. Later events of the ended subscription change nothing. `usedUntil`: when the
 * ended subscription stopped granting anything, if before now.
 */
export function downgradeToFree(
  subscription: Subscription,
  at: Date,
  effects: Effect[] = [],
  usedUntil: Date = at,
): Transition {
  const { plan, version, status, checkouts, endedIds, gatewaySubscriptionId } = subscription;
  const history = { checkouts, endedIds: remember(endedIds, gatewaySubscriptionId) };
  const mail = mailOf('subscription-ended', { plan: titleOf(plan, version) });
  const unpaidUse = outstandingUsage(subscription, usedUntil);
  const free = { ...complimentarySubscription('free', at), ...history, unpaidUse };
  // A subscription that was never in force has not ended.
  return { subscription: free, effects: status === 'incomplete' ? effects : [...effects, mail] };
}

export function remember(list: readonly string[], item: string | null): string[] {
  return item === null ? [...list] : [...list, item].slice(-maxCached);
}

export function termsOf({ plan, version, billingCycle }: Terms): Terms {
  return { plan, version, billingCycle };
}

export function periodOf({ currentPeriodStart: start, currentPeriodEnd: end }: Subscription): Period {
  return { start, end };
}

/** Whether it is in force and is renewed. */
export function isRunning({ status }: Subscription): boolean {
  return status === 'active' || status === 'trialing';
}

/** Whether the current period is paid. */
export function isPaid({ paidUntil, currentPeriodEnd }: Subscription): boolean {
  return paidUntil !== null && paidUntil >= currentPeriodEnd;
}

/** Whether there is an invoice that was not paid. */
export function owes({ invoicedUntil, paidUntil }: Subscription): boolean {
  return invoicedUntil !== null && (paidUntil === null || paidUntil < invoicedUntil);
}

/** Since when the plan is used without payment; null where it is paid, or gives nothing. */
export function unpaidSince(subscription: Subscription): Date | null {
  const { status, provider, paidUntil, currentPeriodStart } = subscription;
  const isInForce = status === 'active' || status === 'past_due';
  if (provider === null || !isInForce || isPaid(subscription)) return null;
  return paidUntil ?? currentPeriodStart;
}

/** The unpaid use until an instant, of the present subscription or of the one before it. */
export function unpaidUseAt(subscription: Subscription, at: Date): UnpaidUse | null {
  const { gatewaySubscriptionId } = subscription;
  const since = unpaidSince(subscription);
  if (!since || gatewaySubscriptionId === null) return subscription.unpaidUse ?? null;
  return { gatewaySubscriptionId, milliseconds: Math.max(0, at.getTime() - since.getTime()) };
}

/**
 * The unpaid use to keep when it ends. A provider that renews by itself has the open invoice, and reports it in any
 * order.
 */
export function outstandingUsage(subscription: Subscription, at: Date): UnpaidUse | null {
  return subscription.collection === 'provider' ? (subscription.unpaidUse ?? null) : unpaidUseAt(subscription, at);
}

/** The subscription's id at its provider; null without payment. */
export function providerOf({ provider, gatewaySubscriptionId }: Subscription): OfProvider | null {
  return provider === null || gatewaySubscriptionId === null ? null : { provider, gatewaySubscriptionId };
}

/** Ends what the provider still has, so that a customer is not charged for what they do not get. */
export function endings(subscription: Subscription, status: 'void' | 'uncollectible'): Effect[] {
  const names = providerOf(subscription);
  if (!names) return [];
  return [
    { kind: 'giveUpInvoices', ...names, status },
    { kind: 'endAtProvider', ...names },
  ];
}

export function mailOf(template: BillingMail, variables: Record<string, string>): Effect {
  return { kind: 'mail', template, variables };
}

/** A plan's name for people. */
export function titleOf(plan: Terms['plan'], version: number): string {
  return (findPlan(plan, version) ?? currentPlan(plan)).title;
}
