import { day, now } from '../../../../lib/clock.ts';
import type { OpenedCheckout, Order, PaymentProvider } from '../provider.ts';
import type { StripeApi } from './client.ts';
import { customerOf } from './customers.ts';
import { priceKey } from './prices.ts';
import { once, orNull, toInstant, toSeconds } from './requests.ts';

/** The longest time for which Stripe keeps a page open; the shortest is half an hour. */
const maxSessionTime = day;

/**
 * Opens the page on which a new subscription is paid. The checkout's id is metadata of the session, of its subscription
 * and of the first invoice, so that the webhook of any of them identifies the purchase.
 */
export async function openSession({ stripe, prices }: StripeApi, order: Order): Promise<OpenedCheckout> {
  const { checkoutId, orgId, terms, currency, successUrl, cancelUrl, expiresAt } = order;
  const [price, customer] = await Promise.all([prices.idOf(terms, currency), customerOf(stripe, order)]);
  const metadata = { orgId, checkoutId, terms: priceKey(terms, currency) };
  const isShort = expiresAt.getTime() - now().getTime() <= maxSessionTime;
  const session = await stripe.checkout.sessions.create(
    {
      mode: 'subscription',
      customer,
      client_reference_id: checkoutId,
      line_items: [{ price, quantity: 1 }],
      metadata,
      subscription_data: { metadata },
      success_url: successUrl,
      cancel_url: cancelUrl,
      // Without it, the page is open for the longest time.
      ...(isShort && { expires_at: toSeconds(expiresAt) }),
    },
    once(checkoutId, 'session'),
  );
  return { gatewayCheckoutId: session.id, url: session.url, expiresAt: toInstant(session.expires_at) };
}

/** Closes an unpaid page. A page that was paid concurrently stays paid. */
export async function closeSession(
  { stripe }: StripeApi,
  { key, gatewayCheckoutId }: Parameters<PaymentProvider['closeCheckout']>[0],
): Promise<void> {
  const { sessions } = stripe.checkout;
  const isOpen = async () => (await orNull(sessions.retrieve(gatewayCheckoutId)))?.status === 'open';
  if (!(await isOpen())) return;
  try {
    await sessions.expire(gatewayCheckoutId, {}, once(key, 'expire'));
  } catch (error) {
    // The session was completed, or expired, concurrently.
    if (await isOpen()) throw error;
  }
}
