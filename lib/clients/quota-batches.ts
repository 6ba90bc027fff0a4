import { randomBytes } from 'node:crypto';
import { createBatcher } from '../concurrency/batcher.ts';
import { call } from '../contract/context.ts';
import { now, second } from '../data/clock.ts';
import type { QuotaRefusal } from './plan-limits.ts';
import {
  allocate,
  commitInBackground,
  drainQuotaCommits,
  type LeaseInstant,
  leaseInstant,
  type Meter,
  ownerOf,
  type QuotaCaller,
  type Receipt,
  startLease,
} from './quota.ts';

/**
 * A batch of units under one reservation. Each document that is stored with these units has `key`, and `receivedAt` as
 * the time of its receipt. Check `isHeld` before each write: when the lease is lost, billing may have released the
 * units.
 */
export type QuotaBatch = { key: string; receivedAt: Date; isHeld: () => boolean };

/** The units of a batch for one piece of work. `end` reports how many were used; null when that is unknown. */
export type Allocation = { quotaBatch: QuotaBatch; end: (charged: number | null) => void };

/** A batch that this process has reserved and allocates from. */
export type OpenQuotaBatch = {
  /** The number of units that can be allocated now; 0 once the batch is closed, expired or its lease is lost. */
  available: () => number;
  /** Allocates units. `amount` must not exceed what is available. */
  allocate: (amount: number) => Allocation;
  /** Stops allocating. When all allocations have ended, the used units are committed and the rest is released. */
  close: () => void;
};

/** How long units of a batch can be allocated after its reservation. */
const lifetime = second;
/**
 * The maximum time between the creation of the key and the last allocation. Longer than `lifetime`, because the
 * reservation may have to wait.
 */
const maxAge = 3 * second;

/** A unique key, which begins with the time of its creation. */
export function newQuotaBatchKey(): string {
  return `${now().getTime().toString(36)}-${randomBytes(9).toString('base64url')}`;
}

/** The interval that holds each `receivedAt` of a batch, read from its key; null when the key is malformed. */
export function quotaBatchWindow(key: string): { from: Date; to: Date } | null {
  const milliseconds = Number.parseInt(key.split('-', 1)[0] ?? '', 36);
  if (!Number.isSafeInteger(milliseconds)) return null;
  return { from: new Date(milliseconds), to: new Date(milliseconds + maxAge) };
}

/** Opens a batch for units that were just reserved. No unit is available after `periodEnd`. */
export function openQuotaBatch(
  ctx: QuotaCaller,
  receipt: Receipt,
  { requestedAt, periodEnd }: { requestedAt: LeaseInstant; periodEnd: Date | null },
): OpenQuotaBatch {
  const lease = startLease(ctx, receipt, requestedAt);
  const { key } = receipt;
  const closesAt = performance.now() + lifetime;
  let available = receipt.amount;
  let allocations = 0;
  let charged: number | null = 0;
  let isClosed = false;

  function settle(): void {
    if (!isClosed || allocations > 0) return;
    lease.end();
    if (charged !== null) commitInBackground(ctx, { receipt, charged });
  }

  function allocate(amount: number): Allocation {
    available -= amount;
    allocations += 1;
    return {
      quotaBatch: { key, receivedAt: instantWithin(key), isHeld: lease.isHeld },
      end(used) {
        allocations -= 1;
        // Only the service's `quota.settle` can count the documents that failed work has stored, and only for the whole
        // batch.
        charged = charged === null || used === null ? null : charged + used;
        if (charged === null) isClosed = true;
        available += amount - (used ?? amount);
        settle();
      },
    };
  }

  function availableNow(): number {
    const isOver =
      isClosed || !lease.isHeld() || performance.now() >= closesAt || (periodEnd !== null && now() >= periodEnd);
    return isOver ? 0 : available;
  }

  return {
    available: availableNow,
    allocate,
    close() {
      if (isClosed) return;
      isClosed = true;
      settle();
    },
  };
}

/** The current time, clamped to the window of the batch: the clock may have been set since the key was created. */
function instantWithin(key: string): Date {
  const at = now();
  const window = quotaBatchWindow(key);
  return window ? new Date(Math.min(Math.max(+at, +window.from), +window.to)) : at;
}

