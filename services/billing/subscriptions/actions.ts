import type { Context } from 'moleculer';
import { type SubscriptionChanged, subscriptionChanged } from './announce.ts';
import { cancelSubscription } from './cancel-subscription.ts';
import { describeEntitlements } from './describe-entitlements.ts';
import { describeSubscription } from './describe-subscription.ts';
import { invalidateEntitlements } from './entitlements-now.ts';
import { grantPlan } from './give-plan.ts';
import { readEntitlements } from './read-entitlements.ts';
import { readSubscriptionAction } from './read-subscription.ts';
import { readUsageAction } from './read-usage.ts';
import { resumeSubscription } from './resume-subscription.ts';

export const subscriptionActions = {
  'entitlements.read': readEntitlements,
  'entitlements.describe': describeEntitlements,
  'subscription.read': readSubscriptionAction,
  'subscription.describe': describeSubscription,
  'subscriptions.give': grantPlan,
  'subscription.cancel': cancelSubscription,
  'subscription.resume': resumeSubscription,
  'usage.read': readUsageAction,
};

/** The events that the service listens to: a change on another node drops the cache. */
export const subscriptionEvents = {
  [subscriptionChanged]: {
    handler: (ctx: Context<SubscriptionChanged>) => invalidateEntitlements(ctx.params),
  },
};
