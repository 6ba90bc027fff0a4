import { day, fromNow } from '../../../lib/clock.ts';
import { pagesByInstant, type Sweep, sweepItems } from '../../../lib/sweep.ts';
import { type DerivativeDocument, DerivativeModel } from '../../../models/storage/derivative.ts';
import { discard } from '../images/discard.ts';

/** Derivatives that were not read for this time are deleted; they are recreated on demand. */
const unusedFor = 30 * day;
const batch = 200;
const discardConcurrency = 8;

/** Deletes derivatives that are no longer read. */
export async function sweepDerivatives(sweep: Sweep): Promise<void> {
  const unused = { field: 'usedAt' as const, until: fromNow(-unusedFor) };
  await sweepItems(
    sweep,
    pagesByInstant<DerivativeDocument>(DerivativeModel, unused, batch),
    discardConcurrency,
    discard,
  );
}
