import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Blob, Direction, Font, Face as FontFile, shape, Buffer as TextBuffer, Variation } from 'harfbuzzjs';
import { bidi, type TextDirection } from './bidi.ts';
import { createSubset, type Subset } from './subset.ts';
import { decodeWoff2 } from './woff2.ts';

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

/** A file of a font family, and the code point ranges that it covers. */
export type Slice = { family: string; file: string; ranges: [from: number, to: number][] };

/**
 * The font families in lookup order: the first covers most of Europe and Devanagari, each of the others one script. Han
 * fonts come last; their order depends on the text.
 */
const families = [
  'noto-sans',
  'noto-sans-arabic',
  'noto-sans-hebrew',
  'noto-sans-thai',
  'noto-sans-armenian',
  'noto-sans-bengali',
  'noto-sans-ethiopic',
  'noto-sans-georgian',
  'noto-sans-gujarati',
  'noto-sans-gurmukhi',
  'noto-sans-kannada',
  'noto-sans-khmer',
  'noto-sans-lao',
  'noto-sans-malayalam',
  'noto-sans-myanmar',
  'noto-sans-sinhala',
  'noto-sans-tamil',
  'noto-sans-telugu',
];
const chinese = ['noto-sans-sc', 'noto-sans-tc'];
const japanese = 'noto-sans-jp';
const korean = 'noto-sans-kr';

const { resolve } = createRequire(import.meta.url);
const slicesByFamily = new Map<string, Slice[]>();

/**
 * The slices for a character, best first; `text` is its context. Only the file says whether a slice has the character.
 * Lazy, because the first slice serves most characters.
 */
export function* slicesFor(codePoint: number, text: string): Generator<Slice> {
  for (const family of [...families, ...hanFamilies(text)]) {
    for (const slice of slicesOf(family)) {
      if (slice.ranges.some(([from, to]) => codePoint >= from && codePoint <= to)) yield slice;
    }
  }
}

/**
 * Chinese, Japanese and Korean share characters and write some of them differently; other letters indicate the
 * language.
 */
function hanFamilies(text: string): string[] {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return [japanese, ...chinese, korean];
  if (/\p{Script=Hangul}/u.test(text)) return [korean, japanese, ...chinese];
  return [...chinese, japanese, korean];
}

function slicesOf(family: string): Slice[] {
  const slices = slicesByFamily.get(family) ?? readSlices(family);
  slicesByFamily.set(family, slices);
  return slices;
}

function readSlices(family: string): Slice[] {
  const index = readFileSync(resolve(`@fontsource-variable/${family}/unicode.json`), 'utf8');
  return Object.entries(JSON.parse(index) as Record<string, string>).map(([name, ranges]) => {
    const file = `@fontsource-variable/${family}/files/${family}-${name.replace(/[[\]]/g, '')}-wght-normal.woff2`;
    return { family, file, ranges: ranges.split(',').map(parseRange) };
  });
}

/** `U+0E01-0E5B` or `U+25CC`, as a style sheet's `unicode-range` has it. */
function parseRange(range: string): [number, number] {
  const [from = '', to = from] = range.replace(/^U\+/i, '').split('-');
  return [Number.parseInt(from, 16), Number.parseInt(to, 16)];
}

/** The bytes of a slice's file, WOFF2. */
export function readSlice({ file }: Slice): Buffer {
  return readFileSync(resolve(file));
}

/**
 * A glyph where it is used. `id` identifies it and `codePoints` are its text, so that a file can map each use to text.
 */
type PlacedGlyph = { id: number; advanceWidth: number; codePoints: number[] };
type Place = { xAdvance: number; yAdvance: number; xOffset: number; yOffset: number };
type Layout = { glyphs: PlacedGlyph[]; positions: Place[]; advanceWidth: number };

/**
 * A slice of a font at regular weight, as the library that writes PDF files takes fonts. Measures are in font units.
 * `layout` shapes a text in one direction, which that library hands on as if it were a list of features.
 */
