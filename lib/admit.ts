/** A request for `amount` units. With `isPartly` it accepts fewer when fewer remain. */
export type AllocationRequest = { amount: number; isPartly: boolean };

/**
 * Divides the remaining units among requests, in their order, and returns the granted amounts. A request that does not
 * fit is granted none, and does not block the requests after it.
 */
export function allocate(requests: readonly AllocationRequest[], left: number): number[] {
  let remaining = Math.max(0, left);
  return requests.map(({ amount, isPartly }) => {
    const granted = amount <= remaining ? amount : isPartly ? remaining : 0;
    remaining -= granted;
    return granted;
  });
}
