/** The platform's one clock, in UTC. Tests replace it; nothing else reads the time. */
let read: () => Date = () => new Date();

/** The current instant. */
export function now(): Date {
  return read();
}

/** An instant so many milliseconds from now; negative for the past. */
export function fromNow(milliseconds: number): Date {
  return new Date(read().getTime() + milliseconds);
}

let databaseAhead = 0;

/**
 * The current instant by the clock of the pool's database, which all nodes share: the times of leases are read and written
 * by it. So a node whose own clock is ahead takes no lease for expired that another node renews.
 */
export function leaseNow(): Date {
  return leaseFromNow(0);
}

/** An instant in `milliseconds` from now by the same clock. */
export function leaseFromNow(milliseconds: number): Date {
  return new Date(read().getTime() + databaseAhead + milliseconds);
}

/** Sets by how many milliseconds the database's clock is ahead of this node's; negative when it is behind. */
export function setDatabaseAhead(milliseconds: number): void {
  databaseAhead = milliseconds;
}

/** Replaces the clock and returns a function that puts the former one back. For tests. */
export function setClock(replacement: () => Date): () => void {
  const former = read;
  read = replacement;
  return () => {
    read = former;
  };
}

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/**
 * The same time of day so many calendar months later, in UTC; negative for earlier. On that day of the month, or on the
 * last one of a month that is shorter: a month after 31 January is 28 or 29 February.
 */
export function addMonths(at: Date, months: number, dayOfMonth: number = at.getUTCDate()): Date {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const midnight = Date.UTC(year, month, Math.min(dayOfMonth, lastDay));
  return new Date(midnight + (((at.getTime() % day) + day) % day));
}
