import { once } from '../concurrency/once.ts';

const segmenter = once(() => new Intl.Segmenter('und', { granularity: 'grapheme' }));

/**
 * The beginning of a text, of at most `maxLength` UTF-16 code units, that ends where people see a character end: at a
 * boundary of extended grapheme clusters (UAX 29), of which the runtime's version of Unicode decides. A first character
 * that is longer is cut between code points.
 */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const { index = 0 } = segmenter().segment(text).containing(maxLength) ?? {};
  return index > 0 ? text.slice(0, index) : cutCodePoints(text, maxLength);
}

/** The end of a text, of at most `maxLength` UTF-16 code units, that begins at such a boundary. */
export function cutTextStart(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const from = text.length - maxLength;
  const found = segmenter().segment(text).containing(from);
  if (!found || found.index === from) return text.slice(from);
  return text.slice(found.index + found.segment.length);
}

function cutCodePoints(text: string, maxLength: number): string {
  const isHalved = /[\ud800-\udbff]/.test(text.charAt(maxLength - 1));
  return text.slice(0, isHalved ? maxLength - 1 : maxLength);
}
