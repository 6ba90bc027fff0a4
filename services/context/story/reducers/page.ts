import type { Occurrence } from '../occurrence.ts';
import { firstText, sourcesFor, spellings } from '../payload.ts';
import { bounds, lengths, type StoryState } from '../state.ts';
import { tally } from '../tally.ts';

const viewed = new Set(['viewed', 'view', 'visited', 'visit', 'opened']);

const unnamed = '';

/** `page.viewed`, `screen.viewed`: which pages, how often. */
export function reducePage(state: StoryState, occurrence: Occurrence): StoryState | undefined {
  if (!viewed.has(occurrence.action)) return undefined;
  const sources = sourcesFor(occurrence.payload, 'page', 'properties', 'screen');
  const address = firstText(sources, spellings('path', 'url', 'pageUrl', 'href'), lengths.page * 2);
  const page = pathOf(address) || firstText(sources, spellings('title', 'pageTitle', 'name', 'page'), lengths.page);
  const views = tally(state.pages.views, page || unnamed, bounds.pages);
  return { ...state, pages: { views, lastPage: page, lastAt: occurrence.at } };
}

/** Without host, query and fragment: those carry campaign codes, tokens and addresses of people. */
function pathOf(address: string): string {
  const [path = ''] = address.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/);
  const isWholeAddress = address !== '' && path === '';
  return firstText([{ path: isWholeAddress ? '/' : path }], ['path'], lengths.page);
}
