import { z } from 'zod';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { timestamp } from '../../../lib/instant.ts';
import { pathId } from '../../../lib/path-text.ts';
import { billingCycles, planNames } from '../../../models/billing/sold-version.ts';
import { type Subscription, subscriptionStatuses } from '../../../models/billing/subscription.ts';
import { entitlementsOutput } from '../plans/entitlements-output.ts';
import type { EntitlementsCache } from './entitlements-now.ts';
import { periodAt } from './state.ts';

/** Any text is accepted in the path: one that names none of the caller's organizations is 404, never 400. */
export const billedPath = z.strictObject({ orgId: pathId('org') });

/** A subscription in API responses. `gatewaySubscriptionId` is its id at the provider, null without payment. */
export const subscriptionOutput = z
  .strictObject({
    orgId: z.string(),
    plan: z.enum(planNames),
    status: z.enum(subscriptionStatuses),
    gatewaySubscriptionId: z.string().nullable(),
    currentPeriodStart: timestamp,
    currentPeriodEnd: timestamp,
    cancelAtPeriodEnd: z.boolean(),
    billingCycle: z.enum(billingCycles),
  })
  .meta({ id: 'Subscription' });

export const exampleSubscription = {
  orgId: exampleId('org'),
  plan: 'pro',
  status: 'active',
  gatewaySubscriptionId: 'sub_example',
  currentPeriodStart: exampleInstant,
  currentPeriodEnd: '2026-04-02T09:30:00.000Z',
  cancelAtPeriodEnd: false,
  billingCycle: 'monthly',
} satisfies z.input<typeof subscriptionOutput>;

export function toSubscriptionResponse(
  orgId: string,
  subscription: Subscription,
  at: Date,
): z.output<typeof subscriptionOutput> {
  const { plan, status, gatewaySubscriptionId, cancelAtPeriodEnd, billingCycle } = subscription;
  const { start, end } = periodAt(subscription, at);
  return {
    orgId,
    plan,
    status,
    gatewaySubscriptionId,
    currentPeriodStart: start.toISOString(),
    currentPeriodEnd: end.toISOString(),
    cancelAtPeriodEnd,
    billingCycle,
  };
}

export const organizationEntitlements = z
  .strictObject({
    orgId: z.string(),
    plan: z.enum(planNames),
    status: z.enum(subscriptionStatuses),
    currentPeriodEnd: timestamp,
    entitlements: entitlementsOutput,
  })
  .meta({ id: 'OrganizationEntitlements' });

export function toEntitlementsResponse(now: EntitlementsCache): z.output<typeof organizationEntitlements> {
  const { orgId, plan, status, period, entitlements } = now;
  return { orgId, plan, status, currentPeriodEnd: period.end.toISOString(), entitlements };
}
