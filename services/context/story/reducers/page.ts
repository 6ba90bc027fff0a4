import { bounds, lengths } from '../bounds.ts';
import type { Occurrence } from '../occurrence.ts';
import { firstText, sourcesFor } from '../payload.ts';
import type { StoryState } from '../state.ts';
import { tally } from '../tally.ts';
import { cleanText } from '../text.ts';
import { lookUp } from '../vocabulary/events.ts';
import { namesOf, wrappers } from '../vocabulary/fields.ts';

const unnamed = '';

/** `page.viewed`, `screen.viewed`: which pages, how often. */
export function reducePage(state: StoryState, occurrence: Occurrence): StoryState | undefined {
  if (lookUp('page', occurrence.action) !== 'viewed') return undefined;
  const sources = sourcesFor(occurrence.payload, ...wrappers.page);
  const address = firstText(sources, namesOf('address'), lengths.page * 2);
  const page = pathOf(address) || firstText(sources, namesOf('pageTitle'), lengths.page);
  const views = tally(state.pages.views, page || unnamed, bounds.pages);
  return { ...state, pages: { views, lastPage: page, lastAt: occurrence.at } };
}

/** Without host, query and fragment: those carry campaign codes, tokens and addresses of people. */
function pathOf(address: string): string {
  const [path = ''] = address.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/);
  const isWholeAddress = address !== '' && path === '';
  return cleanText(isWholeAddress ? '/' : path, lengths.page);
}
