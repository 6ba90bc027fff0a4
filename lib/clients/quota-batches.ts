import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createBatcher } from '../concurrency/batcher.ts';
import { call } from '../contract/context.ts';
import { now, second } from '../data/clock.ts';
import {
  commitInBackground,
  drainQuotaCommits,
  type LeaseInstant,
  leaseInstant,
  ownerOf,
  type QuotaCaller,
  type Receipt,
  startLease,
} from './quota.ts';
import { type Meter, type QuotaRefusal, refusalOf } from './quota-refusal.ts';

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

/** How long a process keeps the units of a batch after its reservation, as its block. Then it releases the rest. */
const lifetime = second / 5;
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

/** The length of the intervals in which the spending of units is measured, in milliseconds. */
const interval = 100;
/** A process that spends fewer units per interval keeps no block. */
const minBlock = 8;
/** The maximum of a block, unless a request sets another. */
const defaultMaximum = 1000;
const maxCounters = 10_000;

/** The block of a counter, and the units spent in the last interval with any and in the one before it. */
type Holding = {
  block: OpenQuotaBatch | null;
  interval: number;
  spent: number;
  previouslySpent: number;
  /** Whether the next block was requested in this interval. */
  isRefilled: boolean;
};

const holdings = new LRUCache<string, Holding>({ max: maxCounters });

function holdingOf(counter: string): Holding {
  const present = Math.floor(performance.now() / interval);
  const holding = holdings.get(counter) ?? {
    block: null,
    interval: present,
    spent: 0,
    previouslySpent: 0,
    isRefilled: false,
  };
  if (holding.interval < present) {
    holding.previouslySpent = holding.interval === present - 1 ? holding.spent : 0;
    Object.assign(holding, { interval: present, spent: 0, isRefilled: false });
  }
  holdings.set(counter, holding);
  return holding;
}

/** The size of the next block of a counter: the units that were spent in one recent interval. */
function blockSize(counter: string, most: number = defaultMaximum): number {
  const { spent, previouslySpent } = holdingOf(counter);
  const usual = Math.max(spent, previouslySpent);
  return usual < minBlock ? 0 : Math.min(usual, most);
}

/** Keeps the remaining units of a batch as the block of its counter, instead of the previous one. */
function keepBlock(counter: string, batch: OpenQuotaBatch): void {
  if (batch.available() === 0) {
    batch.close();
    return;
  }
  const holding = holdingOf(counter);
  holding.block?.close();
  holding.block = batch;
  setTimeout(batch.close, lifetime).unref();
}

/** The units that a request was granted. `refusal` is the reason when they are fewer than requested, otherwise null. */
export type QuotaAllocation = Pick<Allocation, 'quotaBatch'> & { granted: number; refusal: QuotaRefusal | null };

export type AllocationRequest = {
  orgId: string;
  meter: Meter;
  amount: number;
  /** The maximum of a block in units. Default 1,000; more for small units, such as bytes. */
  maxPrefetch?: number;
};
type Waiting = AllocationRequest & { ctx: QuotaCaller };
type Granted = QuotaAllocation & Pick<Allocation, 'end'>;

const maxBatchSize = 100;
/**
 * Runs work under a quota at a high rate; grants as many of the requested units as remain. Concurrent requests of this
 * process for one counter share one reservation, a batch. A process that spends many units reserves more than are
 * requested, keeps them as its block for at most a fifth of a second, and allocates from it without a call.
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
    fromBlock(ctx, request) ?? (await reserveBatched(nameOf(request), { ctx, ...request }));
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
 * Whether the block of this process has enough units for a request. Units of a block do not make requests of other
 * nodes fail: those wait for the release. So a request that may not use its units at all may hold them briefly.
 */
export function isPrefetched(request: AllocationRequest): boolean {
  return request.amount <= (holdingOf(nameOf(request)).block?.available() ?? 0);
}

/** Releases the blocks of this process and waits for the commits in flight; for a service that stops. */
export async function releasePrefetched(): Promise<void> {
  for (const { block } of holdings.values()) block?.close();
  await drainQuotaCommits();
}

const nameOf = ({ orgId, meter }: AllocationRequest): string => `${orgId}:${meter}`;

function fromBlock(ctx: QuotaCaller, request: AllocationRequest): Granted | null {
  if (!isPrefetched(request)) return null;
  const holding = holdingOf(nameOf(request));
  const allocation = holding.block?.allocate(request.amount);
  holding.spent += request.amount;
  refill(ctx, request);
  return allocation ? { ...allocation, granted: request.amount, refusal: null } : null;
}

/** Reserves the next block once the present one is half spent, so that no request waits for it. */
function refill(ctx: QuotaCaller, request: AllocationRequest): void {
  const holding = holdingOf(nameOf(request));
  const available = holding.block?.available() ?? 0;
  if (holding.isRefilled || available >= blockSize(nameOf(request), request.maxPrefetch) / 2) return;
  holding.isRefilled = true;
  // An error is ignored: the next request fails with it and reports it.
  reserveBatched(nameOf(request), { ctx, ...request, amount: 0 }).then(
    ({ end }) => end(0),
    () => undefined,
  );
}

const reserveBatched = createBatcher(maxBatchSize, async (waiting: Waiting[], name): Promise<Granted[]> => {
  const [first] = waiting;
  if (!first) return [];
  const { ctx, orgId, meter, maxPrefetch } = first;
  const amount = waiting.reduce((sum, one) => sum + one.amount, 0);
  const ahead = blockSize(name, maxPrefetch);
  if (amount + ahead === 0) return waiting.map(() => nothing(null));
  const requestedAt = leaseInstant();
  const answer = await call(ctx.broker, 'billing.quota.take', {
    body: { orgId, meter, amount, ahead, key: newQuotaBatchKey(), owner: ownerOf(ctx), partly: true, remember: false },
  });
  const { receipt, taken, period } = answer;
  const refusal = refusalOf(meter, answer);
  if (!receipt) return waiting.map((one) => nothing(one.amount > 0 ? refusal : null));
  const batch = openQuotaBatch(ctx, receipt, { requestedAt, periodEnd: period && new Date(period.end) });
  let remaining = taken;
  const allocations = waiting.map((one): Granted => {
    const granted = Math.min(one.amount, remaining);
    remaining -= granted;
    return { ...batch.allocate(granted), granted, refusal: granted < one.amount ? refusal : null };
  });
  keepBlock(name, batch);
  holdingOf(name).spent += allocations.reduce((sum, { granted }) => sum + granted, 0);
  return allocations;
});

const nothing = (refusal: QuotaRefusal | null): Granted => ({
  quotaBatch: { key: '', receivedAt: new Date(0), isHeld: () => false },
  granted: 0,
  refusal,
  end: () => undefined,
});
