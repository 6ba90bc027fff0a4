import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Ctx } from '../../../lib/caller.ts';
import type { Subscription } from '../../../models/billing/subscription.ts';
import type { SubscriptionEvent } from '../subscriptions/events.ts';
import { type Changed, changeSubscription } from '../subscriptions/subscriptions.ts';

/** The new subscription, its revision, and how many of the revisions before it are of the same call. */
export type ApplyResult = { subscription: Subscription; revision: number; changes: number };

/** Applies events to an organization's subscription in order and records the change; null for an empty list. */
export async function applyEvents(ctx: Ctx, orgId: string, events: SubscriptionEvent[]): Promise<ApplyResult | null> {
  let applied: ApplyResult | null = null;
  let changes = 0;
  for (const event of events) {
    const { subscription, revision, isChanged } = await applyEvent(ctx, orgId, event);
    changes += isChanged ? 1 : 0;
    applied = { subscription, revision, changes };
  }
  return applied;
}

async function applyEvent(ctx: Ctx, orgId: string, event: SubscriptionEvent): Promise<Changed> {
  const changed = await changeSubscription(ctx, orgId, () => event);
  await recordChange(ctx, orgId, changed);
  return changed;
}

/** Records a change of the subscription, unless it looks the same to the organization. */
export async function recordChange(ctx: Ctx, orgId: string, changed: Changed): Promise<void> {
  const [previous, present] = [describe(changed.former), describe(changed.subscription)];
  if (!changed.isChanged || JSON.stringify(previous) === JSON.stringify(present)) return;
  await recordAuditEvent(ctx, {
    action: 'subscription.changed',
    orgId,
    target: { type: 'subscription', id: orgId },
    before: previous,
    after: present,
  });
}

function describe({ plan, version, billingCycle, status, provider, scheduled }: Subscription): Record<string, unknown> {
  const next = scheduled && { plan: scheduled.plan, billingCycle: scheduled.billingCycle };
  return { plan, version, billingCycle, status, provider, scheduled: next };
}
