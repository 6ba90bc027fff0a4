/** What the classes of JavaScript hold, written out: those of other languages hold other characters. */
const shorthands: Record<string, string> = {
  d: '0-9',
  w: 'A-Za-z0-9_',
  s: '\\t\\n\\u000b\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff',
};

const controlCharacters = '\\u0000-\\u001f\\u007f-\\u009f';

/**
 * The properties that a class may exclude. Without the flag `u` a class sees the halves of a pair, so half of a pair (Cs)
 * cannot be excluded; what is unassigned (Cn) depends on the version of Unicode. Excluding less accepts more, never less.
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
 * The source of a regular expression in what validators of all languages understand alike (JSON Schema 2020-12 section
 * 6.4): no properties of Unicode, no shorthands of classes, no groups but plain ones. It accepts what the expression
 * accepts, and more only where the expression excludes halves of surrogate pairs, or format characters and unassigned
 * ones by `\p{C}`. It compiles without flags and with `u`. Null for what has no such form, as lookarounds, named groups
 * and backreferences.
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
