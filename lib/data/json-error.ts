/** The token that a JSON text may have next. `End`: or the end of the empty object or array. */
type Expected = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd';

const keys: ReadonlySet<Expected> = new Set(['key', 'keyOrEnd']);

/** A string without its closing quote: characters from the space on without the quote and the backslash, or escapes. */
const stringStart = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const whiteSpace = ' \t\n\r';
const isVisible = /^[\p{L}\p{N}\p{P}\p{S}]$/u;

/**
 * Describes the first error of a text that is not JSON, for the person who sent it: `unexpected “}” at line 3, column
 * 12`. V8's own message names the place of some errors only. Lines and columns count from 1.
 */
export function describeJsonError(text: string): string {
  const place = placeOfError(text);
  const before = text.slice(0, place);
  const line = before.split('\n').length;
  const where = `at line ${line}, column ${place - before.lastIndexOf('\n')}`;
  const [character] = text.slice(place, place + 2);
  return character === undefined ? `it ends too early, ${where}` : `unexpected ${nameOf(character)} ${where}`;
}

function nameOf(character: string): string {
  if (isVisible.test(character)) return `“${character}”`;
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The index of the first character that cannot be there; the length of a text that only lacks its end. */
function placeOfError(text: string): number {
  /** The closing characters of the open objects and arrays. */
  const open: ('}' | ']')[] = [];
  let expected: Expected = 'value';
  let place = 0;
  for (;;) {
    while (place < text.length && whiteSpace.includes(text.charAt(place))) place += 1;
    const character = text.charAt(place);
    if (character === '') return place;
    if (character === open.at(-1) && expected !== 'value' && expected !== 'key' && expected !== 'colon') {
      open.pop();
      expected = 'commaOrEnd';
    } else if (expected === 'commaOrEnd' || expected === 'colon') {
      if (character !== (expected === 'colon' ? ':' : ',') || open.length === 0) return place;
      expected = expected === 'commaOrEnd' && open.at(-1) === '}' ? 'key' : 'value';
    } else if (character === '"') {
      place = endOf(stringStart, text, place);
      if (text.charAt(place) !== '"') return place;
      expected = keys.has(expected) ? 'colon' : 'commaOrEnd';
    } else if (keys.has(expected)) {
      return place;
    } else if (character === '{' || character === '[') {
      open.push(character === '{' ? '}' : ']');
      expected = character === '{' ? 'keyOrEnd' : 'valueOrEnd';
    } else {
      const end = endOf(scalar, text, place);
      if (end === place) return place;
      place = end - 1;
      expected = 'commaOrEnd';
    }
    place += 1;
  }
}

function endOf(token: RegExp, text: string, place: number): number {
  token.lastIndex = place;
  return place + (token.exec(text)?.[0].length ?? 0);
}
