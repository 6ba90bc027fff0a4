import type { EventContent } from './event.ts';
import { meaningOf, toOccurrence } from './occurrence.ts';
import { sourcesFor } from './payload.ts';
import { type Family, lookUp, type Meaning } from './vocabulary/events.ts';
import { wrappers } from './vocabulary/fields.ts';

/** The words for each meaning of an event, by family; `updated` is an update without a known status. */
export type MeaningWords = { [Name in Family]: Record<Meaning<Name> | 'updated', string> };

/** The family of an event and its meaning in it, which is a key of the `MeaningWords` of the family. */
export type Understood = { family: Family; meaning: string };

/** The meaning that a story gives an event by its name; null for one that it only counts under its name. */
export function understoodAs(event: EventContent): Understood | null {
  const occurrence = toOccurrence(event, '');
  const { family, action } = occurrence;
  if (!family) return null;
  const known = lookUp(family, action);
  if (known !== undefined) return { family, meaning: known };
  // The other families interpret an update, with its status.
  if (family === 'message' || family === 'page') return null;
  const meaning = meaningOf(occurrence, family, sourcesFor(occurrence.payload, ...wrappers[family]));
  return meaning === undefined ? null : { family, meaning };
}

/** Whether a story interprets an event by its name, and not only counts it under its name. */
export function isUnderstood(event: EventContent): boolean {
  return understoodAs(event) !== null;
}
