import { type Html, html } from './html.ts';

const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** An instant for display, to the minute, in UTC with its name: the user's time zone is not known. */
export function timeInWords(timestamp: string): string {
  return `${format.format(new Date(timestamp))} UTC`;
}

/** The same, readable for programs too. */
export function showTime(timestamp: string): Html {
  return html`<time datetime="${timestamp}">${timeInWords(timestamp)}</time>`;
}

/** A waiting time for display. */
export function waitInWords(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? 'a second' : `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}
