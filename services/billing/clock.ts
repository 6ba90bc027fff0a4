import { now as realNow } from '../../lib/clock.ts';

/**
 * The clock of billing: periods, due dates, quotas, invoice dates. It is the platform's, and can be moved ahead where
 * payments are only tested. Leases, and what expires for security such as links and signatures, use `lib/clock.ts`.
 */
let offsetMilliseconds = 0;

/** The current instant, as billing has it. */
export function now(): Date {
  return new Date(realNow().getTime() + offsetMilliseconds);
}

/** An instant so many milliseconds from now, as billing has it; negative for the past. */
export function fromNow(milliseconds: number): Date {
  return new Date(now().getTime() + milliseconds);
}

/** How far the clock of billing is ahead of the platform's, in milliseconds. */
export function clockOffset(): number {
  return offsetMilliseconds;
}

/** Sets how far it is ahead, in this process; see `payment/clock/`. */
export function setClockOffset(milliseconds: number): void {
  offsetMilliseconds = milliseconds;
}
