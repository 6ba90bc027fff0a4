import { setTimeout as wait } from 'node:timers/promises';
import type { Reservation } from '../../../models/billing/counter.ts';
import { reservationLease } from './store.ts';

const betweenLooks = 20;

/** The open reservations with prefetched units. */
export const prefetched = (open: Reservation[]): Reservation[] => open.filter(({ ahead }) => ahead !== undefined);

/**
 * Waits until others have released their prefetched units, as they do within some tenths of a second. Waits at most
 * `longest` milliseconds for each reservation: after that its node is taken for dead, and the units stay reserved until
 * the sweep. Returns whether it makes sense to look again.
 */
export function waitForPrefetchRelease(longest: number): (open: Reservation[]) => Promise<boolean> {
  const firstSeen = new Map<string, number>();
  return async (open) => {
    const at = performance.now();
    discardBefore(firstSeen, at - 2 * reservationLease);
    for (const { nonce } of open) if (!firstSeen.has(nonce)) firstSeen.set(nonce, at);
    const shouldRetry = open.some(({ nonce }) => at - (firstSeen.get(nonce) ?? at) < longest);
    if (shouldRetry) await wait(betweenLooks);
    return shouldRetry;
  };
}

function discardBefore(firstSeen: Map<string, number>, instant: number): void {
  for (const [nonce, at] of firstSeen) {
    if (at >= instant) return;
    firstSeen.delete(nonce);
  }
}
