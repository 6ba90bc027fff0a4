import type { Context } from 'moleculer';
import { createTtlCache } from '../../../lib/concurrency/ttl-cache.ts';
import type { CallContext } from '../../../lib/contract/context.ts';
import { orNull } from '../../../lib/contract/errors.ts';
import type { Entitlements, PlanName } from '../../../models/billing/sold-version.ts';
import type { Period, Subscription, SubscriptionStatus } from '../../../models/billing/subscription.ts';
import { now } from '../clock.ts';
import { currentPlan, entitlementsOf, findPlan } from '../plans/plans.ts';
import { soldEntitlements } from '../plans/sold-versions.ts';
import { findOrMake, type SubscriptionChanged, subscriptionChanged } from './documents.ts';
import { applyDueTransitions, nextDue, periodAt } from './state.ts';

/** An organization's entitlements at an instant. With `expired` none can be used before the subscription is paid. */
export type EntitlementsCache = {
  orgId: string;
  plan: PlanName;
  version: number;
  status: SubscriptionStatus;
  period: Period;
  /** The plan whose entitlements are in force: with `incomplete` and `canceled`, `free`. */
  grantedPlan: PlanName;
  entitlements: Entitlements;
  /** The subscription's. */
  revision: number;
};

/** A cached subscription, and its entitlements until something is due. */
type Entry = { revision: number; subscription: Subscription; view: View };
type View = { from: Date; until: Date; entitlements: EntitlementsCache };

const entries = createTtlCache<Entry>();

/**
 * An organization's present entitlements. Cached for half a second, or until an event invalidates them; scheduled
 * changes take effect at their instant. The object is shared: do not change it.
 *
 * @throws NOT_FOUND the organization does not exist.
 */
export async function entitlementsNow(ctx: CallContext, orgId: string): Promise<EntitlementsCache> {
  const { subscription, revision, view } = await entries.find(orgId, () => read(ctx, orgId));
  const at = now();
  if (at >= view.from && at < view.until) return view.entitlements;
  return (await viewOf(orgId, { subscription, revision }, at)).entitlements;
}

/** {@link entitlementsNow}, or null for an organization that is deleted or being deleted. */
export async function cachedEntitlements(ctx: CallContext, orgId: string): Promise<EntitlementsCache | null> {
  const granted = await orNull(entitlementsNow(ctx, orgId), 'NOT_FOUND');
  return granted?.status === 'canceled' ? null : granted;
}

/** Drops this process's cache of an organization. A read in flight is not cached either. */
export function invalidateEntitlements({ orgId }: SubscriptionChanged): void {
  entries.forget(orgId);
}

async function read(ctx: CallContext, orgId: string): Promise<Entry> {
  const { subscription, revision } = await findOrMake(ctx, orgId);
  return { revision, subscription, view: await viewOf(orgId, { subscription, revision }, now()) };
}

async function viewOf(orgId: string, stored: Pick<Entry, 'subscription' | 'revision'>, at: Date): Promise<View> {
  const { subscription } = applyDueTransitions(stored.subscription, at);
  const { plan, version, status } = subscription;
  const period = periodAt(subscription, at);
  const due = nextDue(subscription)?.at ?? period.end;
  const until = due < period.end || period.end <= at ? due : period.end;
  const granted = await grantedBy(subscription);
  const { revision } = stored;
  return { from: at, until, entitlements: { orgId, plan, version, status, period, ...granted, revision } };
}

async function grantedBy(subscription: Subscription): Promise<Pick<EntitlementsCache, 'grantedPlan' | 'entitlements'>> {
  const { plan, status } = subscription;
  if (status === 'incomplete' || status === 'canceled') {
    return { grantedPlan: 'free', entitlements: entitlementsOf(currentPlan('free')) };
  }
  return { grantedPlan: plan, entitlements: await entitlementsSold(subscription) };
}

async function entitlementsSold({ plan, version }: Subscription): Promise<Entitlements> {
  const planVersion = findPlan(plan, version);
  if (planVersion) return entitlementsOf(planVersion);
  return (await soldEntitlements({ name: plan, version })) ?? entitlementsOf(currentPlan(plan));
}

/** The events that the service listens to: a change on another node drops the cache. */
export const subscriptionEvents = {
  [subscriptionChanged]: {
    handler: (ctx: Context<SubscriptionChanged>) => invalidateEntitlements(ctx.params),
  },
};
