import Stripe from 'stripe';
import type { Refund, RefundOutcome } from '../provider.ts';
import type { StripeApi } from './client.ts';
import { completionOf } from './payments.ts';
import { idOf, once } from './requests.ts';
import { showSubscription } from './subscriptions.ts';

/** What Stripe gives back no more: the payer disputes it, or it was not paid in a way that leads back. */
const forOperators: ReadonlySet<string> = new Set([
  'charge_disputed',
  'charge_not_refundable',
  'refund_disputed_payment',
]);

/** Gives back what is left of all that was paid for a checkout; of other payments of its subscription nothing. */
export async function refund(api: StripeApi, { key, ...what }: Refund): Promise<RefundOutcome> {
  let outcome: RefundOutcome = 'refunded';
  for (const invoice of await invoicesOf(api, what)) {
    for await (const { payment } of api.stripe.invoicePayments.list({ invoice, status: 'paid', limit: 100 })) {
      const paid = refundable(payment);
      if (!paid || !(await refundOnce(api, paid, key))) outcome = 'byHand';
    }
  }
  return outcome;
}

async function invoicesOf(
  api: StripeApi,
  { gatewaySubscriptionId, checkoutId }: Omit<Refund, 'key'>,
): Promise<string[]> {
  const subscription = await showSubscription(api, gatewaySubscriptionId);
  if (!subscription) throw new Error(`Stripe does not know the subscription ${gatewaySubscriptionId}.`);
  const found: string[] = [];
  const paid = { subscription: subscription.id, status: 'paid' as const, limit: 100 };
  for await (const invoice of api.stripe.invoices.list(paid)) {
    if ((await completionOf(api, invoice, subscription)) === checkoutId) found.push(invoice.id);
  }
  if (found.length === 0) throw new Error(`Stripe shows no paid invoice of the checkout ${checkoutId}.`);
  return found;
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
    await stripe.refunds.create(paid, once(key, 'refund', ...Object.values(paid)));
    return true;
  } catch (error) {
    const code = error instanceof Stripe.errors.StripeError ? (error.code ?? '') : '';
    if (code === 'charge_already_refunded') return true;
    if (forOperators.has(code)) return false;
    throw error;
  }
}
