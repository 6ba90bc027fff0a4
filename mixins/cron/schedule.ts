import { day, minute } from '../../lib/data/clock.ts';
import type { Period } from './cron.ts';
import type { Job } from './jobs.ts';

/**
 * Work that runs once per period on one node of the pool. It may be repeated after a crash, so it must be idempotent.
 */
export type Schedule = {
  /** Unique in the platform, such as `context.retention`. */
  name: string;
  period: Period;
  /**
   * Whether missed periods are run too, in order and up to 400 days back. Otherwise only the current period is run. A
   * period that fails blocks the later ones.
   */
  catchUp?: boolean;
  /**
   * Does the work of the period that began at `period`. It should end soon after the signal aborts: the node stops, or
   * another node has claimed the work. `token` is a fencing token, higher than the tokens of all earlier runs.
   */
  run: (period: Date, signal: AbortSignal, token: number) => Promise<unknown>;
};

/** The maximum clock difference between nodes. A period further in the future was run by a node with a wrong clock. */
const maxAhead = 10 * minute;
const maxCatchUp = 400 * day;

/** The beginning of the period that is due; null when none is. */
export function duePeriod({ period, catchUp }: Schedule, { doneUpTo }: Pick<Job, 'doneUpTo'>, at: Date): Date | null {
  const present = period.of(at);
  if (!doneUpTo || isFarAhead(doneUpTo, at)) return present;
  if (doneUpTo >= present) return null;
  if (!catchUp) return present;
  const oldest = period.of(new Date(at.getTime() - maxCatchUp));
  return doneUpTo < oldest ? oldest : period.after(doneUpTo);
}

/** Whether the last completed period is so far in the future that a clock must have been wrong. */
export function isFarAhead(doneUpTo: Date, at: Date): boolean {
  return doneUpTo.getTime() - at.getTime() > maxAhead;
}
