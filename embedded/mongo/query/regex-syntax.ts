import {
  codePoint,
  type Flags,
  invalid,
  lastCodePoint,
  parseClass,
  type RegexSet,
  readEscape,
  refused,
  type State,
} from './regex-characters.ts';
import { complementOf, type Range } from './regex-sets.ts';

/** Regular expression in the syntax of PCRE2 with MongoDB's settings: UTF on, newline LF, ASCII `\d \w \s \b`. */
export type RegexNode =
  | RegexSet
  | { kind: 'assertion'; name: 'start' | 'lineStart' | 'end' | 'lineEnd' | 'veryEnd' | 'word' | 'notWord' }
  | { kind: 'sequence' | 'choice'; nodes: RegexNode[] }
  | { kind: 'repeat'; node: RegexNode; min: number; max: number };

const depthLimit = 200;

/** Throws Location51091 for an invalid pattern, CommandNotSupported for syntax that this server cannot match. */
export function parseRegex(pattern: string, options: string): RegexNode {
  const state: State = { characters: [...withoutQuotes(pattern)], at: 0, depth: 0 };
  const has = (option: string) => options.includes(option);
  const node = parseChoice(state, { i: has('i'), m: has('m'), s: has('s'), x: has('x') });
  if (state.at < state.characters.length) throw invalid('unmatched closing parenthesis');
  return node;
}

/** Replaces the literal text between `\Q` and `\E` by escapes. */
function withoutQuotes(pattern: string): string {
  return pattern.replace(/\\Q([\s\S]*?)(?:\\E|$(?![\s\S]))|\\E|\\[\s\S]/g, (all, text: string | undefined) => {
    if (text === undefined) return all === '\\E' ? '' : all;
    return text.replace(/[\s\S]/gu, (character) => `\\x{${codePoint(character).toString(16)}}`);
  });
}

function parseChoice(state: State, outer: Flags): RegexNode {
  if (++state.depth > depthLimit) throw invalid('parentheses are nested too deeply');
  // An option that is set within a group applies to its end, including the later branches.
  const flags = { ...outer };
  const branches = [parseSequence(state, flags)];
  while (state.characters[state.at] === '|') {
    state.at++;
    branches.push(parseSequence(state, flags));
  }
  state.depth--;
  const [only] = branches;
  return only && branches.length === 1 ? only : { kind: 'choice', nodes: branches };
}

function parseSequence(state: State, flags: Flags): RegexNode {
  const nodes: RegexNode[] = [];
  for (;;) {
    if (flags.x) skipSpace(state);
    const character = state.characters[state.at];
    if (character === undefined || character === '|' || character === ')') return { kind: 'sequence', nodes };
    const node = parseAtom(state, flags);
    if (node) nodes.push(parseQuantifiers(state, flags, node));
  }
}

function skipSpace(state: State): void {
  for (;;) {
    const character = state.characters[state.at] ?? '';
    if (character === '#') while (state.at < state.characters.length && state.characters[state.at] !== '\n') state.at++;
    else if (/^[\t-\r ]$/.test(character)) state.at++;
    else return;
  }
}

/** Parses the next atom; undefined for a construct that matches nothing, such as a comment. */
function parseAtom(state: State, flags: Flags): RegexNode | undefined {
  const character = state.characters[state.at++] ?? '';
  switch (character) {
    case '^':
      return { kind: 'assertion', name: flags.m ? 'lineStart' : 'start' };
    case '$':
      return { kind: 'assertion', name: flags.m ? 'lineEnd' : 'end' };
    case '.':
      return setOf(flags.s ? [[0, lastCodePoint]] : complementOf([[10, 10]]));
    case '[':
      return parseClass(state, flags);
    case '(':
      return parseGroup(state, flags);
    case '\\':
      return parseEscape(state, flags);
  }
  if (/^[*+?]$/.test(character)) throw invalid('a quantifier does not follow a repeatable item');
  if (character === '{' && readBounds(state)) throw invalid('a quantifier does not follow a repeatable item');
  return literal(codePoint(character), flags);
}

function setOf(ranges: Range[], ignoresCase = false): RegexSet {
  return { kind: 'set', ranges, properties: [], isNegated: false, ignoresCase };
}

function literal(code: number, flags: Flags): RegexSet {
  return setOf([[code, code]], flags.i);
}

