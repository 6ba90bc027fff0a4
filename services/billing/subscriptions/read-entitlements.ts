import { defineAction } from '../../../lib/action.ts';
import { currentPlan, entitlementsOf } from '../plans/plans.ts';
import { entitlementsNow } from './entitlements-now.ts';
import { billedPath, exampleSubscription, organizationEntitlements, toEntitlementsResponse } from './shapes.ts';

/** GET /v1/orgs/:orgId/entitlements: what an organization's plan includes, for a client to read before it renders. */
export const readEntitlements = defineAction({
  rest: 'GET /v1/orgs/:orgId/entitlements',
  summary: "Read what an organization's plan includes",
  permission: 'billing.read',
  organization: ({ path }) => path.orgId,
  input: { path: billedPath },
  output: organizationEntitlements,
  errors: ['NOT_FOUND'],
  example: {
    path: { orgId: exampleSubscription.orgId },
    output: {
      orgId: exampleSubscription.orgId,
      plan: 'pro',
      status: 'active',
      currentPeriodEnd: exampleSubscription.currentPeriodEnd,
      entitlements: entitlementsOf(currentPlan('pro')),
    },
  },
  handler: async ({ caller: { orgId }, ctx }) => toEntitlementsResponse(await entitlementsNow(ctx, orgId)),
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.entitlements.read': typeof readEntitlements;
  }
}
