import type { Context } from 'moleculer';
import { day, fromNow, now } from '../../../../lib/clock.ts';
import { type CheckoutDocument, CheckoutModel } from '../../../../models/billing/checkout.ts';
import { giveUp } from './opening.ts';

/** As long as invoices are disputed and payments come late, and no longer. */
const kept = 400 * day;
const atOnce = 100;

/** Ends the checkouts that nobody finished in time, and forgets old ones. May be run at any time by any number of nodes. */
export async function sweepCheckouts(
  { broker: { logger } }: Pick<Context, 'broker'>,
  signal: AbortSignal,
): Promise<void> {
  for (let after = ''; !signal.aborted; ) {
    const late = await CheckoutModel.find({ status: 'open', expiresAt: { $lte: now() }, _id: { $gt: after } })
      .setOptions({ acrossTenants: true, sort: { _id: 1 }, limit: atOnce })
      .lean<CheckoutDocument[]>();
    for (const checkout of late) {
      await giveUp(checkout, 'expired').catch((error) =>
        logger.warn('A checkout could not be ended at its provider', { checkoutId: checkout._id, error }),
      );
    }
    const last = late.at(-1);
    if (!last || late.length < atOnce) break;
    after = last._id;
  }
  const ended = { status: { $ne: 'open' as const }, updatedAt: { $lt: fromNow(-kept) } };
  await CheckoutModel.deleteMany(ended, { acrossTenants: true });
}
