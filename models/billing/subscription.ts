import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/tenant-guard.ts';
import type { Currency, Terms } from './sold-version.ts';

export const subscriptionStatuses = ['active', 'trialing', 'past_due', 'incomplete', 'canceled', 'expired'] as const;

/**
 * `trialing`: not paid for yet, and in force. `past_due`: a payment failed; it works as long as the grace lasts.
 * `expired`: the grace is over, and nothing works but paying and cancelling. `incomplete`: the first payment waits for
 * the payer, and it gives what `free` gives. `canceled`: the organization is gone; it is nothing any more.
 */
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/** From the start on, and up to the end without it. */
export type Period = { start: Date; end: Date };

/** Who collects the money: the provider by itself at each renewal, or when the platform asks it to. */
export type Collection = 'provider' | 'platform';

/** For how long a subscription of a provider's was used and not paid. */
export type UnpaidUse = { gatewaySubscriptionId: string; milliseconds: number };

/** What an organization has, and how it goes on. It is changed by `next` of the state machine alone. */
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
  /** The day of the month on which periods begin; in a shorter month they begin on its last. */
  anchorDay: number;
  /** The end of the last period that was paid, and of the last that there is an invoice of. */
  paidUntil: Date | null;
  invoicedUntil: Date | null;
  cancelAtPeriodEnd: boolean;
  cancelReason: string | null;
  /** What it becomes at the end of the period. */
  scheduled: Terms | null;
  /** When the status ends by itself: the wait for a payment, the grace, the time of being expired. */
  deadline: Date | null;
  /** The latest applied checkouts and the latest ended provider subscriptions, so that late webhooks change nothing. */
  checkouts: string[];
  endedIds: string[];
  /** The grace of a former period that was never paid: what is bought next begins so much earlier. Older ones have none. */
  unpaidUse?: UnpaidUse | null;
  changedAt: Date;
};

/** How a provider knows a subscription. */
export type OfProvider = { provider: string; gatewaySubscriptionId: string };

export type BillingMail = 'payment-failed' | 'subscription-canceled' | 'subscription-ended' | 'subscription-expired';

/** What is to be done elsewhere because a subscription changed. Each can be done twice, and is the same then. */
export type Effect =
  | (OfProvider & {
      kind: 'issueInvoice';
      reason: 'subscribed' | 'upgraded' | 'renewed';
      terms: Terms;
      /** With `upgraded`: what was had before. */
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
  /** Goes up by one with each change of `subscription`, which is written only over the revision it was made of. */
  revision: number;
  subscription: Subscription;
  /** When time itself changes it next. */
  dueAt: Date | null;
  effects: PendingEffect[];
  /** Which run tells the provider what is wanted, and until when others leave that to it; missing while none does. */
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
// What a webhook names, now or from before, what is due, and what a crash left undone.
schema.index({ 'subscription.gatewaySubscriptionId': 1 });
schema.index({ 'subscription.endedIds': 1 });
schema.index({ dueAt: 1 });
schema.index({ 'effects.at': 1 });

export const SubscriptionModel = model('BillingSubscription', schema);
