import { randomBytes } from 'node:crypto';
import { now, second } from './clock.ts';
import { type Asking, commitLater, type Receipt } from './quota-ends.ts';
import { type LeaseInstant, startLease } from './quota-leases.ts';

/**
 * What was taken at one moment. The key names it in what is made with it; `at` is when that was received. Nothing may be
 * made with it when it is not held any more: its units may have been given back by then.
 */
export type Lot = { key: string; at: Date; isHeld: () => boolean };

/** Some units of a lot for one work; `end` says how many the work came to, or null when it cannot say. */
export type Part = { lot: Lot; end: (charged: number | null) => void };

/** A lot of units that this process has taken, and what of it nobody was given yet. */
export type OpenLot = {
  /** How many units are there for whoever comes; none once it is too late for it. */
  left: () => number;
  /** A part of so many units, which are there. */
  part: (amount: number) => Part;
  /** Gives nothing more away; charges what was done, and gives the rest back, when its parts have ended. */
  close: () => void;
};

/** How long parts of a lot are given away. */
const lifetime = second;
/** From the making of its key until its last part; taking it may have to wait. */
const span = 3 * second;

/** A key that nobody else makes. The time in it says when its first part was given away. */
export function newLotKey(): string {
  return `${now().getTime().toString(36)}-${randomBytes(9).toString('base64url')}`;
}

/** Between which instants what was made with a lot was received, by its key; null when it is none. */
export function timesOfLot(key: string): { from: Date; to: Date } | null {
  const milliseconds = Number.parseInt(key.split('-', 1)[0] ?? '', 36);
  if (!Number.isSafeInteger(milliseconds)) return null;
  return { from: new Date(milliseconds), to: new Date(milliseconds + span) };
}

/** A lot that was taken just now. Nothing of it is there for others once the period it is charged to has ended. */
export function openLot(
  ctx: Asking,
  receipt: Receipt,
  { requestedAt, periodEnd }: { requestedAt: LeaseInstant; periodEnd: Date | null },
): OpenLot {
  const lease = startLease(ctx, receipt, requestedAt);
  const { key } = receipt;
  const closesAt = performance.now() + lifetime;
  let left = receipt.amount;
  let parts = 0;
  let charged: number | null = 0;
  let isClosed = false;

  function settle(): void {
    if (!isClosed || parts > 0) return;
    lease.end();
    if (charged !== null) commitLater(ctx, { receipt, charged });
  }

  function partOf(amount: number): Part {
    left -= amount;
    parts += 1;
    return {
      lot: { key, at: instantWithin(key), isHeld: lease.isHeld },
      end(done) {
        parts -= 1;
        // What a work did that failed only the service can count, and that for the whole lot.
        charged = charged === null || done === null ? null : charged + done;
        if (charged === null) isClosed = true;
        left += amount - (done ?? amount);
        settle();
      },
    };
  }

  function leftNow(): number {
    const isOver =
      isClosed || !lease.isHeld() || performance.now() >= closesAt || (periodEnd !== null && now() >= periodEnd);
    return isOver ? 0 : left;
  }

  return {
    left: leftNow,
    part: partOf,
    close() {
      if (isClosed) return;
      isClosed = true;
      settle();
    },
  };
}

/** Now, but within the times of a lot, also when the clock was set meanwhile. */
function instantWithin(key: string): Date {
  const at = now();
  const times = timesOfLot(key);
  return times ? new Date(Math.min(Math.max(+at, +times.from), +times.to)) : at;
}
