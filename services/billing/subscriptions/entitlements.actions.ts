import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { idPattern } from '../../../lib/data/ids.ts';
import { currentPlan, entitlementsOf, entitlementsOutput } from '../plans/plans.ts';
import { billedPath, exampleSubscription, organizationEntitlements, toEntitlementsResponse } from './endpoints.ts';
import { cachedEntitlements, entitlementsNow } from './entitlements.ts';

/**
 * `billing.entitlements.describe`, for services: an organization's entitlements; null when it is deleted or being
 * deleted.
 */
export const describeEntitlements = defineAction({
  summary: "Describe what an organization's plan includes",
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')) }) },
  output: z.strictObject({ entitlements: entitlementsOutput.nullable() }),
  async handler({ body: { orgId }, ctx }) {
    const granted = await cachedEntitlements(ctx, orgId);
    return { entitlements: granted?.entitlements ?? null };
  },
});

/** GET /v1/orgs/:orgId/entitlements: what an organization's plan includes, for a client to read before it renders. */
export const readEntitlements = defineAction({
  rest: 'GET /v1/orgs/:orgId/entitlements',
  summary: "Read what an organization's plan includes",
  description:
    "Returns what the organization's plan includes, group by group, so that a client can show or hide features " +
    'before it renders. A group that is not included is `{ "enabled": false }`. Changes of the plan are visible ' +
    'within half a second.',
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