function parseQuantifiers(state: State, flags: Flags, atom: RegexNode): RegexNode {
  let node = atom;
  for (;;) {
    if (flags.x) skipSpace(state);
    const bounds = readQuantifier(state);
    if (!bounds) return node;
    if (node !== atom) throw refused('a quantifier of a quantifier');
    if (node.kind === 'assertion') throw refused('a quantifier of an assertion');
    node = { kind: 'repeat', node, ...bounds };
    // A lazy quantifier changes which match is found, but not whether there is one.
    if (state.characters[state.at] === '?') state.at++;
    else if (state.characters[state.at] === '+') throw refused('a possessive quantifier');
  }
}

type Bounds = { min: number; max: number };

function readQuantifier(state: State): Bounds | undefined {
  const simple: Partial<Record<string, Bounds>> = {
    '*': { min: 0, max: Infinity },
    '+': { min: 1, max: Infinity },
    '?': { min: 0, max: 1 },
  };
  const character = state.characters[state.at] ?? '';
  const bounds = simple[character];
  if (bounds || character === '{') state.at++;
  if (bounds) return bounds;
  const counted = character === '{' ? readBounds(state) : undefined;
  if (character === '{' && !counted) state.at--;
  return counted;
}

const repetitionLimit = 1000;

/** Parses `2}`, `2,}` or `2,3}` after a brace; otherwise the brace is a literal. */
function readBounds(state: State): Bounds | undefined {
  const text = state.characters.slice(state.at, state.at + 14).join('');
  const found = /^(\d+)(,?)(\d*)\}/.exec(text);
  if (!found || (found[3] !== '' && found[2] === '')) return undefined;
  state.at += found[0].length;
  const min = Number(found[1]);
  const max = found[2] === '' ? min : found[3] === '' ? Infinity : Number(found[3]);
  if (min > max) throw invalid('numbers out of order in {} quantifier');
  if (min > repetitionLimit || (max !== Infinity && max > repetitionLimit))
    throw refused(`a repetition of more than ${repetitionLimit} times`);
  return { min, max };
}

const otherGroups: [RegExp, string][] = [
  [/^\?<?[=!]/, 'a look-around'],
  [/^\?>/, 'an atomic group'],
  [/^\?\|/, 'a group that resets numbers'],
  [/^\?\(/, 'a conditional group'],
  [/^\?(?:R|[+-]?\d|&|P>|P=)/, 'a reference to a group'],
  [/^\*/, 'a verb such as (*UCP)'],
];

function parseGroup(state: State, flags: Flags): RegexNode | undefined {
  const ahead = state.characters.slice(state.at, state.at + 80).join('');
  const other = otherGroups.find(([start]) => start.test(ahead));
  if (other) throw refused(other[1]);
  if (ahead.startsWith('?#')) return skipComment(state);
  const named = /^\?(?:P?<[A-Za-z_]\w*>|'[A-Za-z_]\w*')/.exec(ahead);
  const optional = /^\?([a-zA-Z]*)(?:-([a-zA-Z]*))?([:)])/.exec(ahead);
  if (ahead.startsWith('?') && !named && !optional) throw invalid('unrecognized character after (?');
  state.at += (named ?? optional)?.[0].length ?? 0;
  if (optional?.[1]?.includes('xx')) throw refused('the option (?xx)');
  const inner = optional ? withOptions(flags, optional[1] ?? '', optional[2] ?? '') : flags;
  if (optional?.[3] === ')') {
    Object.assign(flags, inner);
    return undefined;
  }
  const node = parseChoice(state, inner);
  if (state.characters[state.at++] !== ')') throw invalid('missing closing parenthesis');
  return node;
}

function skipComment(state: State): undefined {
  const end = state.characters.indexOf(')', state.at);
  if (end < 0) throw invalid('missing ) after (?# comment');
  state.at = end + 1;
}

function withOptions(flags: Flags, on: string, off: string): Flags {
  const changed = { ...flags };
  for (const option of on + off) {
    if (!(option in flags)) throw refused(`the option (?${option})`);
    changed[option as keyof Flags] = !off.includes(option);
  }
  return changed;
}

const assertions: Partial<Record<string, 'start' | 'end' | 'veryEnd' | 'word' | 'notWord'>> = {
  ...{ A: 'start', Z: 'end', z: 'veryEnd', b: 'word', B: 'notWord' },
};

function parseEscape(state: State, flags: Flags): RegexNode {
  const letter = state.characters[state.at] ?? '';
  const name = assertions[letter];
  if (name) {
    state.at++;
    return { kind: 'assertion', name };
  }
  if (/^[1-9gk]$/.test(letter)) throw refused(`the reference \\${letter}`);
  const item = readEscape(state);
  if (typeof item === 'number') return literal(item, flags);
  // Predefined sets are the same when case is ignored.
  return { kind: 'set', ranges: [], properties: [], isNegated: false, ignoresCase: false, ...item };
}
