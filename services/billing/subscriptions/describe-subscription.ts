import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { timestamp } from '../../../lib/contract/input.ts';
import { idPattern } from '../../../lib/data/ids.ts';
import {
  billingCycles,
  type Currency,
  currencies,
  planNames,
  type Terms,
} from '../../../models/billing/sold-version.ts';
import { type Subscription, subscriptionStatuses } from '../../../models/billing/subscription.ts';
import { now } from '../clock.ts';
import { chosenProvider } from '../payment/choice.ts';
import { directionOf, findPlan, plansOnSale } from '../plans/plans.ts';
import { meterNames } from '../quota/meters.ts';
import { readMeter } from '../usage/usage-history.ts';
import { entitlementsNow } from './entitlements.ts';
import { next, nextDue, periodAt } from './state.ts';
import { readSubscription } from './subscriptions.ts';
import { titleOf } from './transition.ts';

const credits = ['time', 'provider', 'none'] as const;
const named = { plan: z.enum(planNames), title: z.string(), billingCycle: z.enum(billingCycles) };

/**
 * `billing.subscription.describe`, for pages: all that an organization's members may read about its plan, and the
 * changes they may make. The caller checks the permission of the reader.
 */
export const describeSubscription = defineAction({
  summary: 'Describe the subscription of an organization to people',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')) }) },
  output: z.strictObject({
    ...named,
    status: z.enum(subscriptionStatuses),
    /** Null without payment. */
    currency: z.enum(currencies).nullable(),
    /** The price of the next period, in minor units, tax included; null when it is free. */
    price: z.int().nullable(),
    currentPeriodEnd: timestamp,
    /**
     * The credit for the rest of a paid period on an upgrade. `time`: it is deducted, and an excess over the price
     * makes the new period longer. `provider`: its provider deducts it. `none`: another provider collects by now and
     * deducts nothing. Null without payment.
     */
    credit: z.enum(credits).nullable(),
    cancelAtPeriodEnd: z.boolean(),
    /** When it ends, if it was cancelled or were cancelled now; null: immediately, or it does not end. */
    endsAt: timestamp.nullable(),
    /** The plan from the end of the period on. */
    scheduled: z.strictObject(named).nullable(),
    /** When the status expires. */
    deadline: timestamp.nullable(),
    /** In the unit of the limit. Without a limit it is not included; without a period end it is never reset. */
    usage: z.array(
      z.strictObject({
        meter: z.string(),
        kind: z.enum(['day', 'month', 'gauge']),
        /** The plural of its units, such as `greetings`; null for the platform's meters. */
        name: z.string().nullable(),
        used: z.number(),
        limit: z.number().nullable(),
        periodEnd: timestamp.nullable(),
      }),
    ),
    /** Whether plans can be bought on this platform. */
    arePaymentsEnabled: z.boolean(),
    /** Each plan on sale, compared with the present one. */
    changes: z.array(
      z.strictObject({
        plan: named.plan,
        billingCycle: named.billingCycle,
        direction: z.enum(['same', 'upgrade', 'downgrade']),
      }),
    ),
  }),
  errors: ['NOT_FOUND'],
  async handler({ body: { orgId }, ctx }) {
    const at = now();
    const { subscription } = await readSubscription(ctx, orgId);
    const { status, currency, cancelAtPeriodEnd, scheduled, deadline } = subscription;
    return {
      ...nameOf(subscription),
      status,
      currency,
      price: currency && priceOfNext(subscription, currency),
      currentPeriodEnd: periodAt(subscription, at).end.toISOString(),
      credit: creditOf(subscription),
      cancelAtPeriodEnd,
      endsAt: endOfCanceled(subscription, at)?.toISOString() ?? null,
      scheduled: scheduled && nameOf(scheduled),
      deadline: deadline?.toISOString() ?? null,
      usage: await usageOf(ctx, orgId),
      arePaymentsEnabled: chosenProvider() !== 'none',
      changes: changesOf(subscription),
    };
  },
});

function nameOf({ plan, version, billingCycle }: Terms) {
  return { plan, title: titleOf(plan, version), billingCycle };
}

/** The price of a version that only a newer node knows is unknown here. */
function priceOfNext(subscription: Subscription, currency: Currency): number | null {
  const { plan, version, billingCycle } = subscription.scheduled ?? subscription;
  return findPlan(plan, version)?.prices[billingCycle][currency] ?? null;
}

function creditOf({ provider, collection }: Subscription): (typeof credits)[number] | null {
  if (provider === null) return null;
  if (provider !== chosenProvider()) return 'none';
  return collection === 'platform' ? 'time' : 'provider';
}

function endOfCanceled(subscription: Subscription, at: Date): Date | null {
  const canceled = next(subscription, { kind: 'cancelRequested', reason: null }, at).subscription;
  return canceled.cancelAtPeriodEnd ? (nextDue(canceled)?.at ?? null) : null;
}

async function usageOf(ctx: Parameters<typeof entitlementsNow>[0], orgId: string) {
  const granted = await entitlementsNow(ctx, orgId);
  return await Promise.all(meterNames().map((meter) => readMeter(granted, meter)));
}

function changesOf(subscription: Subscription) {
  return plansOnSale().flatMap(({ name: plan }) =>
    billingCycles.map((billingCycle) => ({
      plan,
      billingCycle,
      direction: directionOf(subscription, { plan, billingCycle }),
    })),
  );
}
