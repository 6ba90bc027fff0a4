import { defineAction } from '../../../lib/action.ts';
import { readUsage, usage } from '../quota/read-usage.ts';
import { billedPath, exampleSubscription } from './shapes.ts';

/** GET /v1/orgs/:orgId/usage: an organization's usage, with the limits of its plan. */
export const readUsageAction = defineAction({
  rest: 'GET /v1/orgs/:orgId/usage',
  summary: 'Read the usage of the plan',
  permission: 'billing.read',
  organization: ({ path }) => path.orgId,
  input: { path: billedPath },
  output: usage,
  errors: ['NOT_FOUND'],
  example: {
    path: { orgId: exampleSubscription.orgId },
    output: {
      orgId: exampleSubscription.orgId,
      period: `${exampleSubscription.currentPeriodStart} / ${exampleSubscription.currentPeriodEnd}`,
      usage: {
        context: { eventsToday: 318, limitPerDay: 50_000 },
        notification: { sentThisMonth: 42, limitPerMonth: 10_000 },
        mail: { sentThisMonth: 210, limitPerMonth: 50_000 },
        storage: { usedGb: 1.25, limitGb: 50 },
      },
    },
  },
  handler: ({ caller: { orgId }, ctx }) => readUsage(ctx, orgId),
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.usage.read': typeof readUsageAction;
  }
}
