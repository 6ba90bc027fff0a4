import { z } from 'zod';
import { inputError } from '../../../lib/errors.ts';

/** The longest key, in bytes of UTF-8. */
export const maxKeyBytes = 1024;

/** Line separators break lines in logs and scripts like control characters do, and are refused with them. */
const controlCharacter = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Most keys, which break no rule. */
const plainKey = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

const segmentsOf = (key: string): string[] => key.split('/');

const rules: readonly (readonly [isBroken: (key: string) => boolean, message: string])[] = [
  [(key) => key === '', 'Send a key that is not empty.'],
  [(key) => Buffer.byteLength(key) > maxKeyBytes, `Send a key of at most ${maxKeyBytes} bytes in UTF-8.`],
  [(key) => !key.isWellFormed(), 'Send a key of whole Unicode characters, without half of a surrogate pair.'],
  [(key) => controlCharacter.test(key), 'Send a key without control characters and line separators.'],
  [(key) => key.includes('\\'), 'Send a key without a backslash; separate its segments by "/".'],
  [(key) => segmentsOf(key).includes(''), 'Send a key without a "/" at its start or end, and without "//".'],
  [
    (key) => segmentsOf(key).some((segment) => segment === '.' || segment === '..'),
    'Send a key without the segments "." and "..".',
  ],
];

const keyCharacter = '[^/\\\\\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]';
const noDot = keyCharacter.replace('[^', '[^.');
const segment = `(${noDot}${keyCharacter}*|\\.${noDot}${keyCharacter}*|\\.\\.${keyCharacter}+)`;
/** The rules but those about bytes and pairs of surrogates, for the API document. */
const keyPattern = `^${segment}(/${segment})*$`;

/**
 * The key of an object: 1 to {@link maxKeyBytes} bytes in UTF-8, segments separated by `/`. It is normalised to NFC, so
 * that a name typed on one system is found on another: macOS, for example, separates letters from their accents.
 */
export const objectKey = z
  .string()
  .meta({ pattern: keyPattern, minLength: 1, maxLength: maxKeyBytes })
  .overwrite((key) => key.normalize('NFC'))
  .superRefine((key, context) => {
    if (key.length <= maxKeyBytes && plainKey.test(key)) return;
    const broken = rules.find(([isBroken]) => isBroken(key));
    if (broken) context.addIssue({ code: 'custom', message: broken[1] });
  });

/**
 * The key in a path, from its segments after the router has percent-decoded each of them once. A `%2F` in a segment
 * means the same as `/`.
 *
 * @param path - the field that an error names.
 * @throws INPUT_INVALID
 */
export function keyFromSegments(segments: readonly string[], path = 'path.key'): string {
  const { data, error } = objectKey.safeParse(segments.join('/'));
  if (error) throw inputError(error.issues.map(({ message }) => ({ path, message })));
  return data;
}

/**
 * The key as a part of a URL's path (RFC 3986, section 3.3): all but unreserved characters and `/` is percent-encoded,
 * so that the URL can stand in any context, such as an attribute or a Markdown link.
 */
export function encodeKey(key: string): string {
  return segmentsOf(key).map(encodeSegment).join('/');
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The last segment of a key. */
export function fileNameOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

/**
 * The key of an object that was uploaded without one: its id and its file name, which is made a valid segment. A name
 * that is too long loses the end of what precedes its extension.
 */
export function defaultKey(objectId: string, fileName: string | null): string {
  const start = `${objectId}/`;
  return start + shorten(cleanName(fileName ?? ''), maxKeyBytes - Buffer.byteLength(start));
}

function cleanName(fileName: string): string {
  const name = fileName
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}/\\]/gu, '')
    .trim()
    .normalize('NFC');
  return /^\.{0,2}$/.test(name) ? 'file' : name;
}

/** A longer text after the last dot is no extension that a program reads. */
const maxExtensionBytes = 64;

function shorten(name: string, maxBytes: number): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const [extension = ''] = /(?<=.)\.[^.]+$/u.exec(name) ?? [];
  const kept = Buffer.byteLength(extension) <= maxExtensionBytes ? extension : '';
  return firstBytes(name.slice(0, name.length - kept.length), maxBytes - Buffer.byteLength(kept)) + kept;
}

/** As many whole characters as fit. */
function firstBytes(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}

/**
 * The smallest text after all that begin with a prefix, in the order of code points, which is that of UTF-8 bytes: keys
 * with the prefix are those from the prefix on and before this one. Null when no text is after them. The prefix is well
 * formed.
 */
export function prefixEnd(prefix: string): string | null {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  const last = points.findLastIndex((point) => point < 0x10ffff);
  if (last === -1) return null;
  return String.fromCodePoint(...points.slice(0, last), nextPoint(points[last] ?? 0));
}

/** The next code point of a character; surrogates are none. */
function nextPoint(point: number): number {
  return point === 0xd7ff ? 0xe000 : point + 1;
}
