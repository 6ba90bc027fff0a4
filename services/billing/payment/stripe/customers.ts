import type Stripe from 'stripe';
import { hashJson } from '../../../../lib/data/canonical-json.ts';
import { day, now } from '../../../../lib/data/clock.ts';
import { insertIfAbsent } from '../../../../lib/data/collection.ts';
import { cutText } from '../../../../lib/format/graphemes.ts';
import { type StripeCustomerDocument, StripeCustomerModel } from '../../../../models/billing/stripe-customer.ts';
import type { OpenedCheckout, Order, PaymentProvider } from '../provider.ts';
import { priceKey } from './prices.ts';
import type { StripeApi } from './provider.ts';
import { once, orNull, toInstant, toSeconds } from './requests.ts';

type Buyer = Pick<Order, 'orgId' | 'organizationName' | 'email'>;

/** Stripe's longest names and addresses. */
const maxNameLength = 256;
const maxEmailLength = 512;

/**
 * The id of an organization's customer. It is created at the first purchase, and again when Stripe does not have it any
 * more. It is stored here because Stripe's search by metadata lags behind.
 */
async function customerOf(stripe: Stripe, buyer: Buyer): Promise<string> {
  const stored = await find(buyer.orgId);
  if (stored && (await isThere(stripe, stored.customerId))) return stored.customerId;
  const params = {
    name: cutText(buyer.organizationName, maxNameLength),
    ...(buyer.email && buyer.email.length <= maxEmailLength && { email: buyer.email }),
    metadata: { orgId: buyer.orgId },
  };
  // The idempotency key contains the previous customer; otherwise Stripe would return that customer for a day.
  const key = once('customer', buyer.orgId, stored?.customerId ?? 'first', hashJson(params));
  const { id } = await stripe.customers.create(params, key);
  return keep(buyer.orgId, id, stored?.customerId ?? null);
}

/**
 * Has Stripe delete an organization's customer, and then deletes its id here. Its subscriptions end there; its invoices
 * stay, and refunds remain possible.
 */
export async function forgetCustomer(stripe: Stripe, orgId: string): Promise<void> {
  const stored = await find(orgId);
  if (!stored) return;
  const { customerId } = stored;
  await orNull(stripe.customers.del(customerId));
  await StripeCustomerModel.deleteOne({ _id: orgId, orgId, customerId });
}

/** Stores the customer's id; if customers were created concurrently, the first one is kept. */
async function keep(orgId: string, customerId: string, previous: string | null): Promise<string> {
  const document = { _id: orgId, orgId, customerId, createdAt: now() };
  const isKept =
    previous === null
      ? await insertIfAbsent<StripeCustomerDocument>(StripeCustomerModel, document)
      : (await StripeCustomerModel.updateOne({ _id: orgId, orgId, customerId: previous }, { $set: document }))
          .modifiedCount;
  return isKept ? customerId : ((await find(orgId))?.customerId ?? customerId);
}

async function isThere(stripe: Stripe, customerId: string): Promise<boolean> {
  const customer = await orNull(stripe.customers.retrieve(customerId));
  return customer !== null && !customer.deleted;
}

function find(orgId: string): Promise<StripeCustomerDocument | null> {
  return StripeCustomerModel.findOne({ _id: orgId, orgId }).lean<StripeCustomerDocument>().exec();
}

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
