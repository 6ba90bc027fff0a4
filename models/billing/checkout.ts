import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';
import type { Currency, Terms } from './sold-version.ts';

/** `closed`: another checkout has replaced it, or the payer abandoned it at the provider. */
export const checkoutStatuses = ['open', 'completed', 'expired', 'closed'] as const;
export type CheckoutStatus = (typeof checkoutStatuses)[number];

/**
 * `purchase`: a new subscription at the provider, or the overdue payment of one that the provider renews. `upgrade`: an
 * upgrade of a subscription at the provider. `change`: a change at the end of the paid period, with nothing due now.
 */
export type CheckoutKind = 'purchase' | 'upgrade' | 'change';

/** The state of the subscription from which an amount was calculated. */
export type CheckoutBasis = Terms & { isRunning: boolean; isPaid: boolean; gatewaySubscriptionId: string | null };

/** The purchase or change of a plan, until it is completed or fails. An organization has at most one open checkout. */
export type CheckoutDocument = {
  _id: string;
  orgId: string;
  /** The organization's id while it is open, its own id afterwards. Unique, so that only one is open. */
  slot: string;
  status: CheckoutStatus;
  kind: CheckoutKind;
  provider: string;
  terms: Terms;
  currency: Currency;
  /** The amount due now, in minor units, tax included. */
  amount: number;
  /** The provider's subscription that is to change, or whose open invoice is to be paid; null for a new one. */
  gatewaySubscriptionId: string | null;
  successUrl: string;
  cancelUrl: string;
  /** Whether it was created at the provider, and its id there. */
  isReady: boolean;
  gatewayCheckoutId: string | null;
  /** The payment page; null for the platform's own page. */
  url: string | null;
  /** On the page of the test provider: the simulated bank requires a confirmation of the payer. */
  isChallenged: boolean;
  /** Whether the payer has confirmed, so that only the provider's confirmation is missing. */
  isConfirmed: boolean;
  /** When the amount due changes, by billing's clock; null: never. */
  until: Date | null;
  /** The subscription from which the amount due was calculated. Missing in older checkouts. */
  from?: CheckoutBasis;
  /**
   * The time of the next retry to close it at the provider, which was down before; missing when no retry is pending.
   */
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
// Finds the few open checkouts, and checkouts to be removed.
schema.index({ status: 1, _id: 1 });
schema.index({ updatedAt: 1 });
// Finds checkouts that are still open at a provider that was down.
schema.index({ closeAt: 1 });

export const CheckoutModel = model('BillingCheckout', schema);
