import { now } from '../../../../lib/clock.ts';
import { insertUnlessThere } from '../../../../lib/insert-unless-there.ts';
import { type CheckoutDocument, CheckoutModel, type CheckoutStatus } from '../../../../models/billing/checkout.ts';
import { now as billingNow } from '../../clock.ts';

/** The one checkout of an organization that is open; null when none is. It may be past its time. */
export function findOpen(orgId: string): Promise<CheckoutDocument | null> {
  return CheckoutModel.findOne({ orgId, slot: orgId }).lean<CheckoutDocument>().exec();
}

/** A checkout of whichever organization. Who may see it is for the caller to know: an id is no secret. */
export function findCheckout(checkoutId: string): Promise<CheckoutDocument | null> {
  return CheckoutModel.findOne({ _id: checkoutId }).setOptions({ acrossTenants: true }).lean<CheckoutDocument>().exec();
}

/** False when the organization has one that is open. */
export function insertCheckout(checkout: CheckoutDocument): Promise<boolean> {
  return insertUnlessThere<CheckoutDocument>(CheckoutModel, checkout);
}

/** Whether the checkout has expired, or the period that its price is for has ended. */
export function isPastTime({ expiresAt, until }: Pick<CheckoutDocument, 'expiresAt' | 'until'>): boolean {
  return expiresAt <= now() || (until !== null && until <= billingNow());
}

type Named = Pick<CheckoutDocument, '_id' | 'orgId'>;

/** Changes a checkout that is open; false when it is so no more. */
export async function updateOpen({ _id, orgId }: Named, changes: Partial<CheckoutDocument>): Promise<boolean> {
  const { matchedCount } = await CheckoutModel.updateOne(
    { _id, orgId, status: 'open' },
    { $set: { ...changes, updatedAt: now() } },
  );
  return matchedCount === 1;
}

/**
 * Ends a checkout that is open, which makes room for another; false when it had ended. `closeAt`: when its provider is to
 * be asked again to close it.
 */
export function endCheckout(
  checkout: Named,
  status: Exclude<CheckoutStatus, 'open'>,
  left: { closeAt?: Date } = {},
): Promise<boolean> {
  return updateOpen(checkout, { status, slot: checkout._id, ...left });
}

/** Completes a paid checkout from any status; false when it was completed already. */
export async function completeCheckout({ _id, orgId }: Named): Promise<boolean> {
  const { matchedCount } = await CheckoutModel.updateOne(
    { _id, orgId, status: { $ne: 'completed' } },
    { $set: { status: 'completed', slot: _id, updatedAt: now() } },
  );
  return matchedCount === 1;
}
