import { createRequire } from 'node:module';
import { LRUCache } from 'lru-cache';
import { MongoError } from '../errors.ts';
import { invalid, type RegexSet, refused } from './regex-characters.ts';
import { parseRegex, type RegexNode } from './regex-syntax.ts';

/** Whether a regular expression matches anywhere in a text. */
export type RegexTest = (text: string) => boolean;

const compiled = new LRUCache<string, RegexTest>({ max: 500 });

/**
 * Compiles a MongoDB regular expression, with the options i, m, s, u and x, to a test that takes linear time in the
 * length of the text. Throws Location51091 for an invalid pattern, Location51108 for an unknown option, and
 * CommandNotSupported for features of PCRE that a linear-time matcher lacks.
 */
export function compileRegex(pattern: string, options: string): RegexTest {
  const key = `${options}/${pattern}`;
  const cached = compiled.get(key);
  if (cached) return cached;
  const test = compile(pattern, options);
  compiled.set(key, test);
  return test;
}

/** Maximum pattern length, as in MongoDB. */
const maxPatternLength = 32_764;
/** Maximum size of a pattern with its repetitions expanded; the time of a match is proportional to it. */
const maxSteps = 20_000;

function compile(pattern: string, options: string): RegexTest {
  const unknown = [...options].find((option) => !'imsux'.includes(option));
  if (unknown) throw new MongoError('Location51108', `invalid flag in regex options: ${unknown}`);
  if (pattern.length > maxPatternLength) throw invalid('the pattern is too long');
  const node = parseRegex(pattern, options);
  if (stepsOf(node) > maxSteps) throw refused(`more than ${maxSteps} steps, with repetitions written out,`);
  requireExpressible(node, { isLast: true, nextConsumes: false });
  return singlePath(node) ?? linearTest(re2Text(node));
}

function stepsOf(node: RegexNode): number {
  if (node.kind === 'repeat')
    return 1 + stepsOf(node.node) * Math.max(1, node.min, node.max === Infinity ? 1 : node.max);
  if (node.kind !== 'sequence' && node.kind !== 'choice') return 1;
  return node.nodes.reduce((sum, inner) => sum + stepsOf(inner), node.nodes.length);
}

type Place = { isLast: boolean; nextConsumes: boolean };

/**
 * RE2 has no look-ahead. The end before a last newline can only be expressed when nothing follows it, and the start of
 * a line, which is not after a last newline, when a character follows it.
 */
function requireExpressible(node: RegexNode, place: Place): void {
  if (node.kind === 'choice') for (const inner of node.nodes) requireExpressible(inner, place);
  if (node.kind === 'repeat') {
    const repeats = node.max > 1;
    requireExpressible(node.node, {
      isLast: place.isLast && !repeats,
      nextConsumes: place.nextConsumes && !repeats,
    });
  }
  if (node.kind === 'sequence') {
    node.nodes.forEach((inner, at) => {
      const after = node.nodes.slice(at + 1);
      const isLast = place.isLast && after.every((next) => next.kind === 'assertion' && next.name === 'end');
      const nextConsumes = after.some(consumes) || place.nextConsumes;
      requireExpressible(inner, { isLast, nextConsumes });
    });
  }
  if (node.kind !== 'assertion') return;
  if (node.name === 'end' && !place.isLast) throw refused('$ before the end of a pattern');
  if (node.name === 'lineStart' && !place.nextConsumes) throw refused('^ with the option m and no character behind it');
}

/** Whether every match of a node has at least one character. */
function consumes(node: RegexNode): boolean {
  if (node.kind === 'set') return true;
  if (node.kind === 'repeat') return node.min > 0 && consumes(node.node);
  if (node.kind === 'choice') return node.nodes.every(consumes);
  return node.kind === 'sequence' && node.nodes.some(consumes);
}

/** Without choices and repetitions JavaScript's engine cannot backtrack, and is the fastest. */
function singlePath(node: RegexNode): RegexTest | undefined {
  if (node.kind !== 'sequence') return undefined;
  const sets = node.nodes.filter((inner) => inner.kind === 'set');
  const ignoresCase = sets.some((set) => set.ignoresCase);
  const fits = node.nodes.every((inner) =>
    inner.kind === 'set'
      ? inner.properties.length === 0 && inner.ignoresCase === ignoresCase
      : inner.kind === 'assertion' && inner.name in nativeAssertions,
  );
  if (!fits || sets.length > 200) return undefined;
  const source = node.nodes.map((inner) => {
    if (inner.kind === 'assertion') return nativeAssertions[inner.name];
    return inner.kind === 'set' ? setText(inner, (code) => `\\u{${code.toString(16)}}`) : '';
  });
  const expression = new RegExp(source.join(''), ignoresCase ? 'iu' : 'u');
  return (text) => expression.test(text);
}

const nativeAssertions: Partial<Record<string, string>> = { start: '^', veryEnd: '$', end: '(?:(?=\\n$)|$)' };

const re2Assertions = {
  ...{ start: '\\A', lineStart: '(?m:^)', lineEnd: '(?m:$)', veryEnd: '\\z', word: '\\b', notWord: '\\B' },
  end: '(?:\\n?\\z)',
};

function re2Text(node: RegexNode): string {
  switch (node.kind) {
    case 'assertion':
      return re2Assertions[node.name];
    case 'sequence':
      return node.nodes.map(re2Text).join('');
    case 'choice':
      return `(?:${node.nodes.map(re2Text).join('|')})`;
    case 'repeat': {
      const max = node.max === Infinity ? '' : node.max;
      return `(?:${re2Text(node.node)}){${node.min},${max}}`;
    }
    case 'set':
      return re2SetText(node);
  }
}

function re2SetText(set: RegexSet): string {
  const text = setText(set, (code) => `\\x{${code.toString(16)}}`);
  return set.ignoresCase ? `(?i:${text})` : text;
}

function setText({ ranges, properties, isNegated }: RegexSet, format: (code: number) => string): string {
  const items = ranges.map(([first, last]) => (first === last ? format(first) : `${format(first)}-${format(last)}`));
  return `[${isNegated ? '^' : ''}${items.join('')}${properties.join('')}]`;
}

/** Loads re2js on first use. */
function linearTest(source: string): RegexTest {
  const { RE2JS } = createRequire(import.meta.url)('re2js') as typeof import('re2js');
  try {
    const expression = RE2JS.compile(source);
    return (text) => expression.test(text);
  } catch (error) {
    // The syntax is valid, so the cause is a property or a repetition that RE2 does not support.
    throw refused(`syntax that RE2 does not support (${(error as Error).message})`);
  }
}

/** Literal prefix of every match of a `^text…` expression; undefined for any other expression. */
export function regexPrefix(pattern: string, options: string): string | undefined {
  if (options !== '' || !pattern.startsWith('^') || pattern.includes('|')) return undefined;
  const [literal = ''] = /^[\p{L}\p{N} _:@,;=/-]+/u.exec(pattern.slice(1)) ?? [];
  const rest = pattern.slice(1 + literal.length);
  // A quantifier makes the preceding character optional or repeated.
  const certain = /^[*?{+]/.test(rest) ? [...literal].slice(0, -1).join('') : literal;
  return certain === '' ? undefined : certain;
}
