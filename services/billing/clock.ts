import { now as realNow } from '../../lib/clock.ts';

/**
 * The clock of billing: periods, due dates, quotas, invoice dates. It is the platform's, and can be moved ahead where
 * payments are only tested. Leases, and what expires for security such as links and signatures, use `lib/clock.ts`.
 */
let offsetMilliseconds = 0;

/** The current instant on billing's clock. */
export function now(): Date {
  return new Date(realNow().getTime() + offsetMilliseconds);
}

/** The instant `milliseconds` from now on billing's clock; negative for the past. */
export function fromNow(milliseconds: number): Date {
  return new Date(now().getTime() + milliseconds);
}

/** Milliseconds by which billing's clock is ahead of the platform's clock. */
export function clockOffset(): number {
  return offsetMilliseconds;
}

/** Sets the offset of billing's clock in this process; see `payment/clock/`. */
export function setClockOffset(milliseconds: number): void {
  offsetMilliseconds = milliseconds;
}
