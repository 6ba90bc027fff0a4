import { hashJson } from '../../../../lib/canonical-json.ts';
import type { PaymentProvider } from '../provider.ts';
import type { StripeApi } from './client.ts';
import { keyOfPrice, priceKey } from './prices.ts';
import { once, orNull } from './requests.ts';
import { releaseSchedule, schedulePrice } from './schedules.ts';
import { findRunning, isCanceling, isEnded, itemOf, resumeRenewal, retrieveSubscription } from './subscriptions.ts';

type Asked<K extends 'cancelAtPeriodEnd' | 'resume' | 'changePlan' | 'end'> = Parameters<PaymentProvider[K]>[0];

/** Clears the schedule that `upgrade` set aside. */
const nothingPutAside = { afterwards: '' };

/** Ends a subscription with its period and sends Stripe the reason. A scheduled change is taken back. */
export async function cancelAtPeriodEnd(api: StripeApi, change: Asked<'cancelAtPeriodEnd'>): Promise<void> {
  const subscription = await findRunning(api, change);
  if (!subscription) return;
  // Stripe refuses this for a subscription under a schedule.
  await releaseSchedule(api, subscription, change.key);
  await api.stripe.subscriptions.update(
    subscription.id,
    {
      cancel_at_period_end: true,
      cancellation_details: { comment: change.reason ?? '' },
      metadata: nothingPutAside,
    },
    once(change.key, 'cancel', hashJson(change.reason)),
  );
}

/** Revokes a cancellation. */
export async function resume(api: StripeApi, change: Asked<'resume'>): Promise<void> {
  const subscription = await findRunning(api, change);
  if (!subscription || !isCanceling(subscription)) return;
  await resumeRenewal(api, subscription, change.key);
}

/** Schedules another plan from the next period on. The present plan takes back a scheduled change. */
export async function changePlan(api: StripeApi, { key, to, currency, ...change }: Asked<'changePlan'>): Promise<void> {
  const subscription = await findRunning(api, change);
  if (!subscription) return;
  const isBack = keyOfPrice(itemOf(subscription).price) === priceKey(to, currency);
  if (isBack) await releaseSchedule(api, subscription, key);
  else await schedulePrice(api, subscription, { to, currency, key });
  if (subscription.metadata.afterwards) {
    await api.stripe.subscriptions.update(subscription.id, { metadata: nothingPutAside }, once(key, 'forget'));
  }
}

/** Ends a subscription now and voids its open invoices: a customer does not pay for what they do not get. */
export async function end(api: StripeApi, { key, gatewaySubscriptionId }: Asked<'end'>): Promise<void> {
  const { stripe } = api;
  const subscription = await retrieveSubscription(api, gatewaySubscriptionId);
  if (!subscription) return;
  if (!isEnded(subscription)) {
    await releaseSchedule(api, subscription, key);
    await orNull(stripe.subscriptions.cancel(subscription.id));
  }
  // Only after the end: voiding the invoice of a running subscription puts it in force again.
  for (const status of ['open', 'draft'] as const) {
    for await (const { id } of stripe.invoices.list({ subscription: subscription.id, status, limit: 100 })) {
      // A draft of a subscription cannot be made void; it can be left a draft.
      if (status === 'open') await stripe.invoices.voidInvoice(id, {}, once(key, 'void', id));
      else await stripe.invoices.update(id, { auto_advance: false }, once(key, 'leave', id));
    }
  }
}
