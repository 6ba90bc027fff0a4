import { z } from 'zod';

/** The character classes of JavaScript, written out, because other languages define them differently. */
const shorthands: Record<string, string> = {
  d: '0-9',
  w: 'A-Za-z0-9_',
  s: '\\t\\n\\u000b\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff',
};

const controlCharacters = '\\u0000-\\u001f\\u007f-\\u009f';

/**
 * The properties that a class may exclude. Without the flag `u` a class sees the halves of a pair, so half of a pair
 * (Cs) cannot be excluded; unassigned characters (Cn) depend on the version of Unicode. Omitting an exclusion only
 * makes the pattern accept more.
 */
const excludable: Record<string, string> = {
  Cc: controlCharacters,
  Cs: '',
  C: controlCharacters,
  Zl: '\\u2028',
  Zp: '\\u2029',
};

const token = /\\p\{(\w+)\}|\\x([0-9a-fA-F]{2})|\\u[0-9a-fA-F]{4}|\\(.)|\(\?:|\(\?|\[\^?|./gsy;

type Place = 'outside' | 'class' | 'negated class';

/**
 * Rewrites the source of a regular expression to the subset that validators of all languages interpret alike (JSON
 * Schema 2020-12 section 6.4): no Unicode properties, no class shorthands, only plain groups. It accepts what the
 * expression accepts, and more only where the expression excludes halves of surrogate pairs, or format characters and
 * unassigned ones by `\p{C}`. It compiles with and without the flag `u`. Null without such a form, as for
 * lookarounds, named groups and backreferences.
 */
export function portablePattern(source: string): string | null {
  let text = '';
  let place: Place = 'outside';
  for (const match of source.matchAll(token)) {
    const part = portablePart(match, place);
    if (part === null) return null;
    text += part;
    place = placeAfter(place, match[0]);
  }
  return text;
}

function portablePart([part, property, byte, escaped]: RegExpExecArray, place: Place): string | null {
  if (property !== undefined) return place === 'negated class' ? (excludable[property] ?? null) : null;
  if (byte !== undefined) return `\\u00${byte.toLowerCase()}`;
  if (escaped !== undefined) return portableEscape(escaped, place);
  if (place !== 'outside') return part.replace('[', '\\[');
  if (part === '(?') return null;
  return part === '(?:' ? '(' : part;
}

function portableEscape(character: string, place: Place): string | null {
  if (character === '0') return '\\u0000';
  if (character === '/') return '/';
  const members = shorthands[character];
  if (members !== undefined) return place === 'outside' ? `[${members}]` : members;
  return /[a-z1-9]/i.test(character) && !'fnrt'.includes(character) ? null : `\\${character}`;
}

function placeAfter(place: Place, part: string): Place {
  if (place !== 'outside') return part === ']' ? 'outside' : place;
  if (part === '[^') return 'negated class';
  return part === '[' ? 'class' : 'outside';
}

/** JSON Schema 2020-12, as in OpenAPI 3.1. */
export type JsonSchema = Record<string, unknown>;

/**
 * The JSON Schema of the input or output of a schema, for the API document. A schema with `.meta({ id: 'Bucket' })` is
 * in `$defs` by that name, which the document shares among all operations.
 */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema, ...document } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override });
  return document;
}

/**
 * For `.meta` of a text in a query that is parsed as an integer: the document declares a number with these bounds,
 * while the schema still parses text.
 */
export function integerIn(minimum: number, maximum: number): { type: 'integer'; minimum: number; maximum: number } {
  return { type: 'integer', minimum, maximum };
}

/** For `.meta` of an object with exactly one of these fields; the handler itself rejects none and several. */
export function oneOf(...names: string[]): { oneOf: { required: string[] }[] } {
  return { oneOf: names.map((name) => ({ required: [name] })) };
}

const instantPattern = '^[0-9-]{10}T[0-9:.]+Z$';

function override({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (isNumber(jsonSchema)) delete jsonSchema.pattern;
  // The format implies the long pattern, except that the instant is in UTC.
  if (jsonSchema.format === 'date-time') jsonSchema.pattern = instantPattern;
  // Several patterns of one text are in `allOf`. Each repeats the type: generators of clients make types of each.
  const patterns = jsonSchema.allOf ?? [];
  for (const part of [jsonSchema, ...patterns]) {
    const pattern = typeof part.pattern === 'string' ? portablePattern(part.pattern) : null;
    if (pattern === null) delete part.pattern;
    else part.pattern = pattern;
  }
  if (jsonSchema.type !== 'string' || patterns.length === 0) return;
  jsonSchema.allOf = patterns
    .filter(({ pattern }) => pattern !== undefined)
    .map((part) => ({ type: 'string', ...part }));
  if (jsonSchema.allOf.length === 0) delete jsonSchema.allOf;
}

const isNumber = ({ type }: { type?: unknown }): boolean => type === 'integer' || type === 'number';
