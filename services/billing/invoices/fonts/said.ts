import { bidi } from './bidi.ts';
import type { TextDirection } from './direction.ts';

/** A shaped glyph: where the characters start that it was made of, with others of its cluster, and its width. */
export type ShapedGlyph = { cluster: number; width: number };

/**
 * What each glyph says to programs that copy or search: all characters of its cluster, handed out among its glyphs so
 * that every one with a width has some as long as there are any. Programs take the glyphs from left to right and turn
 * what is written from right to left themselves, so there each says the mirror image that it looks like.
 */
export function readToUnicodeMap(text: string, glyphs: ShapedGlyph[], direction: TextDirection): number[][] {
  const said: number[][] = glyphs.map(() => []);
  const clusters = charactersOf(text, new Set(glyphs.map(({ cluster }) => cluster)));
  for (const [start, characters] of clusters) {
    const places = glyphs.flatMap(({ cluster }, index) => (cluster === start ? [index] : []));
    const wide = places.filter((index) => (glyphs[index]?.width ?? 0) > 0);
    const speaking = wide.length > 0 ? wide : places;
    if (direction === 'rtl') speaking.reverse();
    for (const [position, character] of characters.entries()) {
      const speaker = speaking[Math.min(position, speaking.length - 1)] ?? 0;
      said[speaker]?.push(seen(character, direction));
    }
  }
  return said;
}

function seen(character: string, direction: TextDirection): number {
  const mirrored = direction === 'rtl' ? bidi.getMirroredCharacter(character) : null;
  return (mirrored ?? character).codePointAt(0) ?? 0;
}

/** The characters of each cluster, which reaches from where it starts to where the next one does. */
function charactersOf(text: string, starts: Set<number>): Map<number, string[]> {
  const clusters = new Map<number, string[]>();
  let current: string[] = [];
  let at = 0;
  for (const character of text) {
    if (starts.has(at)) {
      current = [];
      clusters.set(at, current);
    }
    current.push(character);
    at += character.length;
  }
  return clusters;
}
