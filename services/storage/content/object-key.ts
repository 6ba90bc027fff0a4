import { z } from 'zod';
import { inputError } from '../../../lib/contract/errors.ts';

/** The maximum length of a key, in bytes of UTF-8. */
export const maxKeyBytes = 1024;

/** Line separators break lines in logs and scripts like control characters, and are rejected with them. */
const controlCharacter = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** A fast path for most keys, which satisfy all rules. */
const plainKey = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

const segmentsOf = (key: string): string[] => key.split('/');

const rules: readonly (readonly [isBroken: (key: string) => boolean, message: string])[] = [
  [(key) => key === '', 'Required.'],
  [(key) => Buffer.byteLength(key) > maxKeyBytes, `Must be at most ${maxKeyBytes} bytes in UTF-8.`],
  [(key) => !key.isWellFormed(), 'Must be valid Unicode, without lone surrogates.'],
  [(key) => controlCharacter.test(key), 'Must not contain control characters or line separators.'],
  [(key) => key.includes('\\'), 'Must not contain a backslash; separate segments with "/".'],
  [(key) => segmentsOf(key).includes(''), 'Must not begin or end with "/" or contain "//".'],
  [
    (key) => segmentsOf(key).some((segment) => segment === '.' || segment === '..'),
    'Must not contain the segments "." and "..".',
  ],
];

const keyCharacter = '[^/\\\\\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]';
const noDot = keyCharacter.replace('[^', '[^.');
const segment = `(${noDot}${keyCharacter}*|\\.${noDot}${keyCharacter}*|\\.\\.${keyCharacter}+)`;
/** The rules except those about bytes and surrogate pairs, for the API document. */
const keyPattern = `^${segment}(/${segment})*$`;

/**
 * The key of an object: 1 to {@link maxKeyBytes} bytes in UTF-8, segments separated by `/`. It is normalised to NFC, so
 * that a name typed on one system is found on another: macOS, for example, decomposes accented letters.
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
 * Returns the key of a path from its segments, each percent-decoded once by the router. A `%2F` in a segment is equal
 * to `/`.
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
 * Encodes a key for a URL's path (RFC 3986, section 3.3): percent-encodes all but unreserved characters and `/`, so
 * that the URL is safe in any context, such as an attribute or a Markdown link.
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
 * The key of an object that was uploaded without one: its id and its file name, made a valid segment. A name that is
 * too long is truncated before its extension.
 */
export function defaultKey(objectId: string, fileName: string | null): string {
  const start = `${objectId}/`;
  return start + shorten(cleanName(fileName ?? ''), maxKeyBytes - Buffer.byteLength(start));
}

/**
 * The key of a file in a folder, which ends with `/` or is empty.
 *
 * @throws INPUT_INVALID for a file without a name, or with one that makes no key.
 */
export function fileNameKey(folder: string, fileName: string | null): string {
  if (fileName === null) throw inputError([{ path: 'body.file', message: 'Must be a file with a name.' }]);
  return keyFromSegments([`${folder}${fileName}`], 'body.file');
}

function cleanName(fileName: string): string {
  const name = fileName
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}/\\]/gu, '')
    .trim()
    .normalize('NFC');
  return /^\.{0,2}$/.test(name) ? 'file' : name;
}

/** A longer suffix after the last dot is not an extension that programs read. */
const maxExtensionBytes = 64;

function shorten(name: string, maxBytes: number): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const [extension = ''] = /(?<=.)\.[^.]+$/u.exec(name) ?? [];
  const kept = Buffer.byteLength(extension) <= maxExtensionBytes ? extension : '';
  return firstBytes(name.slice(0, name.length - kept.length), maxBytes - Buffer.byteLength(kept)) + kept;
}

/** The longest prefix of whole characters within `maxBytes`. */
function firstBytes(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}
