import Stripe from 'stripe';
import type { Refund, RefundOutcome } from '../provider.ts';
import type { StripeApi } from './client.ts';
import { completionOf } from './payments.ts';
import { idOf, once } from './requests.ts';
import { showSubscription } from './subscriptions.ts';

/** Refusals that may be over later: a wrong key, two calls at once, too many of them. */
const passing: ReadonlySet<number> = new Set([401, 409, 429]);

/**
 * Gives back what is left of all that was paid for a checkout; of other payments of its subscription nothing. What Stripe
 * will not give back, whenever it is asked, is for an operator.
 */
export async function refund(api: StripeApi, { key, ...what }: Refund): Promise<RefundOutcome> {
  try {
    const invoices = await invoicesOf(api, what);
    const outcomes: boolean[] = [];
    for (const invoice of invoices) outcomes.push(await refundInvoice(api, invoice, key));
    return invoices.length > 0 && outcomes.every((isRefunded) => isRefunded) ? 'refunded' : 'byHand';
  } catch (error) {
    if (isFinal(error)) return 'byHand';
    throw error;
  }
}

async function invoicesOf(
  api: StripeApi,
  { gatewaySubscriptionId, checkoutId }: Omit<Refund, 'key'>,
): Promise<Stripe.Invoice[]> {
  const subscription = await showSubscription(api, gatewaySubscriptionId);
  if (!subscription) return [];
  const found: Stripe.Invoice[] = [];
  const paid = { subscription: subscription.id, status: 'paid' as const, limit: 100 };
  for await (const invoice of api.stripe.invoices.list(paid)) {
    if ((await completionOf(api, invoice, subscription)) === checkoutId) found.push(invoice);
  }
  return found;
}

/** Whether all of its payments are on their way back. */
async function refundInvoice(api: StripeApi, { id: invoice, amount_paid }: Stripe.Invoice, key: string) {
  let count = 0;
  let isRefunded = true;
  for await (const { payment } of api.stripe.invoicePayments.list({ invoice, status: 'paid', limit: 100 })) {
    const paid = refundable(payment);
    count += 1;
    isRefunded = paid !== null && (await refundOnce(api, paid, key)) && isRefunded;
  }
  return isRefunded && (count > 0 || amount_paid === 0);
}

type Paid = { payment_intent: string } | { charge: string };

/** Null for what was paid outside of Stripe. */
function refundable({ payment_intent, charge }: Stripe.InvoicePayment.Payment): Paid | null {
  if (payment_intent) return { payment_intent: idOf(payment_intent) };
  return charge ? { charge: idOf(charge) } : null;
}

/** Whether nothing is left of it; what was given back already is. */
async function refundOnce({ stripe }: StripeApi, paid: Paid, key: string): Promise<boolean> {
  try {
    const { status } = await stripe.refunds.create(paid, once(key, 'refund', ...Object.values(paid)));
    return status === 'succeeded' || status === 'pending';
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && error.code === 'charge_already_refunded') return true;
    if (isFinal(error)) return false;
    throw error;
  }
}

/** Whether Stripe refuses what is asked for, and would again. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false;
  const { statusCode = 0 } = error;
  return statusCode >= 400 && statusCode < 500 && !passing.has(statusCode);
}
