import { type Html, html } from './html.ts';
import { texts } from './texts.ts';

/** Formats an instant to the minute, in UTC with the zone's name, because the user's time zone is unknown. */
export function timeInWords(timestamp: string): string {
  const { dateLocale, time } = texts();
  const format = new Intl.DateTimeFormat(dateLocale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return time.inUtc(format.format(new Date(timestamp)));
}

/** Renders an instant as a `time` element, which is also machine-readable. */
export function renderTime(timestamp: string): Html {
  return html`<time datetime="${timestamp}">${timeInWords(timestamp)}</time>`;
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

/**
 * Renders an instant in short form, in UTC. The script of the inbox rewrites it in the reader's time zone, without the
 * date if it is today.
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
