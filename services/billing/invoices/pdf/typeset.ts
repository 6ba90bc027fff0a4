import { once } from '../../../../lib/concurrency/once.ts';
import { bidi, type TextDirection } from './bidi.ts';
import { covers, type Face, findFace } from './faces.ts';

/**
 * Characters that one face draws in one direction: `text` is what they say, `drawn` what is drawn, which is something
 * else when no font has them.
 */
type Run = { text: string; drawn: string; face: Face; direction: TextDirection; width: number };

/** A line as it is drawn, from left to right; `text` is what it says, in the order in which it is read. */
export type Line = { text: string; runs: Run[]; width: number };

/** Characters that belong together, their embedding level, and what is drawn in their place when no font has them. */
type Cluster = { text: string; drawn: string; face: Face; level: number };

const graphemes = once(() => new Intl.Segmenter('und', { granularity: 'grapheme' }));
const words = once(() => new Intl.Segmenter('und', { granularity: 'word' }));
/** Invisible characters except joiners, which shape letters. Without direction marks a name cannot reverse the line. */
const unseen = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu;
const joiner = /^[\u200c\u200d]$/;
const latin = 'A';

/**
 * A text in lines of at most `widthMax`, each character in a font that has it and in its script's direction (Unicode
 * Bidirectional Algorithm, by the line). Widths are in ems. A character without a font is written as its code point.
 */
export function typeset(text: string, widthMax = Number.POSITIVE_INFINITY): Line[] {
  const clean = text.normalize('NFC').replace(unseen, '').replace(/\s+/gu, ' ').trim();
  if (clean === '') return [];
  const clusters = clustersOf(clean);
  const whole = lineOf(clusters);
  return whole.width <= widthMax ? [whole] : breakLines(clusters, widthMax);
}

function clustersOf(text: string): Cluster[] {
  const { levels } = bidi.getEmbeddingLevels(text, 'auto');
  let face: Face | null = null;
  return Array.from(graphemes().segment(text)).flatMap(({ segment, index }) => {
    const clusters = toClusters(segment, levels[index] ?? 0, text, face);
    face = clusters.at(-1)?.face ?? face;
    return clusters;
  });
}

/** The face stays the same over what is common to scripts, such as spaces, so that words are shaped together. */
function toClusters(segment: string, level: number, text: string, previous: Face | null): Cluster[] {
  const isCommon = !/\p{L}/u.test(segment);
  const face = isCommon && previous && covers(previous, segment) ? previous : findFace(segment, text);
  if (face) return [{ text: segment, drawn: segment, face, level }];
  const parts = Array.from(segment);
  if (parts.length > 1) return parts.flatMap((part) => toClusters(part, level, text, previous));
  if (joiner.test(segment)) return [];
  // The name is read from left to right, also inside right-to-left text.
  return [{ text: segment, drawn: codePointName(segment), face: latinFace(), level: level + (level % 2) }];
}

function codePointName(character: string): string {
  return `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;
}

function latinFace(): Face {
  const face = findFace(latin, latin);
  if (!face) throw new Error('The font for Latin letters is missing.');
  return face;
}

/** One line of clusters: runs of one face and level, put into the order in which they stand (rule L2). */
function lineOf(clusters: Cluster[]): Line {
  const groups: Cluster[][] = [];
  for (const cluster of clusters) {
    const group = groups.at(-1);
    if (group?.[0]?.face === cluster.face && group[0].level === cluster.level) group.push(cluster);
    else groups.push([cluster]);
  }
  const runs = inVisualOrder(groups).map(runOf);
  return {
    text: clusters.map(({ text }) => text).join(''),
    runs,
    width: runs.reduce((sum, { width }) => sum + width, 0),
  };
}

function inVisualOrder(groups: Cluster[][]): Cluster[][] {
  const levelOf = (group: Cluster[]): number => group[0]?.level ?? 0;
  const highest = Math.max(0, ...groups.map(levelOf));
  let ordered = groups;
  for (let level = highest; level >= 1; level -= 1) {
    const next: Cluster[][] = [];
    let turned: Cluster[][] = [];
    for (const group of ordered) {
      if (levelOf(group) >= level) turned.unshift(group);
      else {
        next.push(...turned, group);
        turned = [];
      }
    }
    ordered = [...next, ...turned];
  }
  return ordered;
}

function runOf(group: Cluster[]): Run {
  const [{ face, level }] = group as [Cluster];
  const text = group.map((cluster) => cluster.text).join('');
  const drawn = group.map((cluster) => cluster.drawn).join('');
  const direction = level % 2 === 1 ? 'rtl' : 'ltr';
  const { advanceWidth } = face.layout(drawn, [direction]);
  return { text, drawn, face, direction, width: advanceWidth / face.unitsPerEm };
}

/** Breaks between words, and within one only where it is wider than a line. */
function breakLines(clusters: Cluster[], widthMax: number): Line[] {
  const lines: Line[] = [];
  let current: Cluster[] = [];
  for (const word of wordsOf(clusters)) {
    if (fits([...current, ...word], widthMax)) current.push(...word);
    else {
      if (current.length > 0) lines.push(lineOf(trimEnd(current)));
      const [whole, rest] = fits(word, widthMax) ? [[], word] : splitWord(word, widthMax);
      lines.push(...whole);
      current = rest;
    }
  }
  return current.length > 0 ? [...lines, lineOf(trimEnd(current))] : lines;
}

function fits(clusters: Cluster[], widthMax: number): boolean {
  return lineOf(trimEnd(clusters)).width <= widthMax;
}

function trimEnd(clusters: Cluster[]): Cluster[] {
  const last = clusters.findLastIndex(({ text }) => text !== ' ');
  return clusters.slice(0, last + 1);
}

/** The unbreakable units of a line: words with adjacent punctuation and trailing spaces. */
function wordsOf(clusters: Cluster[]): Cluster[][] {
  const text = clusters.map((cluster) => cluster.text).join('');
  const segments = Array.from(words().segment(text));
  const starts = new Set(
    segments.flatMap(({ segment, isWordLike, index }, segmentIndex) => {
      const previous = segments[segmentIndex - 1];
      const isStart = segment !== ' ' && (!previous || previous.segment === ' ' || (isWordLike && previous.isWordLike));
      return isStart ? [index] : [];
    }),
  );
  const found: Cluster[][] = [];
  let at = 0;
  for (const cluster of clusters) {
    if (starts.has(at) || found.length === 0) found.push([]);
    found.at(-1)?.push(cluster);
    at += cluster.text.length;
  }
  return found;
}

function splitWord(word: Cluster[], widthMax: number): [lines: Line[], rest: Cluster[]] {
  const lines: Line[] = [];
  let rest: Cluster[] = [];
  for (const cluster of word) {
    if (rest.length > 0 && !fits([...rest, cluster], widthMax)) {
      lines.push(lineOf(trimEnd(rest)));
      rest = [];
    }
    rest.push(cluster);
  }
  return [lines, rest];
}