export type Face = {
  postscriptName: string;
  unitsPerEm: number;
  ascent: number;
  descent: number;
  lineGap: number;
  capHeight: number;
  xHeight: number;
  italicAngle: number;
  bbox: { minX: number; minY: number; maxX: number; maxY: number };
  post: { isFixedPitch: boolean };
  head: { macStyle: { italic: boolean } };
  hasCharacter: (character: string) => boolean;
  layout: (text: string, direction: [TextDirection]) => Layout;
  getGlyph: (id: number) => { advanceWidth: number };
  createSubset: () => Subset;
};

/** More than an invoice needs; a text in more scripts than these reads their slices again. */
const maxFaces = 64;
const faces = new Map<string, Face>();
const regular = 400;

/** A face that has all of these characters; null when none does. `text` is their context. */
export function findFace(characters: string, text: string): Face | null {
  const first = characters.codePointAt(0);
  if (first === undefined) return null;
  for (const slice of slicesFor(first, text)) {
    const face = faceOf(slice);
    if (covers(face, characters)) return face;
  }
  return null;
}

/** Whether a face has all of these characters. */
export function covers(face: Face, characters: string): boolean {
  return Array.from(characters).every(face.hasCharacter);
}

function faceOf(slice: Slice): Face {
  const cached = faces.get(slice.file);
  if (cached) return cached;
  if (faces.size >= maxFaces) faces.clear();
  const face = readFace(slice);
  faces.set(slice.file, face);
  return face;
}

function readFace(slice: Slice): Face {
  const file = new FontFile(new Blob(new Uint8Array(decodeWoff2(readSlice(slice))).buffer));
  const font = new Font(file);
  font.setVariations([new Variation('wght', regular)]);
  const { ascender, descender, lineGap } = font.hExtents();
  const uses = newUses();
  return {
    postscriptName: slice.file.replace(/^.*\/|-wght-normal\.woff2$/g, ''),
    unitsPerEm: file.upem,
    ascent: ascender,
    descent: descender,
    lineGap,
    // Metrics for a viewer that substitutes the font. They are approximate, because the font is always embedded.
    capHeight: ascender,
    xHeight: 0,
    italicAngle: 0,
    bbox: { minX: 0, minY: descender, maxX: file.upem, maxY: ascender },
    post: { isFixedPitch: false },
    head: { macStyle: { italic: false } },
    hasCharacter: (character) => font.nominalGlyph(character.codePointAt(0) ?? 0) !== undefined,
    layout: (text, [direction]) => layOut(font, uses, text, direction),
    getGlyph: (id) => ({ advanceWidth: font.glyphHAdvance(uses.glyphOf(id)) }),
    createSubset: () => createSubset(font, file.upem, uses.glyphOf),
  };
}

type Uses = { idOf: (glyph: number, codePoints: number[]) => number; glyphOf: (id: number) => number };

/** Assigns an id to each pair of a glyph and its text; 0 is the glyph for missing characters. */
function newUses(): Uses {
  const ids = new Map([['0', 0]]);
  const glyphs = [0];
  return {
    idOf(glyph, codePoints) {
      const key = [glyph, ...codePoints].join(' ');
      const existing = ids.get(key);
      if (existing !== undefined) return existing;
      ids.set(key, glyphs.length);
      return glyphs.push(glyph) - 1;
    },
    glyphOf: (id) => glyphs[id] ?? 0,
  };
}

function layOut(font: Font, uses: Uses, text: string, direction: TextDirection): Layout {
  const buffer = new TextBuffer();
  buffer.addText(text);
  buffer.setDirection(direction === 'rtl' ? Direction.RTL : Direction.LTR);
  buffer.guessSegmentProperties();
  shape(font, buffer);
  const infos = buffer.getGlyphInfos();
  const positions = buffer.getGlyphPositions();
  const widths = infos.map(({ codepoint: glyph }) => font.glyphHAdvance(glyph));
  const shaped = infos.map(({ cluster }, index) => ({ cluster, width: widths[index] ?? 0 }));
  const said = readToUnicodeMap(text, shaped, direction);
  const glyphs = infos.map(({ codepoint: glyph }, index) => {
    const codePoints = said[index] ?? [];
    return { id: uses.idOf(glyph, codePoints), advanceWidth: widths[index] ?? 0, codePoints };
  });
  return {
    glyphs,
    positions,
    // The library that writes files scales the positions where they are.
    get advanceWidth() {
      return positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0);
    },
  };
}
