import type Stripe from 'stripe';
import type { Change } from '../provider.ts';
import type { StripeApi } from './client.ts';
import { once, orNull } from './requests.ts';

/** A subscription with its newest invoice. */
export type Shown = Stripe.Subscription & { latest_invoice: Stripe.Invoice | null };

const endings = new Set<Stripe.Subscription.Status>(['canceled', 'incomplete_expired']);

/** A subscription as it is at Stripe now; null when Stripe does not know it. */
export async function retrieveSubscription({ stripe }: StripeApi, id: string): Promise<Shown | null> {
  const subscription = await orNull(stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] }));
  return subscription && shown(subscription);
}

/** The subscription of a change as it is now; null when there is nothing left to change. */
export async function findRunning(
  api: StripeApi,
  change: Pick<Change, 'gatewaySubscriptionId'>,
): Promise<Shown | null> {
  const subscription = await retrieveSubscription(api, change.gatewaySubscriptionId);
  return subscription && !isEnded(subscription) ? subscription : null;
}

/** A subscription that was read with its newest invoice expanded. */
export function shown(subscription: Stripe.Subscription): Shown {
  const { latest_invoice } = subscription;
  if (typeof latest_invoice === 'string') throw new Error(`Stripe did not show the invoice ${latest_invoice}.`);
  return { ...subscription, latest_invoice };
}

export function isEnded({ status }: Stripe.Subscription): boolean {
  return endings.has(status);
}

/** The item of a subscription, which has only one. */
export function itemOf({ id, items }: Stripe.Subscription): Stripe.SubscriptionItem {
  const [item] = items.data;
  if (!item) throw new Error(`Stripe’s subscription ${id} has no item.`);
  return item;
}

/** Whether it ends with its period. The end may have been set as a date, on Stripe's own pages. */
export function isCanceling(subscription: Stripe.Subscription): boolean {
  const { cancel_at, cancel_at_period_end } = subscription;
  return cancel_at_period_end || (cancel_at !== null && cancel_at <= itemOf(subscription).current_period_end);
}

/** Revokes the end with the period. */
export async function resumeRenewal(
  { stripe }: StripeApi,
  { id, cancel_at_period_end }: Shown,
  key: string,
): Promise<void> {
  // Stripe takes one of the two at a time.
  const ending = cancel_at_period_end ? { cancel_at_period_end: false } : { cancel_at: '' as const };
  const params = { ...ending, cancellation_details: { comment: '' as const } };
  await stripe.subscriptions.update(id, params, once(key, 'resume', ...Object.keys(ending)));
}

/**
 * The page on which the open invoice of a subscription is paid. Its period stays the current one.
 *
 * @throws Error the invoice is no longer open; a webhook reports its outcome.
 */
export async function openInvoicePage(api: StripeApi, change: Pick<Change, 'gatewaySubscriptionId'>): Promise<string> {
  const subscription = await findRunning(api, change);
  const url = subscription && paymentPageOf(subscription);
  if (!url) throw new Error(`Stripe’s subscription ${change.gatewaySubscriptionId} has no open invoice.`);
  return url;
}

/** The page on which an unpaid invoice can be paid by hand; null when there is none. */
export function paymentPageOf({ latest_invoice }: Shown): string | null {
  return latest_invoice?.status === 'open' ? (latest_invoice.hosted_invoice_url ?? null) : null;
}
