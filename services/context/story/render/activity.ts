import { formatDay } from '../dates.ts';
import type { OtherEntry, OtherFacts, PageFacts, PersonFacts, StoryState } from '../state.ts';
import { mostFrequent, tallyTotal } from '../tally.ts';
import { countOf, joinWithAnd, quote, timesOf } from '../text.ts';

const maxOthersShown = 5;

/** Later than any event. */
const maxDate = '9999-12-31';

/** A page is a favourite when at least one view in four went to it. */
const favouriteShare = 1 / 4;

/** Pages, logins and profile changes, the latest at the end; `''` without any. */
export function writeActivity({ pages, person }: StoryState): string {
  const parts = [
    { text: describePages(pages), at: pages.lastAt },
    { text: describeLogins(person), at: person.lastLoginAt },
    { text: describeUpdates(person), at: person.lastUpdateAt },
  ];
  const ordered = parts.toSorted((left, right) => Date.parse(left.at ?? maxDate) - Date.parse(right.at ?? maxDate));
  const activity = joinWithAnd(ordered.map(({ text }) => text));
  return activity && `They ${activity}.`;
}

/** Events without a specific sentence: the latest names, when they last came and what they then said. */
export function writeOthers({ others }: StoryState): string {
  const shown = others.entries.slice(-maxOthersShown);
  const hidden = others.forgotten + others.entries.slice(0, -maxOthersShown).reduce((sum, { count }) => sum + count, 0);
  if (shown.length === 0) return '';
  const names = shown.map((entry) => describeOther(entry, others.forgotten === 0));
  return `The record shows ${joinWithAnd([hidden > 0 ? `${countOf(hidden, 'earlier event')} of other kinds` : '', ...names])}.`;
}

/** The first name that the sentence on other events gives a date. */
export function firstShown(others: OtherFacts): OtherEntry | undefined {
  return others.entries.slice(-maxOthersShown)[0];
}

/** The count of a name that may have been forgotten once is not known. */
function describeOther({ name, count, lastAt, detail }: OtherEntry, isCounted: boolean): string {
  const day = formatDay(lastAt);
  const when = isCounted && count > 1 ? `${timesOf(count)}, the last on ${day}` : `on ${day}`;
  return `${quote(name)} ${when}${detail && ` (${detail})`}`;
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

function describeUpdates({ updateCount, lastUpdateAt }: PersonFacts): string {
  if (updateCount === 0 || !lastUpdateAt) return '';
  const day = formatDay(lastUpdateAt);
  return updateCount === 1
    ? `updated their profile on ${day}`
    : `updated their profile ${timesOf(updateCount)} (most recently on ${day})`;
}
