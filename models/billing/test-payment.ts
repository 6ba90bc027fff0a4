import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';
import type { Currency, Terms } from './sold-version.ts';

/** A payment on the page of the test provider, as its webhook reports it. */
export type TestPayment = {
  checkoutId: string;
  gatewaySubscriptionId: string;
  terms: Terms;
  currency: Currency;
  amount: number;
};

/**
 * The outcome of a checkout at the test provider: paid or closed, the first wins. A payment is reported by a webhook,
 * which is retried until it is accepted.
 */
export type TestOutcomeDocument = {
  /** The checkout's id. */
  _id: string;
  orgId: string;
  /** Null when the checkout was closed; no webhook is sent then. */
  payment: TestPayment | null;
  /** Whether the payer chose a card that fails for renewals. */
  declinesRenewals: boolean;
  isTold: boolean;
  /** Whether the payment was refunded; missing when it was not. */
  isRefunded?: boolean;
  nextAttemptAt: Date;
  createdAt: Date;
};

/** A subscription at the test provider. */
export type TestSubscriptionDocument = {
  /** The id at the test provider. */
  _id: string;
  orgId: string;
  declinesRenewals: boolean;
  isEnded: boolean;
  /** The charges by key, the newest last: the same key has the same outcome. */
  charges: { key: string; isPaid: boolean }[];
};

const outcomes = new Schema<TestOutcomeDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    payment: { type: Schema.Types.Mixed, default: null },
    declinesRenewals: { type: Boolean, required: true },
    isTold: { type: Boolean, required: true },
    isRefunded: Boolean,
    nextAttemptAt: { type: Date, required: true },
    createdAt: { type: Date, required: true },
  } as never,
  { collection: 'billing_test_outcomes', versionKey: false },
);
outcomes.plugin(tenantGuard);
outcomes.index({ isTold: 1, nextAttemptAt: 1 });
outcomes.index({ orgId: 1 });

const subscriptions = new Schema<TestSubscriptionDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    declinesRenewals: { type: Boolean, required: true },
    isEnded: { type: Boolean, required: true },
    charges: { type: [Schema.Types.Mixed] as never, default: [] },
  },
  { collection: 'billing_test_subscriptions', versionKey: false },
);
subscriptions.plugin(tenantGuard);
subscriptions.index({ orgId: 1 });

export const TestOutcomeModel = model('BillingTestOutcome', outcomes);
export const TestSubscriptionModel = model('BillingTestSubscription', subscriptions);
