import { setTimeout as wait } from 'node:timers/promises';
import type { CallContext, Ctx } from '../../../lib/contract/context.ts';
import { apiError, orNull } from '../../../lib/contract/errors.ts';
import {
  type PendingEffect,
  type Subscription,
  type SubscriptionDocument,
  SubscriptionModel,
} from '../../../models/billing/subscription.ts';
import { now } from '../clock.ts';
import { announceSubscription, findAll, findOrMake, replace } from './documents.ts';
import { dispatchEffects } from './effects.ts';
import { invalidateEntitlements } from './entitlements.ts';
import { applyDueTransitions, next } from './state.ts';
import type { SubscriptionEvent } from './transition.ts';

/** Enough for many writers of one organization on many nodes. */
const maxAttempts = 60;
const maxPause = 100;

/**
 * Decides the event for a subscription as of that instant; null for none. It may throw a refusal, and runs again after
 * a concurrent change: its last answer counts.
 */
export type Decide = (subscription: Subscription, at: Date) => SubscriptionEvent | null;

/** `former`: the subscription on which the event was decided. */
export type Changed = { former: Subscription; subscription: Subscription; revision: number; isChanged: boolean };

/** An organization's subscription as of now, also before the sweep has written what is due. */
export async function readSubscription(
  ctx: CallContext,
  orgId: string,
): Promise<Pick<Changed, 'subscription' | 'revision'>> {
  const { subscription, revision } = await findOrMake(ctx, orgId);
  return { subscription: applyDueTransitions(subscription, now()).subscription, revision };
}

/**
 * The subscriptions of organizations as of now, by organization, without those that do not exist. One query reads those
 * that are stored.
 */
export async function readSubscriptions(
  ctx: CallContext,
  orgIds: readonly string[],
): Promise<Map<string, Subscription>> {
  const at = now();
  const stored = await findAll(orgIds);
  const found = new Map(
    stored.map(({ _id, subscription }) => [_id, applyDueTransitions(subscription, at).subscription]),
  );
  const unread = orgIds.filter((orgId) => !found.has(orgId));
  const others = await Promise.all(unread.map((orgId) => orNull(readSubscription(ctx, orgId), 'NOT_FOUND')));
  for (const [index, orgId] of unread.entries()) {
    const other = others[index];
    if (other) found.set(orgId, other.subscription);
  }
  return found;
}

/**
 * Changes an organization's subscription: applies what is due, then the event that `decide` returns for the newest
 * state. When this resolves the change is durable, all reachable nodes are notified, and its effects were tried once.
 * The sweep retries the failed ones.
 *
 * @throws NOT_FOUND the organization does not exist; CONFLICT too many concurrent changes; errors of `decide`.
 */
export async function changeSubscription(ctx: Ctx, orgId: string, decide: Decide): Promise<Changed> {
  const changed = await decideAndReplace(ctx, orgId, decide);
  if (!changed.isChanged) return changed;
  invalidateEntitlements({ orgId, revision: changed.revision });
  await announceSubscription(ctx, { orgId, revision: changed.revision });
  await dispatchEffects(ctx, orgId);
  return changed;
}

/**
 * The organization of a provider's subscription, present or former, and its revision; null where no organization has
 * it.
 */
export async function findHolder(
  provider: string,
  gatewaySubscriptionId: string,
): Promise<{ orgId: string; revision: number } | null> {
  const running = { 'subscription.gatewaySubscriptionId': gatewaySubscriptionId, 'subscription.provider': provider };
  return (await findOneWith(running)) ?? (await findOneWith({ 'subscription.endedIds': gatewaySubscriptionId }));
}

/** One indexed query each: every webhook searches the subscriptions of all tenants. */
async function findOneWith(filter: object): Promise<{ orgId: string; revision: number } | null> {
  const found = await SubscriptionModel.findOne(filter, { orgId: 1, revision: 1 }, { acrossTenants: true }).lean<{
    orgId: string;
    revision: number;
  }>();
  return found && { orgId: found.orgId, revision: found.revision };
}

async function decideAndReplace(ctx: Ctx, orgId: string, decide: Decide): Promise<Changed> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const document = await findOrMake(ctx, orgId);
    const { former, subscription, effects } = transitionOf(document, decide, now());
    const { revision } = document;
    if (subscription === document.subscription && effects.length === 0) {
      return { former, subscription, revision, isChanged: false };
    }
    if (await replace(document, { subscription, effects })) {
      return { former, subscription, revision: revision + 1, isChanged: true };
    }
    await wait(Math.random() * Math.min(2 ** attempt, maxPause));
  }
  throw apiError('CONFLICT');
}

function transitionOf(document: SubscriptionDocument, decide: Decide, at: Date) {
  const caught = applyDueTransitions(document.subscription, at);
  const previous = caught.subscription;
  const event = decide(previous, at);
  if (!event) return { former: previous, ...caught };
  const decided = next(previous, asOf(document, event), at);
  const settled = applyDueTransitions(decided.subscription, at);
  return {
    former: previous,
    subscription: settled.subscription,
    effects: [...caught.effects, ...decided.effects, ...settled.effects],
  };
}

const providerCalls = new Set<PendingEffect['kind']>(['cancelAtProvider', 'resumeAtProvider', 'changePlanAtProvider']);

/** While a call to the provider is pending, the provider's state must not overwrite the desired state. */
function asOf({ effects }: SubscriptionDocument, event: SubscriptionEvent): SubscriptionEvent {
  const isPending = event.kind === 'providerStateRead' && effects.some(({ kind }) => providerCalls.has(kind));
  return isPending ? { ...event, readAt: new Date(0) } : event;
}
