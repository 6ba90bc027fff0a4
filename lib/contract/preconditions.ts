import type { IncomingHttpHeaders } from 'node:http';
import type { ByteRange } from './contract.ts';

/** The validators and the size of some content, for conditional requests. The tag is strong and without quotes. */
export type Representation = { etag?: string | undefined; lastModified?: Date | undefined; size: number | null };

/** The response to a GET or HEAD of the content; `range` is the part of a 206. */
export type Outcome =
  | { status: 200; range: null }
  | { status: 206; range: ByteRange }
  | { status: 304 | 412 | 416; range: null };

/**
 * Evaluates the preconditions and the range of a GET or HEAD, in the order of RFC 9110 section 13.2.2. A condition
 * without the validator it needs is false (If-Match) or ignored (dates, sections 13.1.3 and 13.1.4).
 */
export function evaluate(method: string, headers: IncomingHttpHeaders, about: Representation): Outcome {
  const { etag, lastModified } = about;
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, etag, 'strong')) return { status: 412, range: null };
  } else if (isModifiedSince(headers['if-unmodified-since'], lastModified) === true) {
    return { status: 412, range: null };
  }
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) {
    if (matches(ifNoneMatch, etag, 'weak')) return { status: 304, range: null };
  } else if (isModifiedSince(headers['if-modified-since'], lastModified) === false) {
    return { status: 304, range: null };
  }
  return evaluateRange(method, headers, about);
}

/** A HEAD has no ranges (RFC 9110 section 14.2), and content of unknown size has none. */
function evaluateRange(method: string, headers: IncomingHttpHeaders, about: Representation): Outcome {
  const { range: text } = headers;
  const { size } = about;
  const whole: Outcome = { status: 200, range: null };
  if (text === undefined || method !== 'GET' || size === null) return whole;
  if (!isUnchanged(headers['if-range'], about)) return whole;
  const range = parseRange(text, size);
  if (range === 'unsatisfiable') return { status: 416, range: null };
  return range ? { status: 206, range } : whole;
}

/**
 * Parses a Range header with a single byte range. Null for another unit, several ranges or an invalid one, which are
 * ignored (RFC 9110 section 14.2), unless all of several are beyond the end. A position has any number of digits, and a
 * last byte beyond the end means the end (section 14.1.2).
 */
export function parseRange(text: string, size: number): ByteRange | 'unsatisfiable' | null {
  const [, list] = /^bytes=(.*)$/i.exec(text) ?? [];
  // A list may have empty elements (section 5.6.1.2).
  const specs = list?.split(',').map((spec) => spec.trim()) ?? [];
  const ranges = specs.filter((spec) => spec !== '').map((spec) => parseSpec(spec, size));
  if (ranges.includes(null)) return null;
  if (ranges.length > 1) return ranges.every((range) => range === 'unsatisfiable') ? 'unsatisfiable' : null;
  return ranges[0] ?? null;
}

/** Parses one range of a header, such as `0-99`, `100-` or `-100`; null when it is invalid. */
function parseSpec(spec: string, size: number): ByteRange | 'unsatisfiable' | null {
  const [, first, last] = /^(\d*)-(\d*)$/.exec(spec) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 };
  }
  // Compared as BigInt: as numbers, large positions would be rounded to equal ones.
  if (last !== '' && BigInt(last) < BigInt(first)) return null;
  if (Number(first) >= size) return 'unsatisfiable';
  return { first: Number(first), last: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

/** If-Range: one strong tag, or the exact date (RFC 9110 section 13.1.5); true without the header. */
function isUnchanged(ifRange: string | string[] | undefined, { etag, lastModified }: Representation): boolean {
  if (ifRange === undefined) return true;
  if (typeof ifRange !== 'string') return false;
  if (ifRange.includes('"')) return etag !== undefined && ifRange.trim() === `"${etag}"`;
  return lastModified !== undefined && parseDate(ifRange) === inSeconds(lastModified);
}

/**
 * Whether a list of tags contains the tag, given without quotes. A strong comparison matches no weak tag (RFC 9110
 * section 8.8.3.2).
 */
export function matches(list: string, etag: string | undefined, comparison: 'strong' | 'weak'): boolean {
  if (list.trim() === '*') return true;
  if (etag === undefined) return false;
  // The form that nearly all clients send: a single tag.
  if (list === `"${etag}"`) return true;
  for (const [, isWeak, tag] of list.matchAll(/(?:^|,)[ \t]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?=,|$)/g)) {
    if (tag === etag && (comparison === 'weak' || isWeak === undefined)) return true;
  }
  return false;
}

/** Whether the content changed after the date of a header; undefined where the header or the content has none. */
function isModifiedSince(header: string | undefined, lastModified: Date | undefined): boolean | undefined {
  const date = header === undefined ? null : parseDate(header);
  if (date === null || lastModified === undefined) return undefined;
  return inSeconds(lastModified) > date;
}

/** HTTP dates have a resolution of one second. */
const inSeconds = (date: Date): number => Math.floor(date.getTime() / 1000);

const httpDate =
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT|\w+day, \d{2}-\w{3}-\d{2} \d{2}:\d{2}:\d{2} GMT|\w{3} \w{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/;

/** Parses a date in one of the three forms of RFC 9110 section 5.6.7 to seconds since 1970; null for anything else. */
function parseDate(text: string): number | null {
  const trimmed = text.trim();
  if (!httpDate.test(trimmed)) return null;
  // The third form names no zone; it is UTC like the others.
  const milliseconds = Date.parse(trimmed.endsWith('GMT') ? trimmed : `${trimmed} GMT`);
  return Number.isNaN(milliseconds) ? null : Math.floor(milliseconds / 1000);
}
