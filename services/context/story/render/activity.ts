import type { OtherEntry, OtherFacts, PageFacts, StoryState } from '../state.ts';
import { mostFrequent, tallyTotal } from '../tally.ts';
import type { Writer } from './writer.ts';

const maxOthersShown = 5;

/** Later than any event. */
const maxDate = '9999-12-31';

/** A page is a favourite when at least one view in four went to it. */
const favouriteShare = 1 / 4;

/** `only` is the page that all views went to, `''` when there are several or it has no name. */
export type Views = { count: number; only: string; favourite: { name: string; count: number } | null; at: string };

/** `hidden` is how many events have other names; the count of a name is 1 when it is not known. */
export type OtherEvents = {
  hidden: number;
  shown: { name: string; count: number; at: string; detail: string }[];
};

/** Pages, logins and profile changes, the latest at the end; `''` without any. */
export function writeActivity({ pages, person }: StoryState, { activity }: Writer): string {
  const { loginCount, lastLoginAt, updateCount, lastUpdateAt } = person;
  const views = viewsOf(pages);
  const parts = [
    { text: views ? activity.views(views) : '', at: pages.lastAt },
    { text: loginCount > 0 && lastLoginAt ? activity.logins(loginCount, lastLoginAt) : '', at: lastLoginAt },
    { text: updateCount > 0 && lastUpdateAt ? activity.updates(updateCount, lastUpdateAt) : '', at: lastUpdateAt },
  ];
  const ordered = parts.toSorted((left, right) => Date.parse(left.at ?? maxDate) - Date.parse(right.at ?? maxDate));
  const present = ordered.map(({ text }) => text).filter(Boolean);
  return present.length > 0 ? activity.all(present) : '';
}

/** Events without a specific sentence: the latest names, when they last came and what they then said. */
export function writeOthers({ others }: StoryState, { activity }: Writer): string {
  const shown = others.entries.slice(-maxOthersShown);
  const hidden = others.forgotten + others.entries.slice(0, -maxOthersShown).reduce((sum, { count }) => sum + count, 0);
  if (shown.length === 0) return '';
  // The count of a name that may have been forgotten once is not known.
  const isCounted = others.forgotten === 0;
  const told = shown.map(({ name, count, lastAt: at, detail }) => ({ name, count: isCounted ? count : 1, at, detail }));
  return activity.others({ hidden, shown: told });
}

/** The first name that the sentence on other events gives a date. */
export function firstShown(others: OtherFacts): OtherEntry | undefined {
  return others.entries.slice(-maxOthersShown)[0];
}

function viewsOf({ views, lastAt }: PageFacts): Views | null {
  const count = tallyTotal(views);
  if (count === 0 || !lastAt) return null;
  const [top] = mostFrequent(views);
  const isOnly = views.entries.length === 1 && views.overflow === 0;
  const isFavourite = top !== undefined && top.name !== '' && top.count > 1 && top.count >= count * favouriteShare;
  return { count, only: isOnly ? (top?.name ?? '') : '', favourite: isFavourite ? top : null, at: lastAt };
}
