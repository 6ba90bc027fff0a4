import type { Occurrence } from '../occurrence.ts';
import { bounds, lengths, type StoryState } from '../state.ts';
import { tally } from '../tally.ts';
import { cleanText, humanize } from '../text.ts';

/** Any event without a reducer of its own: counted under its name in plain words. */
export function reduceOther(state: StoryState, occurrence: Occurrence): StoryState {
  const name = cleanText(humanize(occurrence.eventName), lengths.eventName) || 'unnamed event';
  return { ...state, others: tally(state.others, name, bounds.otherNames) };
}
