import type { CallContext, PublishContext } from '../../../lib/contract/context.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { insertIfAbsent, nativeCollection } from '../../../lib/data/collection.ts';
import {
  type Effect,
  type Subscription,
  type SubscriptionDocument,
  SubscriptionModel,
} from '../../../models/billing/subscription.ts';
import { now } from '../clock.ts';
import { findPlan } from '../plans/plans.ts';
import { recordSold } from '../plans/sold-versions.ts';
import { nextDue } from './state.ts';
import { complimentarySubscription } from './transition.ts';

/** The event `billing.subscription.changed`: an organization's entitlements may have changed from that revision on. */
export type SubscriptionChanged = { orgId: string; revision: number };

export const subscriptionChanged = 'billing.subscription.changed';

/**
 * Broadcasts that nodes drop their cache of a subscription. A hint: a node that misses it finds out in half a second.
 */
export async function announceSubscription(ctx: PublishContext, change: SubscriptionChanged): Promise<void> {
  try {
    await ctx.broadcast(subscriptionChanged, change);
  } catch (error) {
    ctx.broker.logger.warn('Subscription change notification failed', { error });
  }
}

type Described = { organization: { name: string; slug: string; isFirst: boolean } | null };

/**
 * An organization's stored subscription. Without one it gets `free` now, and the organization of the first run `scale`.
 *
 * @throws NOT_FOUND the organization does not exist.
 */
export async function findOrMake(ctx: CallContext, orgId: string): Promise<SubscriptionDocument> {
  const found = await find(orgId);
  if (found) return found;
  const { organization } = await ctx.call<Described, object>('identity.organizations.describe', { body: { orgId } });
  if (!organization) throw apiError('NOT_FOUND');
  const at = now();
  const subscription = complimentarySubscription(organization.isFirst ? 'scale' : 'free', at);
  await recordTerms(subscription);
  const document = {
    _id: orgId,
    orgId,
    revision: 1,
    subscription,
    dueAt: null,
    effects: [],
    createdAt: at,
    updatedAt: at,
  };
  const isMade = await insertIfAbsent<SubscriptionDocument>(SubscriptionModel, document);
  return isMade ? document : ((await find(orgId)) ?? document);
}

/** Writes the new state of a document, unless it was changed concurrently; returns whether it wrote. */
export async function replace(
  { _id, orgId, revision, subscription: before }: SubscriptionDocument,
  { subscription, effects }: { subscription: Subscription; effects: Effect[] },
): Promise<boolean> {
  if (before.plan !== subscription.plan || before.version !== subscription.version) await recordTerms(subscription);
  const at = now();
  const next = revision + 1;
  const pending = effects.map((effect, index) => ({ ...effect, id: `${orgId}:${next}:${index}`, at }));
  const changes = { subscription, revision: next, dueAt: nextDue(subscription)?.at ?? null, updatedAt: at };
  const { modifiedCount } = await nativeCollection<SubscriptionDocument>(SubscriptionModel).updateOne(
    { _id, orgId, revision },
    { $set: changes, ...(pending.length > 0 && { $push: { effects: { $each: pending } } }) },
  );
  return modifiedCount === 1;
}

export function find(orgId: string): Promise<SubscriptionDocument | null> {
  return SubscriptionModel.findOne({ _id: orgId, orgId }).lean<SubscriptionDocument>().exec();
}

/** The stored subscriptions of these organizations. */
export function findAll(orgIds: readonly string[]): Promise<SubscriptionDocument[]> {
  return SubscriptionModel.find({ _id: { $in: orgIds } }, null, { acrossTenants: true })
    .lean<SubscriptionDocument[]>()
    .exec();
}

/** A version that this node does not know was recorded by the newer node that sold it. */
async function recordTerms({ plan, version }: Subscription): Promise<void> {
  const planVersion = findPlan(plan, version);
  if (planVersion) await recordSold(planVersion);
}
