import { now } from '../../../../lib/clock.ts';
import { insertIfAbsent } from '../../../../lib/insert-unless-there.ts';
import { type CheckoutDocument, CheckoutModel, type CheckoutStatus } from '../../../../models/billing/checkout.ts';
import { now as billingNow } from '../../clock.ts';

/** The open checkout of an organization, which has at most one; null when there is none. It may have expired. */
export function findOpen(orgId: string): Promise<CheckoutDocument | null> {
  return CheckoutModel.findOne({ orgId, slot: orgId }).lean<CheckoutDocument>().exec();
}

/** Finds a checkout across tenants. The caller must authorize the access, because an id is not a secret. */
export function findCheckout(checkoutId: string): Promise<CheckoutDocument | null> {
  return CheckoutModel.findOne({ _id: checkoutId }).setOptions({ acrossTenants: true }).lean<CheckoutDocument>().exec();
}

/** Inserts a checkout; false when the organization already has an open one. */
export function insertCheckout(checkout: CheckoutDocument): Promise<boolean> {
  return insertIfAbsent<CheckoutDocument>(CheckoutModel, checkout);
}

/** Whether the checkout has expired, or the period that its price is for has ended. */
export function isPastTime({ expiresAt, until }: Pick<CheckoutDocument, 'expiresAt' | 'until'>): boolean {
  return expiresAt <= now() || (until !== null && until <= billingNow());
}

type Named = Pick<CheckoutDocument, '_id' | 'orgId'>;

/** Changes an open checkout; false when it is no longer open. */
export async function updateOpen({ _id, orgId }: Named, changes: Partial<CheckoutDocument>): Promise<boolean> {
  const { matchedCount } = await CheckoutModel.updateOne(
    { _id, orgId, status: 'open' },
    { $set: { ...changes, updatedAt: now() } },
  );
  return matchedCount === 1;
}

/**
 * Ends an open checkout, which makes room for another; false when it had ended. `closeAt`: when to retry closing it at
 * its provider.
 */
export function endCheckout(
  checkout: Named,
  status: Exclude<CheckoutStatus, 'open'>,
  options: { closeAt?: Date } = {},
): Promise<boolean> {
  return updateOpen(checkout, { status, slot: checkout._id, ...options });
}

/** Completes a paid checkout from any status; false when it was completed already. */
export async function completeCheckout({ _id, orgId }: Named): Promise<boolean> {
  const { matchedCount } = await CheckoutModel.updateOne(
    { _id, orgId, status: { $ne: 'completed' } },
    { $set: { status: 'completed', slot: _id, updatedAt: now() } },
  );
  return matchedCount === 1;
}
