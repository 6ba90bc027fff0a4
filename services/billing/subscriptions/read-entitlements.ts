import { defineAction } from '../../../lib/action.ts';
import { entitlementsNow } from './entitlements-now.ts';
import { billedPath, organizationEntitlements, showEntitlements } from './shapes.ts';

/** GET /v1/orgs/:orgId/entitlements: what an organization's plan includes, for a client to read before it renders. */
export const readEntitlements = defineAction({
  rest: 'GET /v1/orgs/:orgId/entitlements',
  summary: "Read what an organization's plan includes",
  permission: 'billing.read',
  organization: ({ path }) => path.orgId,
  input: { path: billedPath },
  output: organizationEntitlements,
  errors: ['NOT_FOUND'],
  handler: async ({ caller: { orgId }, ctx }) => showEntitlements(await entitlementsNow(ctx, orgId)),
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.entitlements.read': typeof readEntitlements;
  }
}
