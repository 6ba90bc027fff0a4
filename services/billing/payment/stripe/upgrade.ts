import type Stripe from 'stripe';
import { apiError } from '../../../../lib/contract/errors.ts';
import type { Order, PaymentProvider } from '../provider.ts';
import { keyOfPrice, parsePriceKey, priceKey } from './prices.ts';
import type { StripeApi } from './provider.ts';
import { idOf, once, orNull } from './requests.ts';
import {
  findRunning,
  isEnded,
  itemOf,
  paymentPageOf,
  releaseSchedule,
  type Shown,
  schedulePrice,
  shown,
} from './subscriptions.ts';

type Upgrade = Parameters<PaymentProvider['upgrade']>[0];

/**
 * Collects the difference to a larger plan from a running subscription. Until the payment the change is pending at
 * Stripe, for at most 23 hours. A scheduled change is set aside until then.
 *
 * @throws CONFLICT the subscription has ended.
 */
export async function upgrade(api: StripeApi, { key, order, ...change }: Upgrade): Promise<{ url: string | null }> {
  const subscription = await findRunning(api, change);
  if (!subscription)
    throw apiError('CONFLICT', { message: 'The subscription has ended. Open a new checkout to subscribe again.' });
  if (isAsked(subscription, order)) return { url: paymentPageOf(subscription) };
  await putScheduleAside(api, subscription, { key, order });
  try {
    const updated = shown(await requestPayment(api, subscription, { key, order }));
    return { url: updated.pending_update && paymentPageOf(updated) };
  } catch (error) {
    await restoreSchedule(api, subscription.id);
    throw error;
  }
}

/** Restores the schedule that was set aside for an upgrade that was not paid. */
export async function restoreSchedule(api: StripeApi, subscriptionId: string): Promise<void> {
  const subscription = await findRunning(api, { gatewaySubscriptionId: subscriptionId });
  if (subscription) await restore(api, subscription);
}

/**
 * Restores the schedule once the upgrade's invoice is void. Every webhook of the subscription may trigger it, because
 * the webhook of the expiry may arrive after the end of the period. Without an invoice the payment has not been
 * requested yet.
 */
export async function restoreAfterVoid(api: StripeApi, subscription: Shown): Promise<void> {
  const { latest_invoice: invoice, metadata } = subscription;
  const checkoutId = invoice?.parent?.subscription_details?.metadata?.checkoutId;
  const isVoid = invoice?.status === 'void' && checkoutId === metadata.checkoutId;
  if (isVoid && !isEnded(subscription)) await restore(api, subscription);
}

async function restore(api: StripeApi, subscription: Shown): Promise<void> {
  const aside = asideOf(subscription);
  if (!aside || subscription.schedule || subscription.pending_update || isPaid(subscription)) return;
  const key = `${aside.scheduleId}:restored`;
  await schedulePrice(api, subscription, { to: aside.terms, currency: aside.currency, key });
  await api.stripe.subscriptions.update(subscription.id, { metadata: { afterwards: '' } }, once(key, 'forget'));
}

/** Whether it has the plan that was last ordered. */
function isPaid(subscription: Shown): boolean {
  return keyOfPrice(itemOf(subscription).price) === subscription.metadata.terms;
}

/** Whether it has the ordered plan, or waits for its payment. */
function isAsked(subscription: Shown, { checkoutId, terms, currency }: Order): boolean {
  const isSame = keyOfPrice(itemOf(subscription).price) === priceKey(terms, currency);
  return isSame || (subscription.pending_update !== null && subscription.metadata.checkoutId === checkoutId);
}

/**
 * Stores the checkout in the subscription's metadata and releases its schedule. Stripe does neither together with a
 * change that waits for its payment. The invoice of the change copies the metadata, which identifies its payment.
 */
async function putScheduleAside(
  api: StripeApi,
  subscription: Shown,
  { key, order }: Pick<Upgrade, 'key' | 'order'>,
): Promise<void> {
  const { checkoutId, orgId, terms, currency } = order;
  const afterwards = await scheduledAfter(api, subscription);
  const metadata = { orgId, checkoutId, terms: priceKey(terms, currency), afterwards };
  await api.stripe.subscriptions.update(subscription.id, { metadata }, once(key, 'note', afterwards));
  await releaseSchedule(api, subscription, key);
}

function requestPayment(
  { stripe, prices }: StripeApi,
  subscription: Shown,
  { key, order }: Pick<Upgrade, 'key' | 'order'>,
): Promise<Stripe.Subscription> {
  return prices.idOf(order.terms, order.currency).then((price) =>
    stripe.subscriptions.update(
      subscription.id,
      {
        items: [{ id: itemOf(subscription).id, price }],
        proration_behavior: 'always_invoice',
        payment_behavior: 'pending_if_incomplete',
        expand: ['latest_invoice'],
      },
      once(key),
    ),
  );
}

/**
 * The price that the schedule ends with, and the schedule's id; empty where it is not one of the platform's plans.
 * What was set aside for an earlier upgrade, which was not paid and is not restored yet, stays set aside.
 */
async function scheduledAfter(api: StripeApi, subscription: Shown): Promise<string> {
  const { schedule, metadata } = subscription;
  if (!schedule) return isPaid(subscription) ? '' : (metadata.afterwards ?? '');
  const found = await orNull(api.stripe.subscriptionSchedules.retrieve(idOf(schedule)));
  const price = found?.phases.at(-1)?.items[0]?.price;
  const priced = price && (await api.prices.pricedBy(idOf(price)));
  return found && priced ? `${priceKey(priced.terms, priced.currency)} ${found.id}` : '';
}

function asideOf({ metadata }: Shown) {
  const [key = '', scheduleId = ''] = (metadata.afterwards ?? '').split(' ');
  const priced = parsePriceKey(key);
  return priced && { ...priced, scheduleId };
}
