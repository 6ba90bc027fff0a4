import type Stripe from 'stripe';
import type { Period } from '../../../../models/billing/subscription.ts';
import { now } from '../../clock.ts';
import type { ProviderState } from '../../subscriptions/transition.ts';
import type { PaymentEvent } from '../provider.ts';
import { paymentsSince } from './payments.ts';
import { keyOfPrice, parsePriceKey } from './prices.ts';
import type { StripeApi } from './provider.ts';
import { toInstant } from './requests.ts';
import { isCanceling, itemOf, resumeRenewal, retrieveSubscription, type Shown } from './subscriptions.ts';
import { restoreAfterVoid } from './upgrade.ts';

/** The payment events that change nothing: without a change, unknown to Stripe, or of another system in the account. */
export const nothing: PaymentEvent = { checkoutId: null, gatewaySubscriptionId: null, events: [] };
export const unknown: PaymentEvent = { ...nothing, isUnknown: true };
export const foreignObjects: PaymentEvent = { ...nothing, isOfOthers: true };

/**
 * Reads a subscription's payments since a known invoice, and its state. Webhooks may arrive in any order: each one
 * reads the newest state, so that the last one leaves what Stripe has.
 *
 * @throws Error for one of the platform's with a price that is not.
 */
export async function paymentEventOf(
  api: StripeApi,
  subscriptionId: string,
  knownInvoice: Stripe.Invoice | null = null,
): Promise<PaymentEvent> {
  const readAt = now();
  const subscription = await retrieveSubscription(api, subscriptionId);
  if (!subscription) return unknown;
  if (!subscription.metadata.orgId) return foreignObjects;
  await restoreAfterVoid(api, subscription);
  const payments = await paymentsSince(api, subscription, knownInvoice);
  const completed = payments.find((payment) => payment.kind === 'checkoutCompleted');
  const isResumed = payments.at(-1)?.kind === 'checkoutCompleted' && (await resumeIfPaidSince(api, subscription));
  const state = { ...stateOf(subscription), ...(isResumed && { cancelAtPeriodEnd: false }) };
  return {
    checkoutId: completed?.checkoutId ?? subscription.metadata.checkoutId ?? null,
    gatewaySubscriptionId: subscription.id,
    events: [
      ...payments,
      {
        kind: 'providerStateRead',
        provider: 'stripe',
        gatewaySubscriptionId: subscription.id,
        collection: 'provider',
        readAt,
        state,
      },
    ],
    ...(subscription.status === 'incomplete_expired' && { isCheckoutOver: true }),
  };
}

const statuses: Record<string, ProviderState['status']> = {
  active: 'active',
  trialing: 'active',
  past_due: 'past_due',
  incomplete: 'incomplete',
  // Stripe has stopped collecting, or was configured to pause.
  unpaid: 'expired',
  paused: 'expired',
  canceled: 'canceled',
  incomplete_expired: 'canceled',
};

function stateOf(subscription: Shown): ProviderState {
  const { id, status: named } = subscription;
  const item = itemOf(subscription);
  const status = statuses[named];
  const priced = parsePriceKey(keyOfPrice(item.price) ?? '');
  if (!status) throw new Error(`Stripe’s subscription ${id} has the unknown status ${named}.`);
  if (!priced) throw new Error(`Stripe’s subscription ${id} has the price ${item.price.id}, which is of no plan.`);
  return { status, ...priced, period: periodOf(item), cancelAtPeriodEnd: isCanceling(subscription) };
}

function periodOf({ current_period_start, current_period_end }: Stripe.SubscriptionItem): Period {
  return { start: toInstant(current_period_start), end: toInstant(current_period_end) };
}

/** A payment for an upgrade after a cancellation resumes the subscription. Stripe does not accept both in one call. */
async function resumeIfPaidSince(api: StripeApi, subscription: Shown): Promise<boolean> {
  const { canceled_at, latest_invoice, metadata } = subscription;
  if (latest_invoice?.billing_reason !== 'subscription_update') return false;
  const paidAt = latest_invoice.status_transitions.paid_at ?? 0;
  if (!isCanceling(subscription) || canceled_at === null || canceled_at >= paidAt) return false;
  await resumeRenewal(api, subscription, metadata.checkoutId ?? subscription.id);
  return true;
}
