import type { Currency, PlanName, Terms } from '../../../models/billing/sold-version.ts';
import type { Collection, Period } from '../../../models/billing/subscription.ts';

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
