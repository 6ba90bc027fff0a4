import { day, minute } from '../../lib/clock.ts';

/**
 * The periods of a schedule, in UTC. `of`: the beginning of the period that contains an instant. `after`: the beginning
 * of the next period, given the beginning of one.
 */
export type Period = { of: (instant: Date) => Date; after: (beginning: Date) => Date };

/** Periods of `minutes` minutes, counted from midnight UTC; for divisors of a day. */
export function everyMinutes(minutes: number): Period {
  const length = minutes * minute;
  return {
    of: (instant) => new Date(Math.floor(instant.getTime() / length) * length),
    after: (beginning) => new Date(beginning.getTime() + length),
  };
}

/** Days, from midnight to midnight UTC. */
export const daily: Period = everyMinutes(day / minute);

/** Calendar months in UTC. */
export const monthly: Period = {
  of: (instant) => new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth())),
  after: (beginning) => new Date(Date.UTC(beginning.getUTCFullYear(), beginning.getUTCMonth() + 1)),
};
