import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';
import type { Currency, Terms } from './sold-version.ts';

export const subscriptionStatuses = ['active', 'trialing', 'past_due', 'incomplete', 'canceled', 'expired'] as const;

/**
 * `trialing`: active, but not paid yet. `past_due`: a payment failed; the plan works until the grace period ends.
 * `expired`: the grace period is over, and only paying and cancelling work. `incomplete`: the first payment waits for
 * the payer; until then the entitlements of `free` apply. `canceled`: the organization is deleted.
 */
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/** A period of time. The start is included, the end is not. */
export type Period = { start: Date; end: Date };

/** The party that starts the payment of a renewal: the provider automatically, or the platform by a request to it. */
export type Collection = 'provider' | 'platform';

/** The time for which a provider's subscription was used without a payment. */
export type UnpaidUse = { gatewaySubscriptionId: string; milliseconds: number };

/** An organization's current plan and its pending changes. Only `next` of the state machine changes it. */
export type Subscription = Terms & {
  status: SubscriptionStatus;
  /**
   * Null without a payment: for `free`, and for a plan that the operator gave. Its periods are calendar months then.
   */
  provider: string | null;
  gatewaySubscriptionId: string | null;
  collection: Collection | null;
  currency: Currency | null;
  currentPeriodStart: Date;
  currentPeriodEnd: Date;
  /** The day of the month on which periods begin; in a shorter month its last day. */
  anchorDay: number;
  /** The ends of the last paid period and of the last invoiced period. */
  paidUntil: Date | null;
  invoicedUntil: Date | null;
  cancelAtPeriodEnd: boolean;
  cancelReason: string | null;
  /** The terms that apply from the end of the period on. */
  scheduled: Terms | null;
  /** When the status times out: the wait for a payment, the grace period, or the time as expired. */
  deadline: Date | null;
  /** The latest applied checkouts and the latest ended provider subscriptions, so that late webhooks change nothing. */
  checkouts: string[];
  endedIds: string[];
  /**
   * The unpaid grace period of a previous subscription, by which the next purchase begins earlier. Missing in older
   * documents.
   */
  unpaidUse?: UnpaidUse | null;
  changedAt: Date;
};

/** The identity of a subscription at a provider. */
export type OfProvider = { provider: string; gatewaySubscriptionId: string };

export type BillingMail = 'payment-failed' | 'subscription-canceled' | 'subscription-ended' | 'subscription-expired';

/** A side effect of a changed subscription. Each is idempotent. */
export type Effect =
  | (OfProvider & {
      kind: 'issueInvoice';
      reason: 'subscribed' | 'upgraded' | 'renewed';
      terms: Terms;
      /** With `upgraded`: the previous terms. */
      formerTerms: Terms | null;
      period: Period;
      /** In minor units, tax included. */
      amount: number;
      currency: Currency;
      isPaid: boolean;
    })
  | (OfProvider & { kind: 'settleInvoice'; period: Period })
  | (OfProvider & { kind: 'giveUpInvoices'; status: 'void' | 'uncollectible' })
  | (OfProvider & { kind: 'charge'; period: Period; amount: number; currency: Currency })
  | (OfProvider & { kind: 'readProvider' })
  | (OfProvider & { kind: 'resumeAtProvider' })
  | (OfProvider & { kind: 'endAtProvider' })
  /** Refunds the payment of a checkout whose organization is deleted. */
  | (OfProvider & { kind: 'refundAtProvider'; checkoutId: string; amount: number; currency: Currency })
  | (OfProvider & { kind: 'cancelAtProvider'; reason: string | null })
  | (OfProvider & { kind: 'changePlanAtProvider'; to: Terms })
  | { kind: 'mail'; template: BillingMail; variables: Record<string, string> };

/** An effect in the outbox until it is done. `id` is unique on the platform; the handler deduplicates by it. */
export type PendingEffect = Effect & { id: string; at: Date };

/** An organization's one subscription: `_id` and `orgId` are the organization's. */
export type SubscriptionDocument = {
  _id: string;
  orgId: string;
  /** Grows by one with each change of `subscription`, for optimistic concurrency control. */
  revision: number;
  subscription: Subscription;
  /** When the next change by time is due. */
  dueAt: Date | null;
  effects: PendingEffect[];
  /** The lease of the run that updates the provider, and its expiry; missing when no run is active. */
  teller?: { id: string; until: Date };
  createdAt: Date;
  updatedAt: Date;
};

const schema = new Schema<SubscriptionDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    revision: { type: Number, required: true },
    subscription: { type: Schema.Types.Mixed, required: true },
    dueAt: { type: Date, default: null },
    effects: { type: [Schema.Types.Mixed], default: [] },
    teller: { type: Schema.Types.Mixed },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  } as never,
  { collection: 'billing_subscriptions', versionKey: false, minimize: false },
);
schema.plugin(tenantGuard);
// Finds the subscription of a webhook, current or previous; subscriptions by status; due subscriptions; and unfinished
// work of a crashed process.
schema.index({ 'subscription.gatewaySubscriptionId': 1 });
schema.index({ 'subscription.endedIds': 1 });
schema.index({ 'subscription.status': 1, _id: 1 });
schema.index({ dueAt: 1 });
schema.index({ 'effects.at': 1 });

export const SubscriptionModel = model('BillingSubscription', schema);
