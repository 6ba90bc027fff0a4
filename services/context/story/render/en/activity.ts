import { joinWithAnd, quote } from '../../text.ts';
import type { OtherEvents, Views } from '../activity.ts';
import { countOf, dayOf, timesOf } from './words.ts';

/** The sentences on pages, logins and profile changes, and on other events. */
export const activity = {
  all: (parts: string[]) => `they ${joinWithAnd(parts)}`,
  views: ({ count, only, favourite, at }: Views) => {
    const day = dayOf(at);
    if (only)
      return `viewed the page ${quote(only)}${count > 1 ? ` ${timesOf(count)} (most recently on ${day})` : ` on ${day}`}`;
    if (count === 1) return `viewed a page on ${day}`;
    const often = favourite ? `most often ${quote(favourite.name)}, ${timesOf(favourite.count)}; ` : '';
    return `viewed pages ${timesOf(count)} (${often}most recently on ${day})`;
  },
  logins: (count: number, at: string) =>
    count === 1 ? `logged in once on ${dayOf(at)}` : `logged in ${timesOf(count)} (most recently on ${dayOf(at)})`,
  updates: (count: number, at: string) =>
    count === 1
      ? `updated their profile on ${dayOf(at)}`
      : `updated their profile ${timesOf(count)} (most recently on ${dayOf(at)})`,
  others: ({ hidden, shown }: OtherEvents) => {
    const earlier = hidden > 0 ? `${countOf(hidden, 'earlier event')} of other kinds` : '';
    const names = shown.map(({ name, count, at, detail }) => {
      const when = count > 1 ? `${timesOf(count)}, the last on ${dayOf(at)}` : `on ${dayOf(at)}`;
      return `${quote(name)} ${when}${detail && ` (${detail})`}`;
    });
    return `the record shows ${joinWithAnd([earlier, ...names])}`;
  },
};
