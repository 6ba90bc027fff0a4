import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/tenant-guard.ts';
import type { Currency, Terms } from './sold-version.ts';

/** `closed`: another wish took its place, or the payer gave it up at the provider. */
export const checkoutStatuses = ['open', 'completed', 'expired', 'closed'] as const;
export type CheckoutStatus = (typeof checkoutStatuses)[number];

/**
 * `purchase`: a new subscription at the provider, or the overdue payment of one that the provider renews. `upgrade`: more, in a subscription that the provider has. `change`:
 * what is already paid becomes something else at the end of the period, and nothing is due now.
 */
export type CheckoutKind = 'purchase' | 'upgrade' | 'change';

/** The subscription as it was when something was reckoned from it. */
export type CheckoutBasis = Terms & { isRunning: boolean; isPaid: boolean; gatewaySubscriptionId: string | null };

/** What an organization wants to have, until it is paid or comes to nothing. At most one is open an organization. */
export type CheckoutDocument = {
  _id: string;
  orgId: string;
  /** The organization's id while it is open, its own id afterwards: unique, so that one alone is open. */
  slot: string;
  status: CheckoutStatus;
  kind: CheckoutKind;
  provider: string;
  terms: Terms;
  currency: Currency;
  /** What is due now, in minor units, tax included. */
  amount: number;
  /** The provider's subscription that is to change, or whose open invoice is to be paid; null for a new one. */
  gatewaySubscriptionId: string | null;
  successUrl: string;
  cancelUrl: string;
  /** Whether the provider knows it, and how. */
  isReady: boolean;
  gatewayCheckoutId: string | null;
  /** Where the payer goes; null is the platform's own page. */
  url: string | null;
  /** On the page of the test provider: the bank wants to know whether it is really them. */
  isChallenged: boolean;
  /** Whether the payer has agreed, so that only the provider's word is missing. */
  isConfirmed: boolean;
  /** When what is due now would be something else, by billing's clock; null: never. */
  until: Date | null;
  /** What the organization had when it was said what is due. Older checkouts do not know. */
  from?: CheckoutBasis;
  /** When its provider, which was down when it ended, is asked again to close it; missing where there is nothing to close. */
  closeAt?: Date;
  closeAttempts?: number;
  expiresAt: Date;
  createdAt: Date;
  updatedAt: Date;
};

const schema = new Schema<CheckoutDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    slot: { type: String, required: true },
    status: { type: String, enum: checkoutStatuses, required: true },
    kind: { type: String, required: true },
    provider: { type: String, required: true },
    terms: { type: Schema.Types.Mixed, required: true },
    currency: { type: String, required: true },
    amount: { type: Number, required: true },
    gatewaySubscriptionId: { type: String, default: null },
    successUrl: { type: String, required: true },
    cancelUrl: { type: String, required: true },
    isReady: { type: Boolean, required: true },
    gatewayCheckoutId: { type: String, default: null },
    url: { type: String, default: null },
    isChallenged: { type: Boolean, default: false },
    isConfirmed: { type: Boolean, default: false },
    until: { type: Date, default: null },
    from: { type: Schema.Types.Mixed },
    closeAt: { type: Date },
    closeAttempts: { type: Number },
    expiresAt: { type: Date, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  } as never,
  { collection: 'billing_checkouts', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ slot: 1 }, { unique: true });
schema.index({ orgId: 1, createdAt: -1 });
// Those that are open, which are few, and those that are to be forgotten.
schema.index({ status: 1, _id: 1 });
schema.index({ updatedAt: 1 });
// Those whose page is still open at a provider that was down.
schema.index({ closeAt: 1 });

export const CheckoutModel = model('BillingCheckout', schema);
