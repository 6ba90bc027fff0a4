import { allocate } from './admit.ts';
import { createBatcher } from './batched.ts';
import { call } from './calls.ts';
import { type Meter, ownerOf } from './quota.ts';
import { type Allocation, newQuotaBatchKey, openQuotaBatch } from './quota-batches.ts';
import { drainQuotaCommits, type QuotaCaller } from './quota-commits.ts';
import type { QuotaRefusal } from './quota-errors.ts';
import { leaseInstant } from './quota-leases.ts';
import {
  allocatePrefetched,
  closePrefetched,
  keepPrefetched,
  prefetchedUnits,
  recordSpent,
  suppressRefill,
  unitsToPrefetch,
} from './quota-prefetch.ts';

/** The units that a request was granted. `refusal` is the reason when they are fewer than requested, otherwise null. */
export type QuotaAllocation = Pick<Allocation, 'quotaBatch'> & { granted: number; refusal: QuotaRefusal | null };

export type AllocationRequest = {
  orgId: string;
  meter: Meter;
  amount: number;
  /** The maximum number of prefetched units. Default 1,000; more for small units, such as bytes. */
  maxPrefetch?: number;
};
type Waiting = AllocationRequest & { ctx: QuotaCaller };
type Granted = QuotaAllocation & Pick<Allocation, 'end'>;

const maxBatchSize = 100;
/** With fewer units remaining before the limit, almost none could be prefetched. */
const minLeftForRefill = 200;

/**
 * Runs work under a quota at a high rate; grants as many of the requested units as remain. Concurrent requests of this
 * process for one counter share one reservation, a batch. A process that spends many units also prefetches some, and
 * keeps them for at most a fifth of a second.
 *
 * `work` returns in `charged` how many units it used, at most `granted`. It stores the batch's key in each document
 * that it creates: when the process dies before the commit, the service's `quota.settle` counts the used units by that
 * key.
 */
export async function withQuotaAllocation<T>(
  ctx: QuotaCaller,
  request: AllocationRequest,
  work: (allocation: QuotaAllocation) => Promise<{ result: T; charged: number }>,
): Promise<T> {
  const { end, ...allocation } =
    fromPrefetched(ctx, request) ?? (await reserveBatched(nameOf(request), { ctx, ...request }));
  let used: number | null = null;
  try {
    const { result, charged } = await work(allocation);
    used = charged;
    return result;
  } finally {
    end(used);
  }
}

/**
 * Whether this process has prefetched enough units for a request. Prefetched units do not make requests of other nodes
 * fail: those wait for the release. So a request that may not use its units at all may hold them briefly.
 */
export function isPrefetched(request: AllocationRequest): boolean {
  return request.amount <= prefetchedUnits(nameOf(request));
}

/** Releases all prefetched units and waits for the commits in flight; for a service that stops. */
export async function releasePrefetched(): Promise<void> {
  closePrefetched();
  await drainQuotaCommits();
}

const nameOf = ({ orgId, meter }: AllocationRequest): string => `${orgId}:${meter}`;

function fromPrefetched(ctx: QuotaCaller, request: AllocationRequest): Granted | null {
  const allocation = allocatePrefetched(nameOf(request), request.amount);
  if (!allocation) return null;
  recordSpent(nameOf(request), request.amount, () => refill(ctx, request), request.maxPrefetch);
  return { ...allocation, granted: request.amount, refusal: null };
}

/** Prefetches units without a request. An error is ignored: the next request fails with it and reports it. */
function refill(ctx: QuotaCaller, request: AllocationRequest): void {
  reserveBatched(nameOf(request), { ctx, ...request, amount: 0 }).then(
    ({ end }) => end(0),
    () => undefined,
  );
}

const reserveBatched = createBatcher(maxBatchSize, async (waiting: Waiting[], name): Promise<Granted[]> => {
  const [first] = waiting;
  if (!first) return [];
  const { ctx, orgId, meter, maxPrefetch: mostAhead } = first;
  const amount = waiting.reduce((sum, one) => sum + one.amount, 0);
  const ahead = unitsToPrefetch(name, mostAhead);
  if (amount + ahead === 0) return waiting.map(() => nothing(null));
  const requestedAt = leaseInstant();
  const { outcome, receipt, taken, period, used, limit } = await call(ctx.broker, 'billing.quota.take', {
    body: { orgId, meter, amount, ahead, key: newQuotaBatchKey(), owner: ownerOf(ctx), partly: true, remember: false },
  });
  const refusal = outcome === 'taken' ? 'exceeded' : outcome;
  if (!receipt) suppressRefill(name);
  if (!receipt) return waiting.map((one) => nothing(one.amount > 0 ? refusal : null));
  const batch = openQuotaBatch(ctx, receipt, { requestedAt, periodEnd: period && new Date(period.end) });
  const requests = waiting.map((one) => ({ amount: one.amount, isPartly: true }));
  const allocations = allocate(requests, taken).map((granted, place): Granted => {
    const requested = waiting[place]?.amount ?? 0;
    return { ...batch.allocate(granted), granted, refusal: granted < requested ? refusal : null };
  });
  keepPrefetched(name, batch);
  if (limit === null || limit - used < minLeftForRefill) suppressRefill(name);
  const spent = allocations.reduce((sum, { granted }) => sum + granted, 0);
  recordSpent(name, spent, () => refill(ctx, first), mostAhead);
  return allocations;
});

const nothing = (refusal: QuotaRefusal | null): Granted => ({
  quotaBatch: { key: '', receivedAt: new Date(0), isHeld: () => false },
  granted: 0,
  refusal,
  end: () => undefined,
});
