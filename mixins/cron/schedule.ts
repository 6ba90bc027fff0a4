import { day, minute } from '../../lib/clock.ts';
import type { Job } from './jobs.ts';
import type { Period } from './periods.ts';

/** Something to do once in every period, on one node of the pool. It may be repeated after a crash: make it idempotent. */
export type Schedule = {
  /** Unique in the platform, such as `context.retention`. */
  name: string;
  period: Period;
  /**
   * Whether periods that went by while nobody could do them are done as well, in order and up to 400 days back; else
   * only the present one is. A period that fails keeps the later ones waiting.
   */
  catchUp?: boolean;
  /**
   * Does the work of the period that began then. It should soon end when the signal aborts: the node stops, or another
   * has taken the work over. The token is higher than those of all runs before, so that what is written can be guarded.
   */
  run: (period: Date, signal: AbortSignal, token: number) => Promise<unknown>;
};

/** Nodes' clocks differ by less than this; a period further ahead was done by a clock that was wrong. */
const maxAhead = 10 * minute;
const maxCatchUp = 400 * day;

/** The beginning of the period that is to be done now; null when there is none. */
export function duePeriod({ period, catchUp }: Schedule, { doneUpTo }: Pick<Job, 'doneUpTo'>, at: Date): Date | null {
  const present = period.of(at);
  if (!doneUpTo || isFarAhead(doneUpTo, at)) return present;
  if (doneUpTo >= present) return null;
  if (!catchUp) return present;
  const oldest = period.of(new Date(at.getTime() - maxCatchUp));
  return doneUpTo < oldest ? oldest : period.after(doneUpTo);
}

/** Whether what was done last is so far in the future that the clock must have jumped. */
export function isFarAhead(doneUpTo: Date, at: Date): boolean {
  return doneUpTo.getTime() - at.getTime() > maxAhead;
}
