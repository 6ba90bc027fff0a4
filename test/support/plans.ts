import { now } from '../../lib/data/clock.ts';
import type { PlanName } from '../../models/billing/sold-version.ts';
import type { Subscription, SubscriptionDocument } from '../../models/billing/subscription.ts';
import { complimentarySubscription } from '../../services/billing/subscriptions/transition.ts';
import { withDatabase } from './database.ts';

/** Puts an organization on a plan that nobody pays for. A platform that asked lately knows within half a second. */
export function putOnPlan(databaseUrl: string, orgId: string, plan: PlanName): Promise<void> {
  return storeSubscription(databaseUrl, orgId, complimentarySubscription(plan, now()));
}

/** Writes an organization's subscription straight into the database of a platform that has started. */
export async function storeSubscription(
  databaseUrl: string,
  orgId: string,
  subscription: Subscription,
  dueAt: Date | null = null,
): Promise<void> {
  await withDatabase(databaseUrl, async (database) => {
    const subscriptions = database.collection<SubscriptionDocument>('billing_subscriptions');
    const former = await subscriptions.findOne({ _id: orgId, orgId });
    const at = now();
    await subscriptions.replaceOne(
      { _id: orgId, orgId },
      {
        orgId,
        revision: (former?.revision ?? 0) + 1,
        subscription,
        dueAt,
        effects: [],
        createdAt: former?.createdAt ?? at,
        updatedAt: at,
      },
      { upsert: true },
    );
  });
}
