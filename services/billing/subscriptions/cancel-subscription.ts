import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { optionalLines } from '../../../lib/text.ts';
import { now } from '../clock.ts';
import { requirePaid } from './requirements.ts';
import { billedPath, exampleSubscription, subscriptionOutput, toSubscriptionResponse } from './shapes.ts';
import { changeSubscription } from './subscriptions.ts';

/**
 * POST /v1/orgs/:orgId/cancel: ends the subscription at the end of its period, or immediately when it no longer grants
 * anything. Idempotent; the first reason is kept.
 */
export const cancelSubscription = defineAction({
  rest: 'POST /v1/orgs/:orgId/cancel',
  summary: 'Cancel the subscription at the end of its period',
  permission: 'billing.write',
  organization: ({ path }) => path.orgId,
  input: { path: billedPath, body: z.strictObject({ reason: optionalLines(1000).optional() }).default({}) },
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.subscription.cancel': typeof cancelSubscription;
  }
}
