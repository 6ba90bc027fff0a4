import { MongoError, notSupported } from '../errors.ts';
import { complementOf, escapedSets, posixSets, type Range } from './regex-sets.ts';

/** Character class: ranges of code points and Unicode properties (`\p{L}`), or their complement. */
export type RegexSet = {
  kind: 'set';
  ranges: Range[];
  properties: string[];
  isNegated: boolean;
  ignoresCase: boolean;
};

export type Flags = { i: boolean; m: boolean; s: boolean; x: boolean };
/** Parser state: the code points of a pattern and the read position. */
export type State = { characters: string[]; at: number; depth: number };

export function invalid(problem: string): MongoError {
  return new MongoError('Location51091', `Regular expression is invalid: ${problem}`);
}

export function refused(what: string): MongoError {
  return notSupported(`${what} in a regular expression`);
}

export const lastCodePoint = 0x10ffff;

export function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}

type SetItem = { ranges: Range[] } | { properties: string[] };

const controls: Partial<Record<string, number>> = { a: 7, e: 27, f: 12, n: 10, r: 13, t: 9 };

/** Parses the escape after a backslash: a code point or a set. */
export function readEscape(state: State): number | SetItem {
  const letter = state.characters[state.at++];
  if (letter === undefined) throw invalid('\\ at end of pattern');
  const ranges = escapedSets.get(letter);
  if (ranges) return { ranges };
  const control = controls[letter];
  if (control !== undefined) return control;
  const ahead = state.characters.slice(state.at, state.at + 60).join('');
  if (letter === 'p' || letter === 'P') return { properties: [readProperty(state, letter, ahead)] };
  const code = /^[0xco]$/.test(letter) ? readCode(state, letter, ahead) : undefined;
  if (code !== undefined) return code;
  if (/^[A-Za-z0-9]$/.test(letter)) {
    if (/^[CGKNRX]$/.test(letter)) throw refused(`\\${letter}`);
    throw invalid(`unrecognized character follows \\: ${letter}`);
  }
  return codePoint(letter);
}

function readProperty(state: State, letter: string, ahead: string): string {
  const found = /^(?:\{(\^?)([A-Za-z_]+)\}|([A-Z]))/.exec(ahead);
  if (!found) throw invalid('malformed \\P or \\p sequence');
  state.at += found[0].length;
  const isNegated = (letter === 'P') !== (found[1] === '^');
  return `\\${isNegated ? 'P' : 'p'}{${found[2] ?? found[3]}}`;
}

function readCode(state: State, letter: string, ahead: string): number | undefined {
  const forms: Record<string, [RegExp, number]> = {
    0: [/^()([0-7]{0,2})/, 8],
    o: [/^(\{)([0-7]+)\}/, 8],
    x: [/^(?:(\{)([0-9a-fA-F]+)\}|([0-9a-fA-F]{0,2}))/, 16],
    c: [/^()()([ -~])/, 0],
  };
  const [form, base] = forms[letter] ?? [/^$/, 0];
  const found = form.exec(ahead);
  if (!found) return undefined;
  state.at += found[0].length;
  if (letter === 'c') return codePoint((found[3] ?? '').toUpperCase()) ^ 64;
  const code = Number.parseInt(found[2] || found[3] || '0', base);
  if (code > lastCodePoint || (code >= 0xd800 && code <= 0xdfff))
    throw invalid('character code point value is too large');
  return code;
}

/**
 * Parses a bracket class. With case ignored its single characters stand for both cases, but the sets in it, such as
 * `\w` and `[:alpha:]`, do not change.
 */
export function parseClass(state: State, flags: Flags): RegexSet {
  if (/^:\^?[a-z]*:\]/.test(state.characters.slice(state.at, state.at + 20).join('')))
    throw invalid('POSIX named classes are supported only within a class');
  const set: RegexSet = { kind: 'set', ranges: [], properties: [], isNegated: false, ignoresCase: flags.i };
  if (state.characters[state.at] === '^') {
    set.isNegated = true;
    state.at++;
  }
  const sets: Range[] = [];
  let isFirst = true;
  while (isFirst || state.characters[state.at] !== ']') {
    if (state.at >= state.characters.length) throw invalid('missing terminating ] for character class');
    addClassItem(state, flags, set, sets);
    isFirst = false;
  }
  state.at++;
  return flags.i && sets.length + set.properties.length > 0 ? withBothCases(set, sets) : joined(set, sets);
}

function joined(set: RegexSet, sets: Range[]): RegexSet {
  return { ...set, ranges: [...set.ranges, ...sets] };
}

const lastAscii = 0x7f;
/** Non-ASCII characters that equal k and s when case is ignored. */
const [kelvin, longS] = [0x212a, 0x17f];

function withBothCases(set: RegexSet, sets: Range[]): RegexSet {
  if (set.ranges.some(([, last]) => last > lastAscii))
    throw refused('a class of characters beyond ASCII and of other classes that ignores case');
  const ranges = [...set.ranges];
  for (const [first, last] of set.ranges) {
    for (let code = first; code <= last; code++) {
      const letter = String.fromCodePoint(code);
      const others = [letter.toLowerCase(), letter.toUpperCase()].map(codePoint);
      if (/k/i.test(letter)) others.push(kelvin);
      if (/s/i.test(letter)) others.push(longS);
      for (const other of others) if (other !== code) ranges.push([other, other]);
    }
  }
  return { ...joined({ ...set, ranges }, sets), ignoresCase: false };
}

function addClassItem(state: State, flags: Flags, set: RegexSet, sets: Range[]): void {
  const item = readClassItem(state, flags);
  if (typeof item !== 'number') {
    if ('ranges' in item) sets.push(...item.ranges);
    else set.properties.push(...item.properties);
    return;
  }
  const isRange = state.characters[state.at] === '-' && (state.characters[state.at + 1] ?? ']') !== ']';
  if (!isRange) return void set.ranges.push([item, item]);
  state.at++;
  const end = readClassItem(state, flags);
  if (typeof end !== 'number') throw invalid('invalid range in character class');
  if (end < item) throw invalid('range out of order in character class');
  set.ranges.push([item, end]);
}

function readClassItem(state: State, flags: Flags): number | SetItem {
  const character = state.characters[state.at++] ?? '';
  if (character === '[') {
    const found = /^:(\^?)([a-z]+):\]/.exec(state.characters.slice(state.at, state.at + 20).join(''));
    if (!found) {
      if (/^[.=]$/.test(state.characters[state.at] ?? '')) throw refused('a collating element');
      return codePoint(character);
    }
    state.at += found[0].length;
    const isCase = found[2] === 'upper' || found[2] === 'lower';
    const ranges = posixSets.get(flags.i && isCase ? 'alpha' : (found[2] ?? ''));
    if (!ranges) throw invalid('unknown POSIX class name');
    return { ranges: found[1] === '^' ? complementOf(ranges) : ranges };
  }
  if (character !== '\\') return codePoint(character);
  if (state.characters[state.at] !== 'b') return readEscape(state);
  state.at++;
  return 8;
}
