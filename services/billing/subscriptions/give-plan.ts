import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { idPattern } from '../../../lib/ids.ts';
import { planNames } from '../../../models/billing/sold-version.ts';
import { now } from '../clock.ts';
import { subscriptionOutput, toSubscriptionResponse } from './shapes.ts';
import { changeSubscription } from './subscriptions.ts';

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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.subscriptions.give': typeof grantPlan;
  }
}
