import { now, second } from '../lib/data/clock.ts';
import { capitalize } from '../lib/format/capitalize.ts';
import { type Html, html } from './html.ts';
import { texts } from './texts.ts';

/** Formats an instant to the minute, in UTC with the zone's name, because the user's time zone is unknown. */
export function timeInWords(timestamp: string): string {
  const { dateLocale, time } = texts();
  const format = new Intl.DateTimeFormat(dateLocale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return time.inUtc(format.format(new Date(timestamp)));
}

/** Renders an instant with its date. A script rewrites it in the reader's time zone, as the other instants here. */
export function renderTime(timestamp: string): Html {
  return html`<time datetime="${timestamp}" data-time="long">${timeInWords(timestamp)}</time>`;
}

/** Formats a waiting time. */
export function waitInWords(seconds: number): string {
  const { time } = texts();
  return seconds < 60 ? time.seconds(seconds) : time.minutes(Math.ceil(seconds / 60));
}

/** Renders a day in UTC. */
export function renderDay(timestamp: string): Html {
  const format = new Intl.DateTimeFormat(texts().dateLocale, { dateStyle: 'long', timeZone: 'UTC' });
  return html`<time datetime="${timestamp}">${format.format(new Date(timestamp))}</time>`;
}

/** Renders an instant in short form, in UTC; the script leaves out the date if it is today. */
export function renderShortTime(timestamp: string): Html {
  const { dateLocale, time } = texts();
  const format = new Intl.DateTimeFormat(dateLocale, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
  });
  return html`<time datetime="${timestamp}" data-time="short">${time.inUtc(format.format(new Date(timestamp)))}</time>`;
}

const units = [
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
  ['second', 1],
] as const;
/** Days that are counted; further instants are shown as a date. */
const countedDays = { past: 1, future: 7 };

/**
 * Renders an instant as lists show it, in UTC: "3 min ago", "Yesterday", "in 6 days", "24 Nov", "3 Nov 2024". The full
 * time is its title.
 */
export function renderWhen(timestamp: string): Html {
  const words = whenInWords(new Date(timestamp), 'short');
  return renderInstant(timestamp, capitalize(words));
}

/**
 * Renders an instant as {@link renderWhen}, inside of a sentence: "yesterday". A language whose abbreviations end with a
 * full stop does not abbreviate.
 */
export function renderWhenWithin(timestamp: string): Html {
  return renderInstant(timestamp, whenInWords(new Date(timestamp), texts().time.styleWithin));
}

function renderInstant(timestamp: string, words: string): Html {
  return html`<time datetime="${timestamp}" data-time="when" title="${timeInWords(timestamp)}">${words}</time>`;
}

function whenInWords(at: Date, style: 'short' | 'long'): string {
  const { dateLocale } = texts();
  const seconds = (at.getTime() - now().getTime()) / second;
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  const count = Math.trunc(seconds / size);
  if (unit === 'day' && Math.abs(count) > (count < 0 ? countedDays.past : countedDays.future))
    return dayInWords(at, style);
  const format = new Intl.RelativeTimeFormat(dateLocale, { numeric: 'auto', style });
  return format.format(count, unit);
}

function dayInWords(at: Date, month: 'short' | 'long'): string {
  const { dateLocale } = texts();
  const isThisYear = at.getUTCFullYear() === now().getUTCFullYear();
  const year = isThisYear ? {} : ({ year: 'numeric' } as const);
  return new Intl.DateTimeFormat(dateLocale, { day: 'numeric', month, timeZone: 'UTC', ...year }).format(at);
}
