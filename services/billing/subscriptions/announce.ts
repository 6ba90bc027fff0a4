import type { Context } from 'moleculer';

/** The event `billing.subscription.changed`: an organization's entitlements may have changed from that revision on. */
export type SubscriptionChanged = { orgId: string; revision: number };

export const subscriptionChanged = 'billing.subscription.changed';

/**
 * Broadcasts that nodes drop their cache of a subscription. A hint: a node that misses it finds out in half a second.
 */
export async function announceSubscription(
  ctx: Pick<Context, 'broadcast' | 'broker'>,
  change: SubscriptionChanged,
): Promise<void> {
  try {
    await ctx.broadcast(subscriptionChanged, change);
  } catch (error) {
    ctx.broker.logger.warn('Subscription change notification failed', { error });
  }
}
