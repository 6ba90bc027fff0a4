import { withQuotaAllocation } from '../../../lib/quota-allocations.ts';
import type { QuotaCaller } from '../../../lib/quota-commits.ts';
import { quotaError } from '../../../lib/quota-errors.ts';

/** A busy node takes bytes for many reads at once. */
const mostAhead = 1_000_000_000;

/**
 * Takes the bandwidth of a download of so many bytes; call `end` with how many of them were sent.
 *
 * @throws PLAN_LIMIT_EXCEEDED, SERVICE_NOT_INCLUDED, PAYMENT_REQUIRED, UNAVAILABLE
 */
export async function takeBandwidth(
  ctx: QuotaCaller,
  orgId: string,
  bytes: number,
): Promise<{ end: (sent: number) => void }> {
  const granted = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<number>();
  const request = { orgId, meter: 'storage.bandwidthGbPerMonth', amount: bytes, mostAhead } as const;
  withQuotaAllocation(ctx, request, async (allocation) => {
    if (allocation.granted < bytes) {
      granted.reject(quotaError(allocation.refusal ?? 'exceeded', orgId));
      return { result: undefined, charged: 0 };
    }
    granted.resolve();
    return { result: undefined, charged: Math.min(await ended.promise, bytes) };
  }).catch(granted.reject);
  await granted.promise;
  return { end: ended.resolve };
}
