const dayMilliseconds = 86_400_000;

/** Whether both instants are on one day in UTC. */
export function isSameDay(at: string, other: string): boolean {
  return dayOf(at) === dayOf(other);
}

function dayOf(at: string): number {
  return Math.floor(Date.parse(at) / dayMilliseconds);
}

export function daysBetween(from: string, to: string): number {
  return Math.floor((Date.parse(to) - Date.parse(from)) / dayMilliseconds);
}

export function isAfter(at: string, other: string): boolean {
  return Date.parse(at) > Date.parse(other);
}

const firstMilliseconds = 1e12;
/** Later instants mean "never". */
const endOfInstants = Date.UTC(2200, 0);

/**
 * A payload's date as ISO 8601 with milliseconds, or undefined. Takes ISO 8601 dates and date-times (UTC when they name
 * no offset, because the machine's own zone must not matter) and Unix time in seconds or milliseconds. A day that does
 * not exist is none, and neither is a number that could only be milliseconds of before September 2001: senders write
 * those for seconds far in the future.
 */
export function parseInstant(value: unknown): string | undefined {
  if (value instanceof Date) return plausibleInstant(value.getTime());
  if (typeof value === 'number') return plausibleInstant(Math.abs(value) < firstMilliseconds ? value * 1000 : value);
  if (typeof value !== 'string' || value.length > 40) return undefined;
  const parts = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i.exec(
    value.trim(),
  );
  if (!parts) return undefined;
  const [, year, month, day, time = '00:00', offset = 'Z'] = parts;
  if (Number(day) > daysOf(Number(year), Number(month))) return undefined;
  const colonOffset = offset.toUpperCase().replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  return plausibleInstant(Date.parse(`${year}-${month}-${day}T${time}${colonOffset}`));
}

/** `Date.parse` takes 31 days of every month. */
function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function plausibleInstant(milliseconds: number): string | undefined {
  const isPlausible = milliseconds > 0 && milliseconds < endOfInstants;
  return isPlausible ? new Date(milliseconds).toISOString() : undefined;
}
