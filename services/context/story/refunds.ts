/**
 * The refunds of an order or a payment, in minor units. Single refunds and running totals are two reports of the same
 * money: `refundSum` is the sum of single refunds, `refundTotal` the maximum that one event reports.
 */
export type Refunded = { refundSum: string; refundTotal: string };

export const nothingRefunded: Refunded = { refundSum: '0', refundTotal: '0' };

/**
 * Adds a refund. Refunds that are repeated come to at most the `limit`, what the thing is worth; a single one that is
 * larger counts as it was reported.
 */
export function withRefund<T extends Refunded>(thing: T, minor: bigint, isTotal: boolean): T {
  const refundTotal = String(larger(BigInt(thing.refundTotal), minor));
  return isTotal
    ? { ...thing, refundTotal }
    : { ...thing, refundTotal, refundSum: String(BigInt(thing.refundSum) + minor) };
}

/** The refunded amount; `limit` is null when the worth is not known. */
export function refundedOf({ refundSum, refundTotal }: Refunded, limit: bigint | null): bigint {
  const sum = BigInt(refundSum);
  return larger(BigInt(refundTotal), limit === null ? sum : smaller(sum, limit));
}

export function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}

export function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}
