import { call } from './calls.ts';
import { ArraySet } from './churn.ts';
import { hour, minute, now } from './clock.ts';
import { chunk } from './in-parts.ts';
import type { QuotaCaller, Receipt } from './quota-commits.ts';

/** How long billing keeps a reservation that is not renewed. */
export const leaseDuration = 5 * minute;
/** The holder treats a lease as expired this much earlier, to cover writes in flight and clock drift. */
const safetyMargin = minute;
const renewalInterval = minute;
/** Work that takes longer is considered hung: its lease is not renewed and expires. */
const defaultLeaseAge = hour;
const maxRenewals = 500;

/** The lease on a reservation. The process renews it each minute until it ends, for at most an hour by default. */
export type Lease = {
  /** Whether billing still keeps the reservation. Check it right before each write that uses its units. */
  isHeld: () => boolean;
  /** Stops the renewal when the work has ended. */
  end: () => void;
};

/**
 * An instant on two clocks: the monotonic one may stop while the machine sleeps, and the wall clock may be set back.
 */
export type LeaseInstant = { monotonic: number; wall: number };

type HeldLease = {
  ctx: QuotaCaller;
  receipt: Receipt;
  startedAt: LeaseInstant;
  renewedAt: LeaseInstant;
  maxAge: number;
  isLost: boolean;
};

const leases = new ArraySet<HeldLease>();
let timer: NodeJS.Timeout | undefined;

export const leaseInstant = (): LeaseInstant => ({ monotonic: performance.now(), wall: now().getTime() });

/**
 * Starts to renew the lease of a reservation. Read `requestedAt` before the call to billing that makes the reservation.
 * `maxAge` is in milliseconds; it may be infinite for work with another watchdog, such as a transfer.
 */
export function startLease(
  ctx: QuotaCaller,
  receipt: Receipt,
  requestedAt: LeaseInstant,
  maxAge: number = defaultLeaseAge,
): Lease {
  const held: HeldLease = { ctx, receipt, startedAt: requestedAt, renewedAt: requestedAt, maxAge, isLost: false };
  leases.add(held);
  timer ??= setInterval(() => void renewLeases(), renewalInterval).unref();
  return {
    isHeld: () => !held.isLost && elapsedSince(held.renewedAt) < leaseDuration - safetyMargin,
    end() {
      leases.delete(held);
      if (leases.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}

/** Renews all leases of this process. After an error the next call retries, until the leases have expired. */
export async function renewLeases(): Promise<void> {
  const all = [...leases].filter(({ startedAt, maxAge }) => elapsedSince(startedAt) < maxAge);
  const byBroker = Map.groupBy(all, ({ ctx }) => ctx.broker);
  for (const ofBroker of byBroker.values()) {
    for (const some of chunk(ofBroker, maxRenewals)) await renew(some);
  }
}

async function renew(some: HeldLease[]): Promise<void> {
  const [first] = some;
  if (!first) return;
  const requestedAt = leaseInstant();
  try {
    const body = { takes: some.map(({ receipt }) => receipt) };
    const { held } = await call(first.ctx.broker, 'billing.quota.renew', { body });
    for (const [place, lease] of some.entries()) {
      if (held[place]) lease.renewedAt = requestedAt;
      else lease.isLost = true;
    }
  } catch (error) {
    first.ctx.broker.logger.warn('The leases of quota reservations were not renewed', { error });
  }
}

/** The elapsed milliseconds, by the clock that shows more. */
export function elapsedSince({ monotonic, wall }: LeaseInstant): number {
  const at = leaseInstant();
  return Math.max(at.monotonic - monotonic, at.wall - wall);
}
