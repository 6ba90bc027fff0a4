import { concurrently } from '../../../lib/concurrency/concurrently.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import { minute } from '../../../lib/data/clock.ts';
import { SubscriptionModel } from '../../../models/billing/subscription.ts';
import { fromNow, now } from '../clock.ts';
import { dispatchEffects } from './effects.ts';
import { changeSubscription } from './subscriptions.ts';

const sweepConcurrency = 100;
/** Limits the number of organizations that wait behind a slow provider. */
const width = 4;

/**
 * Applies due transitions of every subscription, and runs effects that are pending after a crash or a failure. Safe to
 * run concurrently on several nodes.
 */
export async function sweepSubscriptions(ctx: Ctx, signal: AbortSignal): Promise<void> {
  await forEach({ dueAt: { $lte: now() } }, signal, (orgId) => changeSubscription(ctx, orgId, () => null), ctx);
  await forEach({ 'effects.at': { $lte: fromNow(-minute) } }, signal, (orgId) => dispatchEffects(ctx, orgId), ctx);
}

/** By organization, so that repeated failures of one do not delay the others. */
async function forEach(
  filter: object,
  signal: AbortSignal,
  work: (orgId: string) => Promise<unknown>,
  { broker: { logger } }: Ctx,
): Promise<void> {
  for (let after = ''; ; ) {
    const found = await SubscriptionModel.find({ ...filter, _id: { $gt: after } }, { _id: 1 }, { acrossTenants: true })
      .sort({ _id: 1 })
      .limit(sweepConcurrency)
      .lean<{ _id: string }[]>();
    await concurrently(found, width, async ({ _id }) => {
      if (signal.aborted) return;
      await work(_id).catch((error) => logger.error('Sweep of a subscription failed', { orgId: _id, error }));
    });
    if (signal.aborted) return;
    const last = found.at(-1);
    if (!last || found.length < sweepConcurrency) return;
    after = last._id;
  }
}
