import type { Context } from 'moleculer';
import { recordAct } from '../../../lib/audit.ts';
import type { RequestMeta } from '../../../lib/caller.ts';
import type { Subscription } from '../../../models/billing/subscription.ts';
import type { SubscriptionEvent } from '../subscriptions/events.ts';
import { changeSubscription } from '../subscriptions/subscriptions.ts';

type Ctx = Context<unknown, RequestMeta>;

/** Has what happened count for an organization's subscription, in order, and records what became of it. */
export async function applyEvents(ctx: Ctx, orgId: string, events: SubscriptionEvent[]): Promise<Subscription | null> {
  let current: Subscription | null = null;
  for (const event of events) current = await applyEvent(ctx, orgId, event);
  return current;
}

async function applyEvent(ctx: Ctx, orgId: string, event: SubscriptionEvent): Promise<Subscription> {
  const former: { subscription?: Subscription } = {};
  const { subscription, isChanged } = await changeSubscription(ctx, orgId, (current) => {
    former.subscription = current;
    return event;
  });
  if (isChanged && former.subscription) await recordChange(ctx, orgId, former.subscription, subscription);
  return subscription;
}

/** Records what a subscription became, unless it is the same to whoever has it. */
export async function recordChange(ctx: Ctx, orgId: string, before: Subscription, after: Subscription): Promise<void> {
  const [former, present] = [describe(before), describe(after)];
  if (JSON.stringify(former) === JSON.stringify(present)) return;
  await recordAct(ctx, {
    action: 'subscription.changed',
    orgId,
    target: { type: 'subscription', id: orgId },
    before: former,
    after: present,
  });
}

function describe({ plan, version, billingCycle, status, provider, scheduled }: Subscription): Record<string, unknown> {
  const next = scheduled && { plan: scheduled.plan, billingCycle: scheduled.billingCycle };
  return { plan, version, billingCycle, status, provider, scheduled: next };
}
