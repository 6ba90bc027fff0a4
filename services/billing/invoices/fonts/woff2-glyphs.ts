import { type ByteReader, readerOf } from './byte-reader.ts';
import { type Box, encodeOutline, glyphHeader, longs, offsetsOf, type Point, padded } from './outline.ts';

type Streams = Record<(typeof streamNames)[number], ByteReader>;
/** How a pair of coordinates is stored: bytes and bits of each, what is added, and the signs. */
type Triplet = { bytes: number; xBits: number; yBits: number; dx: number; dy: number; xSign: number; ySign: number };

const streamNames = ['contours', 'points', 'flags', 'glyphs', 'composites', 'boxes'] as const;

/** `glyf` and `loca` (32-bit offsets) of the transformed `glyf` of a WOFF2 font, section 5.1, and each glyph's xMin. */
export function restoreGlyphs(transformed: Buffer): { glyf: Buffer; loca: Buffer; xMins: number[] } {
  const header = readerOf(transformed, 4);
  const count = header.u16();
  header.take(2);
  const sizes = streamNames.map(() => header.u32());
  // The last stream, which is not read, holds instructions.
  header.take(4);
  const parts = sizes.map((size) => readerOf(header.take(size)));
  const streams = Object.fromEntries(streamNames.map((name, index) => [name, parts[index]])) as Streams;
  const boxBits = streams.boxes.take(((count + 31) >> 5) << 2);
  const glyphs = Array.from({ length: count }, (_, id) => restoreGlyph(streams, hasBit(boxBits, id)));
  return {
    glyf: Buffer.concat(glyphs),
    loca: longs(offsetsOf(glyphs)),
    xMins: glyphs.map((glyph) => (glyph.length > 0 ? glyph.readInt16BE(2) : 0)),
  };
}

function hasBit(bits: Buffer, index: number): boolean {
  return (((bits[index >> 3] ?? 0) >> (7 - (index & 7))) & 1) === 1;
}

function restoreGlyph(streams: Streams, hasBox: boolean): Buffer {
  const contourCount = streams.contours.i16();
  if (contourCount === 0) return Buffer.alloc(0);
  return contourCount < 0 ? composite(streams) : simple(streams, contourCount, hasBox);
}

const flag = { argumentsAreWords: 0x01, scale: 0x08, more: 0x20, twoScales: 0x40, matrix: 0x80, instructions: 0x100 };

/** A glyph made of others (OpenType `glyf`, "Composite Glyph Description"), without its instructions. */
function composite({ composites, glyphs, boxes }: Streams): Buffer {
  const parts = [glyphHeader(-1, readBox(boxes))];
  let flags = 0;
  let hasInstructions = false;
  do {
    const start = Buffer.from(composites.take(2));
    flags = start.readUInt16BE(0);
    hasInstructions ||= (flags & flag.instructions) !== 0;
    start.writeUInt16BE(flags & ~flag.instructions, 0);
    const scaleBytes = flags & flag.scale ? 2 : flags & flag.twoScales ? 4 : flags & flag.matrix ? 8 : 0;
    parts.push(start, composites.take(2 + (flags & flag.argumentsAreWords ? 4 : 2) + scaleBytes));
  } while (flags & flag.more);
  if (hasInstructions) glyphs.u255();
  return padded(parts);
}

function simple(streams: Streams, contourCount: number, hasBox: boolean): Buffer {
  const counts = Array.from({ length: contourCount }, () => streams.points.u255());
  const points = readPoints(
    streams,
    counts.reduce((sum, count) => sum + count, 0),
  );
  // How many instructions follow elsewhere.
  streams.glyphs.u255();
  let start = 0;
  const contours = counts.map((count) => {
    start += count;
    return points.slice(start - count, start);
  });
  return encodeOutline(contours, hasBox ? readBox(streams.boxes) : undefined);
}

function readBox(boxes: ByteReader): Box {
  return { xMin: boxes.i16(), yMin: boxes.i16(), xMax: boxes.i16(), yMax: boxes.i16() };
}

function readPoints({ flags, glyphs }: Streams, total: number): Point[] {
  let [x, y] = [0, 0];
  return Array.from({ length: total }, () => {
    const flag = flags.u8();
    const triplet = triplets[flag & 0x7f] as Triplet;
    const packed = glyphs.take(triplet.bytes).readUIntBE(0, triplet.bytes);
    const yPart = packed % 2 ** triplet.yBits;
    const xPart = Math.floor(packed / 2 ** triplet.yBits);
    x += triplet.xSign * (xPart + triplet.dx);
    y += triplet.ySign * (yPart + triplet.dy);
    return { x, y, isOnCurve: flag < 0x80 };
  });
}

/** The table "Triplet Encoding" of section 5.2, by its index. */
const triplets: Triplet[] = Array.from({ length: 128 }, (_, index) => {
  const sign = (bit: number) => (bit & 1 ? 1 : -1);
  if (index < 10) return { bytes: 1, xBits: 0, yBits: 8, dx: 0, dy: 256 * (index >> 1), xSign: 0, ySign: sign(index) };
  if (index < 20) {
    return { bytes: 1, xBits: 8, yBits: 0, dx: 256 * ((index - 10) >> 1), dy: 0, xSign: sign(index), ySign: 0 };
  }
  const signs = { xSign: sign(index), ySign: sign(index >> 1) };
  if (index < 84) {
    const group = index - 20;
    return { bytes: 1, xBits: 4, yBits: 4, dx: 1 + 16 * (group >> 4), dy: 1 + 16 * ((group >> 2) & 3), ...signs };
  }
  if (index < 120) {
    const group = index - 84;
    const [dx, dy] = [1 + 256 * Math.floor(group / 12), 1 + 256 * (Math.floor(group / 4) % 3)];
    return { bytes: 2, xBits: 8, yBits: 8, dx, dy, ...signs };
  }
  if (index < 124) return { bytes: 3, xBits: 12, yBits: 12, dx: 0, dy: 0, ...signs };
  return { bytes: 4, xBits: 16, yBits: 16, dx: 0, dy: 0, ...signs };
});
