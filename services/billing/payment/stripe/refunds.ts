import Stripe from 'stripe';
import type { PaymentEvent, Refund, RefundOutcome } from '../provider.ts';
import { completionOf } from './payments.ts';
import type { StripeApi } from './provider.ts';
import { foreignObjects, nothing, unknown } from './reading.ts';
import { idOf, once, orNull } from './requests.ts';
import { retrieveSubscription } from './subscriptions.ts';

/** Errors that may pass: a wrong key, concurrent calls, too many calls. */
const passing: ReadonlySet<number> = new Set([401, 409, 429]);

/**
 * Refunds the remaining amount of all payments for a checkout, and no other payments of its subscription. A refund that
 * Stripe refuses permanently is reported to the operator.
 */
export async function refund(api: StripeApi, what: Refund): Promise<RefundOutcome> {
  try {
    const invoices = await invoicesOf(api, what);
    const outcomes: boolean[] = [];
    for (const invoice of invoices) outcomes.push(await refundInvoice(api, invoice, what));
    return invoices.length > 0 && outcomes.every((isRefunded) => isRefunded) ? 'refunded' : 'byHand';
  } catch (error) {
    if (isFinal(error)) return 'byHand';
    throw error;
  }
}

async function invoicesOf(api: StripeApi, { gatewaySubscriptionId, checkoutId }: Refund): Promise<Stripe.Invoice[]> {
  const subscription = await retrieveSubscription(api, gatewaySubscriptionId);
  if (!subscription) return [];
  const found: Stripe.Invoice[] = [];
  const paid = { subscription: subscription.id, status: 'paid' as const, limit: 100 };
  for await (const invoice of api.stripe.invoices.list(paid)) {
    if ((await completionOf(api, invoice, subscription)) === checkoutId) found.push(invoice);
  }
  return found;
}

/** Whether all of its payments are refunded, or about to be. */
async function refundInvoice(api: StripeApi, { id: invoice, amount_paid }: Stripe.Invoice, what: Refund) {
  let count = 0;
  let isRefunded = true;
  for await (const { payment } of api.stripe.invoicePayments.list({ invoice, status: 'paid', limit: 100 })) {
    const paid = refundable(payment);
    count += 1;
    isRefunded = paid !== null && (await refundOnce(api, paid, what)) && isRefunded;
  }
  return isRefunded && (count > 0 || amount_paid === 0);
}

type Paid = { payment_intent: string } | { charge: string };

/** Null for a payment outside of Stripe. */
function refundable({ payment_intent, charge }: Stripe.InvoicePayment.Payment): Paid | null {
  if (payment_intent) return { payment_intent: idOf(payment_intent) };
  return charge ? { charge: idOf(charge) } : null;
}

/** Refunds a payment once; returns whether it is fully refunded, by this call or an earlier one. */
async function refundOnce({ stripe }: StripeApi, paid: Paid, { key, ...metadata }: Refund): Promise<boolean> {
  try {
    const { status } = await stripe.refunds.create({ ...paid, metadata }, once(key, 'refund', ...Object.values(paid)));
    return status === 'succeeded' || status === 'pending';
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && error.code === 'charge_already_refunded') return true;
    if (isFinal(error)) return false;
    throw error;
  }
}

/** A refund may fail days after it was accepted; Stripe then has the money again. */
export async function failedRefund({ stripe }: StripeApi, { id }: { id: string }): Promise<PaymentEvent> {
  const failed = await orNull(stripe.refunds.retrieve(id));
  if (!failed) return unknown;
  const { metadata, amount, currency, status } = failed;
  const { orgId, checkoutId, gatewaySubscriptionId = null } = metadata ?? {};
  if (!orgId || !checkoutId) return foreignObjects;
  if (status !== 'failed' && status !== 'canceled') return nothing;
  const notGivenBack = { orgId, provider: 'stripe' as const, gatewaySubscriptionId, checkoutId, amount, currency };
  return { ...nothing, notGivenBack };
}

/** Whether a retry would be refused again. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false;
  const { statusCode = 0 } = error;
  return statusCode >= 400 && statusCode < 500 && !passing.has(statusCode);
}
