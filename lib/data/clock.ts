/** The platform's one clock, in UTC. Tests replace it; nothing else reads the time. */
let read: () => Date = () => new Date();

/** The current instant. */
export function now(): Date {
  return read();
}

/** The instant `milliseconds` from now; negative for the past. */
export function fromNow(milliseconds: number): Date {
  return new Date(read().getTime() + milliseconds);
}

let databaseAhead = 0;

/**
 * The current instant by the clock of the pool's database, which all nodes share. Lease times are read and written by
 * this clock, so that a node whose own clock is ahead does not treat a lease as expired while another node renews it.
 */
export function leaseNow(): Date {
  return leaseFromNow(0);
}

/** The instant `milliseconds` from now by the database's clock; see {@link leaseNow}. */
export function leaseFromNow(milliseconds: number): Date {
  return new Date(read().getTime() + databaseAhead + milliseconds);
}

/** Sets by how many milliseconds the database's clock is ahead of this node's; negative when it is behind. */
export function setDatabaseAhead(milliseconds: number): void {
  databaseAhead = milliseconds;
}

/** Replaces the clock and returns a function that restores the previous one. For tests. */
export function setClock(replacement: () => Date): () => void {
  const previous = read;
  read = replacement;
  return () => {
    read = previous;
  };
}

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/**
 * The same time of day `months` calendar months later, in UTC; negative for earlier. The day is `dayOfMonth`, or the
 * last day of a shorter month: a month after 31 January is 28 or 29 February.
 */
export function addMonths(at: Date, months: number, dayOfMonth: number = at.getUTCDate()): Date {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const midnight = Date.UTC(year, month, Math.min(dayOfMonth, lastDay));
  return new Date(midnight + (((at.getTime() % day) + day) % day));
}
