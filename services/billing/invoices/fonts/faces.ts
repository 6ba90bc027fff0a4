import { Blob, Direction, Font, Face as FontFile, shape, Buffer as TextBuffer, Variation } from 'harfbuzzjs';
import type { TextDirection } from './direction.ts';
import { readToUnicodeMap } from './said.ts';
import { readSlice, type Slice, slicesFor } from './slices.ts';
import { createSubset, type Subset } from './subset.ts';
import { decodeWoff2 } from './woff2.ts';

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
