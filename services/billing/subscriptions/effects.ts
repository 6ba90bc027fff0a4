import type { Ctx } from '../../../lib/contract/context.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import {
  type Effect,
  type PendingEffect,
  type SubscriptionDocument,
  SubscriptionModel,
} from '../../../models/billing/subscription.ts';
import { find } from './documents.ts';

type Pending<K extends Effect['kind']> = Extract<Effect, { kind: K }> & { id: string; at: Date };

/** Carries out one effect of an organization. Must be idempotent by the effect's `id`. An error counts as a failure. */
export type EffectHandler<K extends Effect['kind']> = (ctx: Ctx, orgId: string, effect: Pending<K>) => Promise<unknown>;

export type EffectHandlers = { [K in Effect['kind']]: EffectHandler<K> };

const handlers: Partial<EffectHandlers> = {};

/** Registers the effect handlers of this process. Effects without a handler stay pending. */
export function handleEffects(more: Partial<EffectHandlers>): void {
  Object.assign(handlers, more);
}

/** The organizations in flight in this process. `again`: another run was requested, so this one repeats. */
const atWork = new Map<string, { again: boolean }>();

/**
 * Runs the pending effects of an organization, each once: the oldest first, and provider calls after the rest, in
 * parallel for different providers. A failure is logged, and the next run retries the effect; other effects still run.
 * An effect may itself change the subscription: the same run includes the resulting effects.
 */
export async function dispatchEffects(ctx: Ctx, orgId: string): Promise<void> {
  const other = atWork.get(orgId);
  if (other) {
    other.again = true;
    return;
  }
  const run = { again: true };
  atWork.set(orgId, run);
  try {
    const tried = new Set<string>();
    while (run.again) {
      run.again = false;
      await dispatchOnce(ctx, orgId, tried);
    }
  } finally {
    atWork.delete(orgId);
  }
}

async function dispatchOnce(ctx: Ctx, orgId: string, tried: Set<string>): Promise<void> {
  const document = await find(orgId);
  const pending = (document?.effects ?? []).filter(({ id, kind }) => !tried.has(id) && handlers[kind]);
  for (const { id } of pending) tried.add(id);
  const { [here]: internal = [], ...byProvider } = Object.groupBy(pending, providerCalledBy);
  await tryInOrder(ctx, orgId, internal);
  await Promise.all(Object.values(byProvider).map((effects) => tryInOrder(ctx, orgId, effects ?? [])));
}

const here = '';

const providerCalls = new Set<PendingEffect['kind']>([
  'charge',
  'readProvider',
  'cancelAtProvider',
  'resumeAtProvider',
  'changePlanAtProvider',
  'endAtProvider',
  'refundAtProvider',
]);

/** The provider that an effect calls; `here` for one that calls none. */
function providerCalledBy(effect: PendingEffect): string {
  return 'provider' in effect && providerCalls.has(effect.kind) ? effect.provider : here;
}

async function tryInOrder(ctx: Ctx, orgId: string, effects: PendingEffect[]): Promise<void> {
  for (const effect of effects) {
    try {
      await dispatchEffect(ctx, orgId, effect);
      await forget(orgId, effect);
    } catch (error) {
      ctx.broker.logger.warn('Subscription effect failed; will retry', { orgId, kind: effect.kind, error });
    }
  }
}

async function dispatchEffect<K extends Effect['kind']>(ctx: Ctx, orgId: string, effect: PendingEffect): Promise<void> {
  // The table pairs each kind with its handler, which the compiler cannot follow through a lookup.
  const handler = handlers[effect.kind] as EffectHandler<K> | undefined;
  await handler?.(ctx, orgId, effect as Pending<K>);
}

/** Removed as a whole, as it was read: not every database removes an element by one of its fields. */
async function forget(orgId: string, effect: PendingEffect): Promise<void> {
  await nativeCollection<SubscriptionDocument>(SubscriptionModel).updateOne(
    { _id: orgId, orgId },
    { $pullAll: { effects: [effect] } },
  );
}
