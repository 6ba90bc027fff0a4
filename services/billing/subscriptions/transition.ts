import { addMonths, day, hour } from '../../../lib/data/clock.ts';
import type { BillingCycle, Currency, PlanName, Terms } from '../../../models/billing/sold-version.ts';
import type {
  BillingMail,
  Collection,
  Effect,
  OfProvider,
  Period,
  Subscription,
  UnpaidUse,
} from '../../../models/billing/subscription.ts';
import { currentPlan, findPlan } from '../plans/plans.ts';

/** A subscription's state at its provider; with `expired` the provider has given up collecting. */
export type ProviderState = {
  status: 'active' | 'trialing' | 'past_due' | 'incomplete' | 'canceled' | 'expired';
  terms: Terms;
  currency: Currency;
  period: Period;
  cancelAtPeriodEnd: boolean;
};

/** The checkout was paid: the plan counts from now on. Without a period the platform computes it. */
export type CheckoutCompleted = {
  kind: 'checkoutCompleted';
  checkoutId: string;
  terms: Terms;
  provider: string;
  gatewaySubscriptionId: string;
  collection: Collection;
  currency: Currency;
  /** The amount paid, in minor units, tax included. */
  amount: number;
  period: Period | null;
};

/** A payment arrived. Period null: for the current one. Amount null: the price of the plan. */
export type Renewed = { kind: 'renewed'; gatewaySubscriptionId: string; period: Period | null; amount: number | null };

/** A failed payment succeeded in the end. */
export type PaymentRecovered = { kind: 'paymentRecovered'; gatewaySubscriptionId: string; period: Period | null };

/** A payment was refused. Period null: of the current one. */
export type PaymentFailed = { kind: 'paymentFailed'; gatewaySubscriptionId: string; period: Period | null };

/** The provider's state; `readAt` is when the query was sent. */
export type ProviderStateRead = {
  kind: 'providerStateRead';
  provider: string;
  gatewaySubscriptionId: string;
  collection: Collection;
  readAt: Date;
  state: ProviderState;
};

/**
 * An event of a subscription. Events of a provider contain its subscription's id. Events of another subscription,
 * duplicates and late events change nothing.
 */
export type SubscriptionEvent =
  | CheckoutCompleted
  | Renewed
  | PaymentRecovered
  | PaymentFailed
  | ProviderStateRead
  | { kind: 'cancelRequested'; reason: string | null }
  | { kind: 'resumed' }
  /** The terms from the end of the period on; null revokes a scheduled change. */
  | { kind: 'planScheduled'; to: Terms | null }
  | { kind: 'periodEnded' }
  /** The deadline of the status has come. */
  | { kind: 'graceEnded' }
  /** The operator gives a plan without payment. A paid subscription ends. */
  | { kind: 'planGiven'; plan: PlanName }
  | { kind: 'organizationClosed' };

const monthsOf: Record<BillingCycle, number> = { monthly: 1, yearly: 12 };

/**
 * The end of a period that begins at `start`: the same time of day one cycle later, on the anchor day of the month or,
 * in a shorter month, on its last day. In UTC; from 31 January on it is 28 or 29 February, then 31 March.
 */
export function endOf(start: Date, cycle: BillingCycle, anchorDay: number): Date {
  return addMonths(start, monthsOf[cycle], anchorDay);
}

/** The calendar month in UTC that an instant lies in. */
export function monthOf(at: Date): Period {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return { start: new Date(Date.UTC(year, month)), end: new Date(Date.UTC(year, month + 1)) };
}

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
