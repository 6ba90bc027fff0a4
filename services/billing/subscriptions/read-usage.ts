import { defineAction } from '../../../lib/action.ts';
import { readUsage, usage } from '../quota/read-usage.ts';
import { billedPath } from './shapes.ts';

/** GET /v1/orgs/:orgId/usage: an organization's usage, beside what its plan includes. */
export const readUsageAction = defineAction({
  rest: 'GET /v1/orgs/:orgId/usage',
  summary: 'Read what is used of the plan',
  permission: 'billing.read',
  organization: ({ path }) => path.orgId,
  input: { path: billedPath },
  output: usage,
  errors: ['NOT_FOUND'],
  handler: ({ caller: { orgId }, ctx }) => readUsage(ctx, orgId),
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.usage.read': typeof readUsageAction;
  }
}
