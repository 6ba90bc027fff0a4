import { call } from './calls.ts';
import { hour, minute, now } from './clock.ts';
import type { Asking, Receipt } from './quota-ends.ts';

/** How long billing keeps a reservation for a process that does not renew it. */
export const leaseDuration = 5 * minute;
/** The holder stops earlier by as much as a write may be under way, and as clocks run differently fast. */
const safetyMargin = minute;
const renewalInterval = minute;
/** Work that takes longer hangs: its reservation is left to expire. */
const maxHeld = hour;
const maxRenewals = 500;

/** A holder's claim on a reservation, renewed each minute for as long as the process runs. */
export type Lease = {
  /** Whether billing still keeps the reservation. Checked right before each write that uses its units. */
  isHeld: () => boolean;
  /** Renews it no more; for work that has ended. */
  end: () => void;
};

/** By two clocks: the monotonic one may stand still while a machine sleeps, and the other may be put back. */
export type LeaseInstant = { monotonic: number; wall: number };

type Held = { ctx: Asking; receipt: Receipt; startedAt: LeaseInstant; renewedAt: LeaseInstant; isLost: boolean };

const leases = new Set<Held>();
let timer: NodeJS.Timeout | undefined;

export const leaseInstant = (): LeaseInstant => ({ monotonic: performance.now(), wall: now().getTime() });

/** Begins to renew a reservation's lease. `requestedAt` is from before billing was asked for the reservation. */
export function startLease(ctx: Asking, receipt: Receipt, requestedAt: LeaseInstant): Lease {
  const held: Held = { ctx, receipt, startedAt: requestedAt, renewedAt: requestedAt, isLost: false };
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

/** Renews the leases of this process. One that could not be renewed is tried again by the next call, and then expires. */
export async function renewLeases(): Promise<void> {
  const all = [...leases].filter(({ startedAt }) => elapsedSince(startedAt) < maxHeld);
  const byBroker = Map.groupBy(all, ({ ctx }) => ctx.broker);
  for (const ofBroker of byBroker.values()) {
    for (let from = 0; from < ofBroker.length; from += maxRenewals) {
      await renew(ofBroker.slice(from, from + maxRenewals));
    }
  }
}

async function renew(some: Held[]): Promise<void> {
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

function elapsedSince({ monotonic, wall }: LeaseInstant): number {
  const at = leaseInstant();
  return Math.max(at.monotonic - monotonic, at.wall - wall);
}