/** A batch with prefetched units. It is closed by the second rotation after it was kept. */
type KeptBatch = { batch: OpenQuotaBatch; isOld: boolean };

/** The prefetched batches of one counter, with the units spent in the current and in the previous rotation interval. */
type Prefetch = { kept: KeptBatch[]; spent: number; previouslySpent: number; isRefilled: boolean };

const rotationInterval = 100;
/** A process that spends fewer units per rotation interval prefetches none. */
const minPrefetch = 8;
/** The maximum number of prefetched units, unless a request sets another. */
const defaultMaximum = 1000;

const prefetches = new Map<string, Prefetch>();
let rotation: NodeJS.Timeout | undefined;

/** The maximum number of prefetched units that one allocation could get now. */
export function prefetchedUnits(counter: string): number {
  return Math.max(0, ...(prefetches.get(counter)?.kept.map(({ batch }) => batch.available()) ?? []));
}

/** Allocates prefetched units from the oldest batch that has enough; null when none has. */
export function allocatePrefetched(counter: string, amount: number): Allocation | null {
  const kept = prefetches.get(counter)?.kept.find(({ batch }) => batch.available() >= amount);
  return kept?.batch.allocate(amount) ?? null;
}

/** The number of units that the next reservation prefetches: the units spent in one recent rotation interval. */
export function unitsToPrefetch(counter: string, most: number = defaultMaximum): number {
  const prefetch = prefetches.get(counter);
  return prefetch ? Math.max(0, targetOf(prefetch, most) - freshUnits(prefetch)) : 0;
}

/** Keeps the remaining units of a batch for at most two rotation intervals. */
export function keepPrefetched(counter: string, batch: OpenQuotaBatch): void {
  if (batch.available() > 0) prefetchOf(counter).kept.push({ batch, isOld: false });
  else batch.close();
}

/**
 * Records spent units. Calls `refill` when the fresh prefetched units are fewer than half of the target, at most once
 * per rotation interval.
 */
export function recordSpent(counter: string, amount: number, refill: () => void, most: number = defaultMaximum): void {
  const prefetch = prefetchOf(counter);
  prefetch.spent += amount;
  if (prefetch.isRefilled || freshUnits(prefetch) >= targetOf(prefetch, most) / 2) return;
  prefetch.isRefilled = true;
  refill();
}

/** Suppresses refills until the next rotation; for a counter that is close to its limit. */
export function suppressRefill(counter: string): void {
  prefetchOf(counter).isRefilled = true;
}

function prefetchOf(counter: string): Prefetch {
  const prefetch = prefetches.get(counter) ?? { kept: [], spent: 0, previouslySpent: 0, isRefilled: false };
  prefetches.set(counter, prefetch);
  rotation ??= setInterval(rotate, rotationInterval).unref();
  return prefetch;
}

/** Closes the prefetched batches of all counters. */
export function closePrefetched(): void {
  for (const { kept } of prefetches.values()) for (const { batch } of kept) batch.close();
  prefetches.clear();
}

function targetOf({ spent, previouslySpent }: Prefetch, most: number): number {
  const usual = Math.max(spent, previouslySpent);
  return usual < minPrefetch ? 0 : Math.min(usual, most);
}

const freshUnits = ({ kept }: Prefetch): number =>
  kept.reduce((sum, { batch, isOld }) => sum + (isOld ? 0 : batch.available()), 0);

function rotate(): void {
  for (const [counter, prefetch] of prefetches) {
    const [kept, expired] = [[] as KeptBatch[], [] as KeptBatch[]];
    for (const one of prefetch.kept) (one.isOld || one.batch.available() === 0 ? expired : kept).push(one);
    for (const { batch } of expired) batch.close();
    prefetch.kept = kept.map(({ batch }) => ({ batch, isOld: true }));
    const isIdle = prefetch.spent + prefetch.previouslySpent + kept.length === 0;
    prefetch.previouslySpent = prefetch.spent;
    prefetch.spent = 0;
    prefetch.isRefilled = false;
    if (isIdle) prefetches.delete(counter);
  }
  if (prefetches.size > 0) return;
  clearInterval(rotation);
  rotation = undefined;
}

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
