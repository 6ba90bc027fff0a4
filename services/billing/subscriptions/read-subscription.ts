import { defineAction } from '../../../lib/action.ts';
import { now } from '../clock.ts';
import { billedPath, exampleSubscription, subscriptionOutput, toSubscriptionResponse } from './shapes.ts';
import { readSubscription } from './subscriptions.ts';

/** GET /v1/orgs/:orgId/subscription: an organization's plan, its status and its current period. */
export const readSubscriptionAction = defineAction({
  rest: 'GET /v1/orgs/:orgId/subscription',
  summary: "Read an organization's subscription",
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.subscription.read': typeof readSubscriptionAction;
  }
}
