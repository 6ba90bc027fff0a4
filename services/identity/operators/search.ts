import { z } from 'zod';
import { prefixRange } from '../../../lib/data/prefix-range.ts';

export const searchInput = z.string().trim().max(320).default('');

/** The part of an index in which a list of all tenants continues after a place, and the field whose values are places. */
export type Place<K extends string> = { filter: object; sort: Record<string, 1 | -1>; by: '_id' | K };

/**
 * The place of a search: all documents, the newest first; the one with this id, which begins with `idPrefix`; or those
 * whose `key` begins so, sorted by it. `formOf` gives the form in which the key is stored.
 */
export function placeOf<K extends string>(
  search: string,
  after: string | undefined,
  { idPrefix, key, formOf }: { idPrefix: string; key: K; formOf: (search: string) => string },
): Place<K> {
  if (search === '') return amongIds(null, after);
  if (search.startsWith(idPrefix)) return amongIds([search], after);
  return { filter: { [key]: rangeOf(formOf(search), after) }, sort: { [key]: 1 }, by: key };
}

/** The documents with these ids, or all, the newest first. */
export function amongIds(ids: string[] | null, after: string | undefined): Place<never> {
  const range = { ...(ids && { $in: ids }), ...(after !== undefined && { $lt: after }) };
  return { filter: Object.keys(range).length === 0 ? {} : { _id: range }, sort: { _id: -1 }, by: '_id' };
}

/** The texts with a prefix, after one of them, as a range of an index. */
const rangeOf = (prefix: string, after: string | undefined): object =>
  after === undefined ? prefixRange(prefix) : prefixRange(prefix, { $gt: after });
