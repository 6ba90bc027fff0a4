import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { optionalLines, pathId, timestamp } from '../../../lib/contract/input.ts';
import { idPattern } from '../../../lib/data/ids.ts';
import { billingCycles, planNames } from '../../../models/billing/sold-version.ts';
import { type Subscription, subscriptionStatuses } from '../../../models/billing/subscription.ts';
import { now } from '../clock.ts';
import { entitlementsOutput, servicesOutput } from '../plans/plans.ts';
import { declaredLimitsOf } from '../quota/meters.ts';
import type { EntitlementsCache } from './entitlements.ts';
import { periodAt } from './state.ts';
import { changeSubscription, readSubscription } from './subscriptions.ts';

/** Throws PLAN_IS_FREE without a subscription to cancel or to resume. */
function requirePaid({ plan }: Subscription): void {
  if (plan === 'free') throw apiError('PLAN_IS_FREE');
}

/** Any text is accepted in the path: one that names none of the caller's organizations is 404, never 400. */
export const billedPath = z.strictObject({ orgId: pathId('org') });

/** A subscription in API responses. `gatewaySubscriptionId` is its id at the provider, null without payment. */
export const subscriptionOutput = z
  .strictObject({
    orgId: z.string(),
    plan: z.enum(planNames),
    status: z
      .enum(subscriptionStatuses)
      .describe(
        '`trialing`: active, but not paid yet. `past_due`: a payment failed, and the plan works until the grace ' +
          'period ends. `expired`: the grace period is over. `incomplete`: the first payment is pending, and the ' +
          'limits of `free` apply. `canceled`: the organization is deleted.',
      ),
    gatewaySubscriptionId: z
      .string()
      .nullable()
      .describe('The id of the subscription at the payment provider; null without payment.'),
    currentPeriodStart: timestamp,
    currentPeriodEnd: timestamp,
    cancelAtPeriodEnd: z.boolean().describe('Whether it was cancelled and ends with the current period.'),
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

function toSubscriptionResponse(
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
    status: z.enum(subscriptionStatuses).describe('The status of the subscription.'),
    currentPeriodEnd: timestamp,
    entitlements: entitlementsOutput,
    services: servicesOutput
      .optional()
      .describe(
        'The limits that further services declare, such as `services.hello.greetingsPerDay`; absent without any.',
      ),
  })
  .meta({ id: 'OrganizationEntitlements' });

export function toEntitlementsResponse(now: EntitlementsCache): z.output<typeof organizationEntitlements> {
  const { orgId, plan, status, period, grantedPlan, entitlements } = now;
  const services = declaredLimitsOf(grantedPlan);
  return {
    orgId,
    plan,
    status,
    currentPeriodEnd: period.end.toISOString(),
    entitlements,
    ...(Object.keys(services).length > 0 && { services }),
  };
}

/**
 * POST /v1/orgs/:orgId/cancel: ends the subscription at the end of its period, or immediately when it no longer grants
 * anything. Idempotent; the first reason is kept.
 */
export const cancelSubscription = defineAction({
  rest: 'POST /v1/orgs/:orgId/cancel',
  summary: 'Cancel the subscription at the end of its period',
  description:
    'Cancels the subscription at the end of its paid period; until then the plan stays in force, and the ' +
    'cancellation can be withdrawn with `resume`. A subscription that no longer grants anything ends immediately. ' +
    'A repeated call changes nothing and keeps the first `reason`. On the free plan the answer is `PLAN_IS_FREE`.',
  permission: 'billing.write',
  organization: ({ path }) => path.orgId,
  input: {
    path: billedPath,
    body: z
      .strictObject({ reason: optionalLines(1000).optional().describe('Why you cancel. The operator can read it.') })
      .meta({ id: 'CancellationInput' })
      .default({}),
  },
  output: subscriptionOutput,
  errors: ['NOT_FOUND', 'PLAN_IS_FREE', 'CONFLICT'],
  example: {
    path: { orgId: exampleSubscription.orgId },
    body: { reason: 'The shop closes for the summer.' },
    output: { ...exampleSubscription, cancelAtPeriodEnd: true },
  },
  async handler({ body: { reason }, caller: { orgId }, ctx }) {
    let wasCanceled = false;
    const { subscription } = await changeSubscription(ctx, orgId, (current) => {
      requirePaid(current);
      wasCanceled = current.cancelAtPeriodEnd;
      return { kind: 'cancelRequested', reason: reason || null };
    });
    const shown = toSubscriptionResponse(orgId, subscription, now());
    if (!wasCanceled) {
      const { plan, currentPeriodEnd } = shown;
      await recordAuditEvent(ctx, {
        action: 'subscription.canceled',
        orgId,
        target: { type: 'subscription', id: orgId },
        after: { plan, currentPeriodEnd },
      });
    }
    return shown;
  },
});

/**
 * `billing.subscriptions.give`, for the operator: grants an organization a plan immediately, without payment. Its paid
 * subscription ends.
 */
export const grantPlan = defineAction({
  summary: 'Grant an organization a plan without payment',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')), plan: z.enum(planNames) }) },
  output: subscriptionOutput,
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handler({ body: { orgId, plan }, ctx }) {
    const { subscription, isChanged } = await changeSubscription(ctx, orgId, () => ({ kind: 'planGiven', plan }));
    if (isChanged) {
      const target = { type: 'subscription', id: orgId };
      await recordAuditEvent(ctx, { action: 'subscription.given', orgId, target, after: { plan } });
    }
    return toSubscriptionResponse(orgId, subscription, now());
  },
});

/** GET /v1/orgs/:orgId/subscription: an organization's plan, its status and its current period. */
export const readSubscriptionAction = defineAction({
  rest: 'GET /v1/orgs/:orgId/subscription',
  summary: "Read an organization's subscription",
  description:
    "Returns the organization's plan, its status and its current period. Every organization has a subscription; " +
    'one that never paid is on `free`.',
  permission: 'billing.read',
  organization: ({ path }) => path.orgId,
  input: { path: billedPath },
  output: subscriptionOutput,
  errors: ['NOT_FOUND'],
  example: { path: { orgId: exampleSubscription.orgId }, output: exampleSubscription },
  async handler({ caller: { orgId }, ctx }) {
    const { subscription } = await readSubscription(ctx, orgId);
    return toSubscriptionResponse(orgId, subscription, now());
  },
});

/** POST /v1/orgs/:orgId/resume: revokes a cancellation before the period ends. Idempotent. */
export const resumeSubscription = defineAction({
  rest: 'POST /v1/orgs/:orgId/resume',
  summary: 'Resume a cancelled subscription',
  description:
    'Withdraws a cancellation before the period has ended, so that the subscription renews as before. A ' +
    'subscription that is not cancelled stays as it is. On the free plan the answer is `PLAN_IS_FREE`.',
  permission: 'billing.write',
  organization: ({ path }) => path.orgId,
  input: { path: billedPath },
  output: subscriptionOutput,
  errors: ['NOT_FOUND', 'PLAN_IS_FREE', 'CONFLICT'],
  example: { path: { orgId: exampleSubscription.orgId }, output: exampleSubscription },
  async handler({ caller: { orgId }, ctx }) {
    let wasCanceled = false;
    const { subscription } = await changeSubscription(ctx, orgId, (current) => {
      requirePaid(current);
      wasCanceled = current.cancelAtPeriodEnd;
      return { kind: 'resumed' };
    });
    const shown = toSubscriptionResponse(orgId, subscription, now());
    if (wasCanceled) {
      await recordAuditEvent(ctx, {
        action: 'subscription.resumed',
        orgId,
        target: { type: 'subscription', id: orgId },
        after: { plan: shown.plan, currentPeriodEnd: shown.currentPeriodEnd },
      });
    }
    return shown;
  },
});
