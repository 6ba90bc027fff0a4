import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { firstIdAt, type IdPrefix, idPattern } from '../data/ids.ts';
import { apiError, type ErrorDetail, maxDetails, unknownFields, unknownName } from './errors.ts';
import { integerIn } from './json-schema.ts';

/**
 * A text parameter of a path that names a resource. Any text is accepted, because an unknown name is 404, not 400; the
 * pattern is for the API document.
 */
export const pathText = (pattern: RegExp) => z.string().meta({ pattern: pattern.source });

/** An id parameter of a path; see {@link pathText}. */
export const pathId = (prefix: IdPrefix) => pathText(idPattern(prefix));

/** The id of an organization in the body of an internal action. */
export const organizationId = z.string().regex(idPattern('org'));

const kinds: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
  date: 'a date',
};

/** The unit of a size limit, by the type of the value. */
const units: Record<string, string> = { string: 'character', array: 'item', set: 'item' };

/**
 * The message of a validation error, which names the violated rule. For `safeParse(value, { error })`: used when a
 * schema has no message; undefined leaves the message to zod.
 */
export function inputMessage(issue: z.core.$ZodRawIssue): string | undefined {
  return messageOf(issue, 'field');
}

/** {@link inputMessage} for the parameters of a query. */
export function queryMessage(issue: z.core.$ZodRawIssue): string | undefined {
  return messageOf(issue, 'parameter');
}

function messageOf(issue: z.core.$ZodRawIssue, kind: 'field' | 'parameter'): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return typeMessage(kinds[issue.expected] ?? issue.expected, issue.input);
    case 'too_small':
      return `Must ${verbOf(issue.origin)} at least ${amount(issue.minimum, issue.origin)}.`;
    case 'too_big':
      return `Must ${verbOf(issue.origin)} at most ${amount(issue.maximum, issue.origin)}.`;
    case 'invalid_value':
      return issue.input === undefined ? `Required (${oneOf(issue.values)}).` : `Must be ${oneOf(issue.values)}.`;
    case 'invalid_format':
      return 'Invalid format; see /openapi.json.';
    case 'unrecognized_keys':
      return unknownMessage(issue, kind);
    default:
      return undefined;
  }
}

/** The error details of one part of a request, such as `body`. */
export function detailsOf(part: string, issue: z.core.$ZodIssue): ErrorDetail[] {
  const path = [part, ...issue.path.map(String)].join('.');
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  const lines = issue.message.split('\n');
  return unknownFields(path, issue.keys).map((detail, index) => ({
    ...detail,
    message: lines[index] ?? detail.message,
  }));
}

/**
 * One line for each unknown name, because zod has one issue for all of them. Names after the last detail that is sent
 * are not compared.
 */
function unknownMessage({ keys, inst, input }: UnknownKeys, kind: 'field' | 'parameter'): string {
  const { shape = {} } = (inst?._zod.def ?? {}) as { shape?: object };
  const unsent = Object.keys(shape).filter((name) => !Object.hasOwn(input ?? {}, name));
  return keys.map((key, index) => unknownName(kind, key, index < maxDetails ? unsent : [])).join('\n');
}

type UnknownKeys = z.core.$ZodRawIssue & { keys: string[]; input?: object };

function typeMessage(kind: string, input: unknown): string {
  return input === undefined ? `Required (${kind.replace(/^an? /, '')}).` : `Must be ${kind}.`;
}

function verbOf(origin: string): 'have' | 'be' {
  return units[origin] === 'item' ? 'have' : 'be';
}

function oneOf(values: readonly unknown[]): string {
  const [first] = values;
  return values.length === 1 ? JSON.stringify(first) : `one of: ${values.map(String).join(', ')}`;
}

function amount(bound: number | bigint, origin: string): string {
  const unit = units[origin];
  if (unit === undefined) return `${bound}`;
  return `${bound} ${unit}${Number(bound) === 1 ? '' : 's'}`;
}

/** An instant in an input: ISO 8601 in UTC with milliseconds, the format of every timestamp of the platform. */
export const instantInput = z.iso
  .datetime({ precision: 3, abort: true, error: 'Must be UTC with milliseconds, such as 2030-01-31T12:00:00.000Z.' })
  .transform((text) => new Date(text));

/** An instant in an output, in the format of `Date.toISOString`. */
export const timestamp = z.iso.datetime({ precision: 3 });

export const maxPageSize = 100;
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
  const [from, beyond] = order === 1 ? ['$gte', '$gt'] : ['$lte', '$lt'];
  // The range begins the read of the index at the instant; with `$or` alone it would begin at the first row.
  return { [at]: { [from]: instant }, $or: [{ [at]: { [beyond]: instant } }, { [id]: { [beyond]: place[1] } }] };
}

/** Filters of a list by time. The start is included, the end is not. */
export const timeRange = {
  from: instantInput.optional().describe('Only from this time on.'),
  to: instantInput.optional().describe('Only before this time.'),
};

type Span = { cursor?: string | undefined; from?: Date | undefined; to?: Date | undefined };

type IdRange = { $gte?: string; $lt?: string; $in?: string[] };

/**
 * The filter for the rows after a cursor of an id and within a time, in a list that is sorted by `_id` with the newest
 * first; with `id` for one of them. It bounds the ids, which begin with their time, so that the index serves it. Throws
 * CURSOR_INVALID.
 */
export function olderIds(prefix: IdPrefix, { cursor, from, to }: Span, id?: string): { _id?: IdRange } {
  const [after] = decodeCursor(cursor, 1) ?? [];
  const [end] = [after, to && firstIdAt(prefix, to)].filter((bound) => bound !== undefined).sort();
  const range = {
    ...(from && { $gte: firstIdAt(prefix, from) }),
    ...(end !== undefined && { $lt: end }),
    ...(id !== undefined && { $in: [id] }),
  };
  return Object.keys(range).length === 0 ? {} : { _id: range };
}

function isKey(key: unknown, parts: number): key is string[] {
  return Array.isArray(key) && key.length === parts && key.every((part) => typeof part === 'string');
}

/** A single-line text as people type it, which may be empty: trimmed, bounded, without control characters. */
export const optionalLine = (maxLength: number) =>
  z
    .string()
    .trim()
    .max(maxLength, `Must be at most ${maxLength} characters.`)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'Must not contain control characters.');

/** A non-empty single-line text. The pattern documents this in the API document: white space alone is empty. */
export const singleLine = (maxLength: number, message = 'Required.') => optionalLine(maxLength).regex(/[^\s]/, message);

/** The line boundaries of UTS 18 section 1.6: programs of Windows write CR LF, word processors U+000B and U+2028. */
const lineBreak = /\r\n|[\v\f\r\u0085\u2028\u2029]/g;

/**
 * A text that may have several lines, or be empty: trimmed, bounded, without other control characters. Every line break
 * becomes one line feed.
 */
export const optionalLines = (maxLength: number) =>
  z
    .string()
    .overwrite((text) => text.replace(lineBreak, '\n'))
    .trim()
    .max(maxLength, `Must be at most ${maxLength} characters.`)
    .regex(/^(?:[^\p{Cc}\p{Cs}]|[\t-\r\u0085])*$/u, 'Must not contain control characters except line breaks and tabs.');

/** The fields of an input that a request sent: without the undefined ones. */
export function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
