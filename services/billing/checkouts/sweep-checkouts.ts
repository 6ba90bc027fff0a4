import type { BrokerContext, CallContext } from '../../../lib/contract/context.ts';
import { day, fromNow, hour, minute, now } from '../../../lib/data/clock.ts';
import { removeAcrossTenants } from '../../../lib/data/collection.ts';
import { type CheckoutDocument, CheckoutModel } from '../../../models/billing/checkout.ts';
import { cancelCheckout, closeAtProvider } from './checkouts.ts';
import { isQuoteCurrent } from './quotes.ts';

/** The time in which invoices are disputed and payments come late. */
const kept = 400 * day;
const sweepConcurrency = 100;

/**
 * Ends expired checkouts, and checkouts whose organization has since paid in another way, so that it cannot pay twice
 * on a provider's page. Deletes old checkouts. Safe to run concurrently on several nodes.
 */
export async function sweepCheckouts(ctx: CallContext & BrokerContext, signal: AbortSignal): Promise<void> {
  await forEachOpen(ctx, { expiresAt: { $lte: now() } }, signal, (checkout) => cancelCheckout(checkout, 'expired'));
  await forEachOpen(ctx, { kind: 'purchase' }, signal, async (checkout) => {
    if (!(await isQuoteCurrent(ctx, checkout))) await cancelCheckout(checkout, 'closed');
  });
  await closeWhatWasLeft(ctx, signal);
  const ended = { status: { $ne: 'open' as const }, updatedAt: { $lt: fromNow(-kept) } };
  await removeAcrossTenants(CheckoutModel, ended, signal);
}

const firstPause = minute;
const maxPause = 6 * hour;

/** Closes the pages at providers that were down when their checkouts ended, the oldest first. */
async function closeWhatWasLeft(
  { broker: { logger } }: CallContext & BrokerContext,
  signal: AbortSignal,
): Promise<void> {
  const unclosed = await CheckoutModel.find({ closeAt: { $lte: now() } })
    .setOptions({ acrossTenants: true, sort: { closeAt: 1 }, limit: sweepConcurrency })
    .lean<CheckoutDocument[]>();
  for (const checkout of unclosed) {
    if (signal.aborted) return;
    const { _id, orgId, closeAttempts = 0 } = checkout;
    try {
      await closeAtProvider(checkout);
      await CheckoutModel.updateOne({ _id, orgId }, { $unset: { closeAt: '', closeAttempts: '' } });
    } catch (error) {
      logger.warn('Closing an ended checkout at its provider failed; will retry', { checkoutId: _id, error });
      const pause = Math.min(firstPause * 2 ** closeAttempts, maxPause);
      const next = { closeAt: fromNow(pause), closeAttempts: closeAttempts + 1 };
      await CheckoutModel.updateOne({ _id, orgId }, { $set: next });
    }
  }
}

/** A failure does not delay the others. */
async function forEachOpen(
  { broker: { logger } }: CallContext & BrokerContext,
  filter: object,
  signal: AbortSignal,
  work: (checkout: CheckoutDocument) => Promise<void>,
): Promise<void> {
  for (let after = ''; !signal.aborted; ) {
    const found = await CheckoutModel.find({ ...filter, status: 'open', _id: { $gt: after } })
      .setOptions({ acrossTenants: true, sort: { _id: 1 }, limit: sweepConcurrency })
      .lean<CheckoutDocument[]>();
    for (const checkout of found) {
      if (signal.aborted) return;
      await work(checkout).catch((error) =>
        logger.warn('Ending a checkout failed; will retry', { checkoutId: checkout._id, error }),
      );
    }
    const last = found.at(-1);
    if (!last || found.length < sweepConcurrency) return;
    after = last._id;
  }
}
