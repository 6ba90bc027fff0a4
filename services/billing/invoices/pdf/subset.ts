import type { Font, SvgPathCommand } from 'harfbuzzjs';
import { encodeOutline, encodeTables, longs, offsetsOf, type Point, padded, words } from './woff2.ts';

/** The glyphs that a document uses, renumbered in the order of their first use. */
export type Subset = { includeGlyph: (id: number) => number; encode: () => Buffer };

const version = 0x00010000;
const headBytes = 54;
const hheaBytes = 36;

/**
 * A TrueType file of the glyphs included, with what PDF asks of it (ISO 32000-1, 9.9), each as one outline at the
 * font's weight. `glyphOf` tells the font's glyph of an id; several ids may have the same.
 */
export function createSubset(font: Font, unitsPerEm: number, glyphOf: (id: number) => number): Subset {
  const ids = [0];
  const places = new Map([[0, 0]]);
  return {
    includeGlyph(id) {
      const existing = places.get(id);
      if (existing !== undefined) return existing;
      places.set(id, ids.length);
      return ids.push(id) - 1;
    },
    encode: () => encodeGlyphs(font, unitsPerEm, ids.map(glyphOf)),
  };
}

function encodeGlyphs(font: Font, unitsPerEm: number, glyphs: number[]): Buffer {
  const outlines = glyphs.map((glyph) => encodeOutline(contoursOf(font.glyphToJson(glyph))));
  const metrics = glyphs.flatMap((glyph, index) => {
    const outline = outlines[index];
    return [font.glyphHAdvance(glyph), outline && outline.length > 0 ? outline.readInt16BE(2) : 0];
  });
  return encodeTables([
    { tag: 'glyf', bytes: padded(outlines) },
    { tag: 'loca', bytes: longs(offsetsOf(outlines)) },
    { tag: 'hmtx', bytes: words(metrics) },
    { tag: 'head', bytes: encodeHead(unitsPerEm) },
    { tag: 'hhea', bytes: encodeHhea(font, glyphs.length) },
    { tag: 'maxp', bytes: encodeMaxp(outlines) },
  ]);
}

/** The contours of a path, which is of lines and quadratic curves, as a TrueType font has them. */
function contoursOf(commands: SvgPathCommand[]): Point[][] {
  const contours: Point[][] = [];
  for (const { type, values } of commands) {
    const [x = 0, y = 0, toX = 0, toY = 0] = values.map(Math.round);
    if (type === 'M') contours.push([{ x, y, isOnCurve: true }]);
    if (type === 'L') contours.at(-1)?.push({ x, y, isOnCurve: true });
    if (type !== 'Q') continue;
    contours.at(-1)?.push({ x, y, isOnCurve: false }, { x: toX, y: toY, isOnCurve: true });
  }
  return contours;
}

function encodeHead(unitsPerEm: number): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(version, 0);
  head.writeUInt32BE(0x5f0f3cf5, 12);
  head.writeUInt16BE(unitsPerEm, 18);
  const longOffsets = 1;
  head.writeInt16BE(longOffsets, 50);
  return head;
}

function encodeHhea(font: Font, count: number): Buffer {
  const { ascender, descender, lineGap } = font.hExtents();
  const table = Buffer.alloc(hheaBytes);
  table.writeUInt32BE(version, 0);
  words([ascender, descender, lineGap]).copy(table, 4);
  table.writeUInt16BE(count, 34);
  return table;
}

function encodeMaxp(outlines: Buffer[]): Buffer {
  const contourCounts = outlines.map((outline) => (outline.length > 0 ? outline.readInt16BE(0) : 0));
  // The last contour's last point comes last in the list that follows the header of ten bytes.
  const pointCounts = outlines.map((outline, index) => {
    const contours = contourCounts[index] ?? 0;
    return contours > 0 ? outline.readUInt16BE(8 + 2 * contours) + 1 : 0;
  });
  const onlyZone = 2;
  return Buffer.concat([
    longs([version]),
    words([outlines.length, Math.max(...pointCounts), Math.max(...contourCounts), 0, 0, onlyZone]),
    words([0, 0, 0, 0, 0, 0, 0, 0]),
  ]);
}
