import { type Html, html } from './html.ts';
import { texts } from './texts.ts';

/** An instant for display, to the minute, in UTC with its name: the user's time zone is not known. */
export function timeInWords(timestamp: string): string {
  const { dateLocale, time } = texts();
  const format = new Intl.DateTimeFormat(dateLocale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return time.inUtc(format.format(new Date(timestamp)));
}

/** The same, readable for programs too. */
export function renderTime(timestamp: string): Html {
  return html`<time datetime="${timestamp}">${timeInWords(timestamp)}</time>`;
}

/** A waiting time for display. */
export function waitInWords(seconds: number): string {
  const { time } = texts();
  return seconds < 60 ? time.seconds(seconds) : time.minutes(Math.ceil(seconds / 60));
}

/** A day for display, in UTC. */
export function renderDay(timestamp: string): Html {
  const format = new Intl.DateTimeFormat(texts().dateLocale, { dateStyle: 'long', timeZone: 'UTC' });
  return html`<time datetime="${timestamp}">${format.format(new Date(timestamp))}</time>`;
}

/**
 * An instant in few words, in UTC. The script of the inbox writes it in the reader's time zone, and the time alone where
 * it is of today.
 */
export function renderShortTime(timestamp: string): Html {
  const { dateLocale, time } = texts();
  const format = new Intl.DateTimeFormat(dateLocale, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
  });
  return html`<time datetime="${timestamp}" data-short>${time.inUtc(format.format(new Date(timestamp)))}</time>`;
}
