import type Stripe from 'stripe';
import { hashJson } from '../../../../lib/canonical-json.ts';
import type { Currency, Terms } from '../../../../models/billing/sold-version.ts';
import type { StripeApi } from './client.ts';
import { intervalOf } from './prices.ts';
import { idOf, once } from './requests.ts';
import { itemOf } from './subscriptions.ts';

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
