import type { Model } from 'mongoose';
import { apiError } from '../../../lib/contract/errors.ts';
import { decodeCursor, type Page, toPage } from '../../../lib/contract/input.ts';
import { prefixRange } from '../../../lib/data/prefix-range.ts';
import { type DirectoryEntryDocument, DirectoryEntryModel } from '../../../models/identity/directory-entry.ts';
import { type DirectoryKeyDocument, DirectoryKeyModel } from '../../../models/identity/directory-key.ts';
import { isFoundBy, type SearchedUser, type SearchTerm, searchKeysOf } from './search-keys.ts';

export type DirectoryPage = { orgId: string; limit: number; cursor?: string | undefined };

/** The entries of a page of an organization's users by their last login. Those who never logged in are the oldest. */
export async function readByLastLogin(
  { orgId, limit, cursor }: DirectoryPage,
  order: 1 | -1,
): Promise<Page<DirectoryEntryDocument>> {
  const [instant, userId] = decodeCursor(cursor, 2) ?? [];
  const place = instant === undefined || userId === undefined ? null : { value: instantOf(instant), userId };
  const entries = await readRange<DirectoryEntryDocument>(DirectoryEntryModel, {
    orgId,
    field: 'lastLoginAt',
    range: {},
    place,
    order,
    limit: limit + 1,
  });
  return toPage(
    entries,
    limit,
    (entry) => [entry.lastLoginAt.toISOString(), entry.userId],
    (entry) => entry,
  );
}

function instantOf(text: string): Date {
  const instant = new Date(text);
  if (Number.isNaN(instant.getTime())) throw apiError('CURSOR_INVALID');
  return instant;
}

/** The keys of a page of a search in an organization, in their order. A user with several of them has several rows. */
export async function readByKey(
  { orgId, limit, cursor }: DirectoryPage,
  term: SearchTerm,
): Promise<Page<DirectoryKeyDocument>> {
  const [searched, key, userId] = decodeCursor(cursor, 3) ?? [];
  // The cursor names its search. One of another would read keys that this search does not find, such as private ones.
  if (key !== undefined && (searched !== term.text || !isFoundBy(term, key))) throw apiError('CURSOR_INVALID');
  const place = key === undefined || userId === undefined ? null : { value: key, userId };
  const rows = await readRange<DirectoryKeyDocument>(DirectoryKeyModel, {
    orgId,
    field: 'key',
    range: rangeOf(term),
    place,
    order: 1,
    limit: limit + 1,
  });
  return toPage(
    rows,
    limit,
    (row) => [term.text, row.key, row.userId],
    (row) => row,
  );
}

function rangeOf({ text, isWhole }: SearchTerm): object {
  if (isWhole) return { $gte: text, $lte: text };
  return prefixRange(text);
}

type Range = {
  orgId: string;
  field: 'key' | 'lastLoginAt';
  range: object;
  /** The last row of the page before. */
  place: { value: string | Date; userId: string } | null;
  order: 1 | -1;
  limit: number;
};

/**
 * The rows of a range of the index `orgId`, `field`, `userId` behind a place, in its order. Two queries instead of one
 * with `$or`, for which the database would read the index from its beginning.
 */
async function readRange<T extends DirectoryEntryDocument | DirectoryKeyDocument>(
  model: { collection: unknown },
  { orgId, field, range, place, order, limit }: Range,
): Promise<T[]> {
  const documents = model as unknown as Model<T>;
  const find = async (filter: object, most: number): Promise<T[]> =>
    most === 0
      ? []
      : await documents
          .find({ orgId, ...filter } as never)
          .sort({ [field]: order, userId: order })
          .limit(most)
          .lean<T[]>();
  const beyond = order === 1 ? '$gt' : '$lt';
  if (!place) return await find(Object.keys(range).length === 0 ? {} : { [field]: range }, limit);
  const equal = await find({ [field]: place.value, userId: { [beyond]: place.userId } }, limit);
  // The start of the range is before the place.
  const others = await find({ [field]: { ...range, ...startBehind(place.value, order) } }, limit - equal.length);
  return [...equal, ...others];
}

/**
 * The values behind one, by the first of them: `$gt` would read all rows of the value itself. A key has no character
 * before `\u0001`, and an instant has whole milliseconds.
 */
function startBehind(value: string | Date, order: 1 | -1): object {
  if (typeof value === 'string') return { $gte: `${value}\u0001` };
  const next = new Date(value.getTime() + order);
  return order === 1 ? { $gte: next } : { $lte: next };
}

/**
 * Whether a search shows a user in the row of a key: for the first of their keys that it finds. A key that they no
 * longer have shows nothing.
 */
export function isShownBy(term: SearchTerm, key: string, user: SearchedUser): boolean {
  return searchKeysOf(user).find((one) => isFoundBy(term, one)) === key;
}
