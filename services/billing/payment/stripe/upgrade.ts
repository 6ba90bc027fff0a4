import type Stripe from 'stripe';
import { fail } from '../../../../lib/errors.ts';
import type { Order, PaymentProvider } from '../provider.ts';
import type { StripeApi } from './client.ts';
import { keyOfPrice, parsePriceKey, priceKey } from './prices.ts';
import { idOf, once, orNull } from './requests.ts';
import { releaseSchedule, schedulePrice } from './schedules.ts';
import { findRunning, itemOf, paymentPageOf, type Shown, shown } from './subscriptions.ts';

type Upgrade = Parameters<PaymentProvider['upgrade']>[0];

/**
 * Has a running subscription pay the difference to a greater plan, which it gets when that is paid: until then the change
 * is pending at Stripe, for 23 hours at most. What it was to become at the end of its period is put aside meanwhile.
 *
 * @throws CONFLICT it has ended.
 */
export async function upgrade(api: StripeApi, { key, order, ...change }: Upgrade): Promise<{ url: string | null }> {
  const subscription = await findRunning(api, change);
  if (!subscription) throw fail('CONFLICT', { message: 'The subscription has ended; start again to subscribe anew.' });
  if (isAsked(subscription, order)) return { url: paymentPageOf(subscription) };
  await putScheduleAside(api, subscription, { key, order });
  try {
    const updated = shown(await askForPayment(api, subscription, { key, order }));
    return { url: updated.pending_update && paymentPageOf(updated) };
  } catch (error) {
    await restoreSchedule(api, subscription.id);
    throw error;
  }
}

/** Restores the schedule that was set aside for an upgrade that was not paid. */
export async function restoreSchedule(api: StripeApi, subscriptionId: string): Promise<void> {
  const subscription = await findRunning(api, { gatewaySubscriptionId: subscriptionId });
  const aside = subscription && asideOf(subscription);
  if (!aside || subscription.pending_update || keyOfPrice(itemOf(subscription).price) === subscription.metadata.terms) {
    return;
  }
  const key = `${aside.scheduleId}:restored`;
  await schedulePrice(api, subscription, { to: aside.terms, currency: aside.currency, key });
  await api.stripe.subscriptions.update(subscriptionId, { metadata: { afterwards: '' } }, once(key, 'forget'));
}

/** Whether it has, or waits for the payment of, what is ordered. */
function isAsked(subscription: Shown, { checkoutId, terms, currency }: Order): boolean {
  const isSame = keyOfPrice(itemOf(subscription).price) === priceKey(terms, currency);
  return isSame || (subscription.pending_update !== null && subscription.metadata.checkoutId === checkoutId);
}

/**
 * Notes the checkout at the subscription, and lets no schedule lead it. Stripe takes neither together with a change that
 * waits for its payment. The invoice of the change has a copy of the note, by which its payment is known again.
 */
async function putScheduleAside(
  api: StripeApi,
  subscription: Shown,
  { key, order }: Pick<Upgrade, 'key' | 'order'>,
): Promise<void> {
  const { checkoutId, orgId, terms, currency } = order;
  const afterwards = subscription.schedule ? await scheduledAt(api, subscription.schedule) : '';
  const metadata = { orgId, checkoutId, terms: priceKey(terms, currency), afterwards };
  await api.stripe.subscriptions.update(subscription.id, { metadata }, once(key, 'note', afterwards));
  await releaseSchedule(api, subscription, key);
}

function askForPayment(
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

/** What a schedule ends in, and which it is; empty where that is no plan of the platform's. */
async function scheduledAt(api: StripeApi, schedule: string | Stripe.SubscriptionSchedule): Promise<string> {
  const found = await orNull(api.stripe.subscriptionSchedules.retrieve(idOf(schedule)));
  const price = found?.phases.at(-1)?.items[0]?.price;
  const priced = price && (await api.prices.pricedBy(idOf(price)));
  return found && priced ? `${priceKey(priced.terms, priced.currency)} ${found.id}` : '';
}

function asideOf({ schedule, metadata }: Shown) {
  const [key = '', scheduleId = ''] = (metadata.afterwards ?? '').split(' ');
  const priced = parsePriceKey(key);
  return priced && !schedule ? { ...priced, scheduleId } : null;
}
