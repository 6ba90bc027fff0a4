import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { apiError } from './errors.ts';
import { integerIn } from './json-schema.ts';

const maxPageSize = 100;
const defaultItems = 20;

/** The query of a list: `limit` 1 to 100 (20 when absent) and the `cursor` that the previous page returned. */
export const pageQuery = {
  limit: z
    .string()
    .regex(/^\d{1,3}$/, `Must be a whole number from 1 to ${maxPageSize}.`)
    .meta({ ...integerIn(1, maxPageSize), default: defaultItems })
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= maxPageSize, `Must be a whole number from 1 to ${maxPageSize}.`)
    .default(defaultItems),
  cursor: z.string().max(500).optional(),
};

/**
 * The answer of a list: its items and the cursor of the next page, null on the last. In the API document the page of a
 * `Bucket` is a `BucketPage`.
 */
export function pageOf<T extends z.ZodType>(item: T) {
  const page = z.strictObject({ data: z.array(item), nextCursor: z.string().nullable() });
  const name = item.meta()?.id;
  return name === undefined ? page : page.meta({ id: `${name}Page` });
}

export type Page<T> = { data: T[]; nextCursor: string | null };

/**
 * Builds one page from `limit + 1` rows; the extra row only shows that there is a next page. The cursor holds the sort
 * key of the last returned row, so inserts and deletes between two pages neither repeat nor skip other rows.
 */
export function toPage<Row, T>(
  rows: Row[],
  limit: number,
  keyOf: (row: Row) => string[],
  show: (row: Row) => T,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? encodeCursor(keyOf(last)) : null;
  return { data: shown.map(show), nextCursor };
}

const checksumBytes = 4;

/** Encodes the parts of a sort key as an opaque cursor, with a checksum that detects damaged cursors. */
export function encodeCursor(key: string[]): string {
  const text = Buffer.from(JSON.stringify(key));
  const checksum = Buffer.alloc(checksumBytes);
  checksum.writeUInt32BE(crc32(text));
  return Buffer.concat([checksum, text]).toString('base64url');
}

/** Decodes a cursor of {@link encodeCursor}; throws CURSOR_INVALID for anything else. An absent cursor is null. */
export function decodeCursor(cursor: string | undefined, parts: number): string[] | null {
  if (cursor === undefined) return null;
  try {
    const text = Buffer.from(cursor, 'base64url').subarray(checksumBytes).toString('utf8');
    const key: unknown = JSON.parse(text);
    if (isKey(key, parts) && encodeCursor(key) === cursor) return key;
  } catch {
    // Invalid JSON, rejected below like any other invalid cursor.
  }
  throw apiError('CURSOR_INVALID');
}

/**
 * The filter for the rows after a cursor of an instant and an id, in a list that is sorted by the fields `at` and `id`
 * in one direction; without a cursor it matches all rows. Throws CURSOR_INVALID.
 */
export function afterInstant(cursor: string | undefined, [at, id]: [at: string, id: string], order: 1 | -1): object {
  const place = decodeCursor(cursor, 2);
  if (!place) return {};
  const instant = new Date(place[0] ?? '');
  if (Number.isNaN(instant.getTime())) throw apiError('CURSOR_INVALID');
  const beyond = order === 1 ? '$gt' : '$lt';
  return { $or: [{ [at]: { [beyond]: instant } }, { [at]: instant, [id]: { [beyond]: place[1] } }] };
}

function isKey(key: unknown, parts: number): key is string[] {
  return Array.isArray(key) && key.length === parts && key.every((part) => typeof part === 'string');
}
