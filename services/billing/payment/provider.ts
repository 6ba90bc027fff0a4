import type { Currency, Terms } from '../../../models/billing/sold-version.ts';
import type { Collection, Period } from '../../../models/billing/subscription.ts';
import type { SubscriptionEvent } from '../subscriptions/events.ts';

export const providerNames = ['test', 'manual', 'stripe'] as const;
export type ProviderName = (typeof providerNames)[number];

/** A plan that somebody wants to pay for. */
export type Order = {
  checkoutId: string;
  orgId: string;
  /** The organization's name, and where its owner is written to. */
  organizationName: string;
  email: string | null;
  terms: Terms;
  /** The plan's name for people. */
  title: string;
  currency: Currency;
  /** What is due now, in minor units, tax included; a provider that prorates by itself says what it comes to. */
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
export type Delivery = { body: string; headers: Readonly<Record<string, string>> };

/**
 * A delivery whose signature was right. `payload` is what `interpret` needs of it, and is stored until it is done.
 * `subject`: the subscription there that it is about, where what it means is asked for and may have changed since.
 */
export type Notice = {
  eventId: string;
  type: string;
  sentAt: Date;
  payload: Record<string, unknown>;
  subject?: string;
};

/**
 * What a notice means, by what the provider says now. It belongs to whoever has the checkout or the subscription; when
 * nobody is found for either it is tried again later. No events: it is of no concern.
 */
export type PaymentEvent = {
  checkoutId: string | null;
  gatewaySubscriptionId: string | null;
  events: SubscriptionEvent[];
  /** The checkout came to nothing: it expired or was given up there. */
  isCheckoutOver?: boolean;
  /** The provider does not know what the notice is about, by the key that the platform has. */
  isUnknown?: boolean;
  /** It is about what somebody else has there, in the same account. */
  isOfOthers?: boolean;
  /** What was being given back did not arrive. */
  notGivenBack?: NotGivenBack;
};

/** A payment that somebody has to pay back in another way; the amount in minor units. */
export type NotGivenBack = {
  orgId: string;
  provider: ProviderName;
  gatewaySubscriptionId: string | null;
  checkoutId: string;
  amount: number;
  currency: string;
};

/** `pending`: the outcome comes by a notice. */
export type ChargeOutcome = 'paid' | 'failed' | 'pending';

export type Charge = {
  /** The same key is the same charge. */
  key: string;
  orgId: string;
  gatewaySubscriptionId: string;
  period: Period;
  amount: number;
  currency: Currency;
};

/** One change at a provider; the same `key` is the same call, however often it is made. */
export type Change = { key: string; gatewaySubscriptionId: string };

/** What was paid for a checkout, and is to be given back. */
export type Refund = Change & { orgId: string; checkoutId: string };

/** `byHand`: somebody has to pay it back in another way. */
export type RefundOutcome = 'refunded' | 'byHand';

/**
 * Whoever collects the money. Every method can be called again after a failure, with the same keys, and then does
 * nothing twice. What a provider cannot do because it does not know the subscription any more is done.
 */
export type PaymentProvider = {
  name: ProviderName;
  /** `provider`: it renews by itself. `platform`: it charges when it is asked to. */
  collection: Collection;
  openCheckout: (order: Order) => Promise<OpenedCheckout>;
  /** Ends a checkout that nobody finished; one that was finished meanwhile stays so. */
  closeCheckout: (checkout: { key: string; orgId: string; gatewayCheckoutId: string }) => Promise<void>;
  /**
   * Changes the plan of a running subscription at once and collects the difference; the payer agreed on the platform's
   * page. The plan counts when a notice says that it was paid, and a cancellation is taken back then. `url`: where the
   * payer has to go for that.
   */
  upgrade: (change: Change & { order: Order }) => Promise<{ url: string | null }>;
  /** Only with `collection: 'platform'`. */
  charge: (charge: Charge) => Promise<ChargeOutcome>;
  cancelAtPeriodEnd: (change: Change & { reason: string | null }) => Promise<void>;
  resume: (change: Change) => Promise<void>;
  /** From the next period on; to what it is already takes a former wish back. */
  changePlan: (change: Change & { to: Terms; currency: Currency }) => Promise<void>;
  /** Ends it now: nothing is charged any more. */
  end: (change: Change) => Promise<void>;
  /**
   * Gives back what is left of a payment, and fails where it is not known; missing where somebody has to do that by hand.
   */
  refund?: (refund: Refund) => Promise<RefundOutcome>;
  /** Forgets there, and then here, who an organization is; missing where the provider keeps nothing of it. */
  forget?: (orgId: string) => Promise<void>;
  /** What it is there; null where the platform itself keeps account. */
  read: (gatewaySubscriptionId: string) => Promise<PaymentEvent | null>;
  /** @throws WEBHOOK_INVALID a delivery without, with a wrong or with an old signature, or that cannot be read. */
  verifyWebhook: (delivery: Delivery) => Promise<Notice>;
  interpret: (notice: Notice) => Promise<PaymentEvent>;
  /** Whether an error says that the provider is down, or takes no call of this platform; missing where it asks nobody. */
  isOutage?: (error: unknown) => boolean;
};
