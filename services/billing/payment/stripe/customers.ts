import type Stripe from 'stripe';
import { hashJson } from '../../../../lib/canonical-json.ts';
import { now } from '../../../../lib/clock.ts';
import { cutText } from '../../../../lib/graphemes.ts';
import { insertIfAbsent } from '../../../../lib/insert-unless-there.ts';
import { type StripeCustomerDocument, StripeCustomerModel } from '../../../../models/billing/stripe-customer.ts';
import type { Order } from '../provider.ts';
import { once, orNull } from './requests.ts';

type Buyer = Pick<Order, 'orgId' | 'organizationName' | 'email'>;

/** Stripe's longest names and addresses. */
const maxNameLength = 256;
const maxEmailLength = 512;

/**
 * The id of an organization's customer. It is created at the first purchase, and again when Stripe does not have it any
 * more. It is stored here because Stripe's search by metadata lags behind.
 */
export async function customerOf(stripe: Stripe, buyer: Buyer): Promise<string> {
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
