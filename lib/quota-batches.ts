import { randomBytes } from 'node:crypto';
import { now, second } from './clock.ts';
import { commitInBackground, type QuotaCaller, type Receipt } from './quota-commits.ts';
import { type LeaseInstant, startLease } from './quota-leases.ts';

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
