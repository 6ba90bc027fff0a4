import { day, fromNow } from '../../../lib/clock.ts';
import { concurrently } from '../../../lib/concurrently.ts';
import { type DerivativeDocument, DerivativeModel } from '../../../models/storage/derivative.ts';
import { discard } from '../images/discard.ts';

/** What was not read for so long is made again when it is. */
const unusedFor = 30 * day;
const batch = 200;
const discardedAtOnce = 8;

/** Discards the transformed images that nobody reads any more. */
export async function sweepDerivatives(): Promise<void> {
  for (;;) {
    const unused = await DerivativeModel.find({ usedAt: { $lte: fromNow(-unusedFor) } }, null, { acrossTenants: true })
      .limit(batch)
      .lean<DerivativeDocument[]>();
    await concurrently(unused, discardedAtOnce, discard);
    if (unused.length < batch) return;
  }
}
