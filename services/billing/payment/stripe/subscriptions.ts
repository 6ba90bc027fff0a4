import type Stripe from 'stripe';
import { hashJson } from '../../../../lib/data/canonical-json.ts';
import type { Currency, Terms } from '../../../../models/billing/sold-version.ts';
import type { Change } from '../provider.ts';
import { intervalOf } from './prices.ts';
import type { StripeApi } from './provider.ts';
import { idOf, once, orNull } from './requests.ts';

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

/** Releases a subscription from its schedule, so that it renews unchanged after its period. */
export async function releaseSchedule(
  { stripe }: StripeApi,
  { schedule }: Stripe.Subscription,
  key: string,
): Promise<void> {
  if (!schedule) return;
  const id = idOf(schedule);
  await stripe.subscriptionSchedules.release(id, {}, once(key, 'release', id));
}

/** Schedules another price from the next period on, without proration. A present schedule is overwritten. */
export async function schedulePrice(
  { stripe, prices }: StripeApi,
  subscription: Stripe.Subscription,
  { to, currency, key }: { to: Terms; currency: Currency; key: string },
): Promise<void> {
  const next = await prices.idOf(to, currency);
  const { price, quantity = 1, current_period_start, current_period_end } = itemOf(subscription);
  const schedule = subscription.schedule
    ? await stripe.subscriptionSchedules.retrieve(idOf(subscription.schedule))
    : // Stripe takes nothing else with it.
      await stripe.subscriptionSchedules.create({ from_subscription: subscription.id }, once(key, 'schedule'));
  const phases: Stripe.SubscriptionScheduleUpdateParams = {
    end_behavior: 'release',
    proration_behavior: 'none',
    phases: [
      {
        items: [{ price: price.id, quantity }],
        start_date: schedule.current_phase?.start_date ?? current_period_start,
        end_date: current_period_end,
        proration_behavior: 'none',
      },
      {
        items: [{ price: next, quantity }],
        duration: { interval: intervalOf(to), interval_count: 1 },
        proration_behavior: 'none',
      },
    ],
  };
  await stripe.subscriptionSchedules.update(schedule.id, phases, once(key, 'phases', hashJson(phases)));
}
