import type { Currency, Terms } from '../../../models/billing/sold-version.ts';
import type { Collection, Period } from '../../../models/billing/subscription.ts';
import type { SubscriptionEvent } from '../subscriptions/transition.ts';

export const providerNames = ['test', 'manual', 'stripe'] as const;
export type ProviderName = (typeof providerNames)[number];

/** An order for a plan. */
export type Order = {
  checkoutId: string;
  orgId: string;
  /** The organization's name, and the email address of its owner. */
  organizationName: string;
  email: string | null;
  terms: Terms;
  /** The plan's name for people. */
  title: string;
  currency: Currency;
  /** The amount due now, in minor units, tax included; a provider that prorates computes its own amount. */
  amount: number;
  /** The running subscription at this provider that is to change; null for a new one. */
  gatewaySubscriptionId: string | null;
  /** Whether that subscription's open invoice is to be paid, for the period that it is of. */
  isOverdue: boolean;
  successUrl: string;
  cancelUrl: string;
  expiresAt: Date;
};

/** Where the payer goes: to the provider, or with `url` null to the platform's own page of the checkout. */
export type OpenedCheckout = { gatewayCheckoutId: string | null; url: string | null; expiresAt: Date };

/** A webhook as it arrived: the body byte for byte, header names in lower case. */
export type WebhookRequest = { body: string; headers: Readonly<Record<string, string>> };

/**
 * A webhook with a valid signature. `payload` is what `interpret` needs, and is stored until it is processed.
 * `subject`: the subscription that it is about, where its state is read again and may have changed since.
 */
export type VerifiedWebhook = {
  eventId: string;
  type: string;
  sentAt: Date;
  payload: Record<string, unknown>;
  subject?: string;
};

/**
 * The meaning of a webhook, from what the provider says now. It belongs to the organization that has the checkout or
 * the subscription. When neither is found it is retried later. Without `events` it changes nothing.
 */
export type PaymentEvent = {
  checkoutId: string | null;
  gatewaySubscriptionId: string | null;
  events: SubscriptionEvent[];
  /** The checkout expired or was abandoned at the provider. */
  isCheckoutOver?: boolean;
  /** The provider does not know the subject by the platform's id. */
  isUnknown?: boolean;
  /** It belongs to another system in the same provider account. */
  isOfOthers?: boolean;
  /** A refund failed after it was accepted. */
  notGivenBack?: FailedRefund;
};

/** A payment that the operator has to refund in another way; the amount in minor units. */
export type FailedRefund = {
  orgId: string;
  provider: ProviderName;
  gatewaySubscriptionId: string | null;
  checkoutId: string;
  amount: number;
  currency: string;
};

/** `pending`: a webhook reports the outcome. */
export type ChargeOutcome = 'paid' | 'failed' | 'pending';

export type Charge = {
  /** The idempotency key. */
  key: string;
  orgId: string;
  gatewaySubscriptionId: string;
  period: Period;
  amount: number;
  currency: Currency;
};

/** One change at a provider, idempotent by `key`. */
export type Change = { key: string; gatewaySubscriptionId: string };

/** A refund of the payment for a checkout. */
export type Refund = Change & { orgId: string; checkoutId: string };

/** `byHand`: the operator must refund the payment in another way. */
export type RefundOutcome = 'refunded' | 'byHand';

/**
 * A payment provider. Every method is idempotent by its keys and can be retried. A call for a subscription that the
 * provider no longer knows succeeds.
 */
export type PaymentProvider = {
  name: ProviderName;
  /** `provider`: the provider renews subscriptions. `platform`: the platform requests each charge. */
  collection: Collection;
  openCheckout: (order: Order) => Promise<OpenedCheckout>;
  /** Ends an unfinished checkout. A checkout that was finished concurrently stays finished. */
  closeCheckout: (checkout: { key: string; orgId: string; gatewayCheckoutId: string }) => Promise<void>;
  /**
   * Changes the plan of a running subscription immediately and collects the difference; the payer agreed on the
   * platform's page. The plan takes effect once a webhook reports the payment, which also revokes a cancellation.
   * `url`: the page on which the payer pays.
   */
  upgrade: (change: Change & { order: Order }) => Promise<{ url: string | null }>;
  /** Only with `collection: 'platform'`. */
  charge: (charge: Charge) => Promise<ChargeOutcome>;
  cancelAtPeriodEnd: (change: Change & { reason: string | null }) => Promise<void>;
  resume: (change: Change) => Promise<void>;
  /** From the next period on. The present plan takes back a scheduled change. */
  changePlan: (change: Change & { to: Terms; currency: Currency }) => Promise<void>;
  /** Ends the subscription immediately. Nothing further is charged. */
  end: (change: Change) => Promise<void>;
  /**
   * Refunds the remaining amount of a payment; fails when the payment is unknown. Missing where the operator refunds
   * manually.
   */
  refund?: (refund: Refund) => Promise<RefundOutcome>;
  /** Deletes an organization's identity there, and then here; missing where the provider keeps nothing of it. */
  forget?: (orgId: string) => Promise<void>;
  /** The state at the provider; null where the platform itself keeps account. */
  read: (gatewaySubscriptionId: string) => Promise<PaymentEvent | null>;
  /** @throws WEBHOOK_INVALID a delivery without, with a wrong or with an old signature, or that cannot be read. */
  verifyWebhook: (delivery: WebhookRequest) => Promise<VerifiedWebhook>;
  interpret: (notice: VerifiedWebhook) => Promise<PaymentEvent>;
  /**
   * Whether an error means that the provider is down or refuses the platform's calls. Missing for a provider without
   * remote calls.
   */
  isOutage?: (error: unknown) => boolean;
};

/** The id of a subscription that began with a checkout, where the platform itself assigns it. */
export function subscriptionIdFor(checkoutId: string): string {
  return checkoutId.replace(/^chk_/, 'sub_');
}
