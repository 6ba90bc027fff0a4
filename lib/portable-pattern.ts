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
