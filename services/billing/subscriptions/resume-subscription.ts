import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { now } from '../clock.ts';
import { requirePaid } from './requirements.ts';
import { billedPath, exampleSubscription, subscriptionOutput, toSubscriptionResponse } from './shapes.ts';
import { changeSubscription } from './subscriptions.ts';

/** POST /v1/orgs/:orgId/resume: revokes a cancellation before the period ends. Idempotent. */
export const resumeSubscription = defineAction({
  rest: 'POST /v1/orgs/:orgId/resume',
  summary: 'Resume a cancelled subscription',
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.subscription.resume': typeof resumeSubscription;
  }
}
