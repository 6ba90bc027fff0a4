import { formatDay } from '../dates.ts';
import type { PageFacts, PersonFacts, StoryState } from '../state.ts';
import { mostFrequent, tallyTotal } from '../tally.ts';
import { countOf, joinWithAnd, quote, timesOf } from '../text.ts';

const maxOthersShown = 3;

/** A page is a favourite when at least one view in four went to it. */
const favouriteShare = 1 / 4;

/** Pages, logins and profile changes; `''` without any. */
export function writeActivity({ pages, person }: StoryState): string {
  const parts = [describePages(pages), describeLogins(person), describeUpdates(person)];
  const activity = joinWithAnd(parts);
  return activity && `They ${activity}.`;
}

/** Everything that has no sentence of its own, the most frequent first; `''` without any. */
export function writeOthers({ others }: StoryState): string {
  const total = tallyTotal(others);
  if (total === 0) return '';
  const shown = mostFrequent(others).slice(0, maxOthersShown);
  const hidden = total - shown.reduce((sum, { count }) => sum + count, 0);
  const names = shown.map(({ name, count }) => `${quote(name)} ${timesOf(count)}`);
  return `The record shows ${joinWithAnd(hidden > 0 ? [...names, countOf(hidden, 'other event')] : names)}.`;
}

function describePages({ views, lastAt }: PageFacts): string {
  const total = tallyTotal(views);
  if (total === 0 || !lastAt) return '';
  const [top] = mostFrequent(views);
  const day = formatDay(lastAt);
  if (views.entries.length === 1 && views.overflow === 0 && top?.name) {
    const times = total > 1 ? ` ${timesOf(total)} (most recently on ${day})` : ` on ${day}`;
    return `viewed the page ${quote(top.name)}${times}`;
  }
  if (total === 1) return `viewed a page on ${day}`;
  const favourite = describeFavourite(top, total);
  return `viewed pages ${timesOf(total)} (${favourite}most recently on ${day})`;
}

function describeFavourite(top: { name: string; count: number } | undefined, total: number): string {
  const isFavourite = top !== undefined && top.name !== '' && top.count > 1 && top.count >= total * favouriteShare;
  return isFavourite ? `most often ${quote(top.name)}, ${timesOf(top.count)}; ` : '';
}

function describeLogins({ loginCount, lastLoginAt }: PersonFacts): string {
  if (loginCount === 0 || !lastLoginAt) return '';
  const day = formatDay(lastLoginAt);
  return loginCount === 1 ? `logged in once on ${day}` : `logged in ${timesOf(loginCount)} (most recently on ${day})`;
}

function describeUpdates({ updateCount }: PersonFacts): string {
  return updateCount > 0 ? `updated their profile ${timesOf(updateCount)}` : '';
}
