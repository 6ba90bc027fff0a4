import { brotliDecompressSync } from 'node:zlib';

/** Reads big-endian numbers of a buffer one after another; reading beyond its end throws a RangeError. */
export type ByteReader = {
  readonly at: number;
  u8: () => number;
  u16: () => number;
  i16: () => number;
  u32: () => number;
  /** `UIntBase128` of WOFF2 section 4.1: 7 bits a byte, at most five bytes. */
  base128: () => number;
  /** `255UInt16` of WOFF2 section 4.1: one to three bytes. */
  u255: () => number;
  take: (length: number) => Buffer;
};

/** A reader of `bytes` from `start` on. */
export function readerOf(bytes: Buffer, start = 0): ByteReader {
  let at = start;
  const step = (length: number): number => {
    at += length;
    return at - length;
  };
  const u8 = () => bytes.readUInt8(step(1));
  const u16 = () => bytes.readUInt16BE(step(2));
  return {
    get at() {
      return at;
    },
    u8,
    u16,
    i16: () => bytes.readInt16BE(step(2)),
    u32: () => bytes.readUInt32BE(step(4)),
    base128() {
      let value = 0;
      for (let index = 0; index < 5; index += 1) {
        const byte = u8();
        value = value * 128 + (byte & 0x7f);
        if (byte < 0x80) return value;
      }
      throw new RangeError('A number of a font is longer than five bytes.');
    },
    u255() {
      const code = u8();
      if (code === 253) return u16();
      if (code === 254) return 506 + u8();
      return code === 255 ? 253 + u8() : code;
    },
    take(length) {
      const from = step(length);
      if (at > bytes.length) throw new RangeError('A font ends too early.');
      return bytes.subarray(from, at);
    },
  };
}

/** A point of an outline in font units; two off the curve have one on it halfway between them. */
export type Point = { x: number; y: number; isOnCurve: boolean };
export type Box = { xMin: number; yMin: number; xMax: number; yMax: number };

const onCurve = 0x01;

/**
 * A simple glyph as TrueType's `glyf` has it, without hints and without the shorter forms that numbers can have, padded
 * to four bytes; empty for no contours. `box` is given where it is not what is around the points.
 */
export function encodeOutline(contours: Point[][], box?: Box): Buffer {
  if (contours.length === 0) return Buffer.alloc(0);
  const points = contours.flat();
  let last = -1;
  const ends = contours.map((contour) => {
    last += contour.length;
    return last;
  });
  const deltas = (axis: 'x' | 'y') => points.map((point, index) => point[axis] - (points[index - 1]?.[axis] ?? 0));
  const noInstructions = 0;
  return padded([
    glyphHeader(contours.length, box ?? boxAround(points)),
    words([...ends, noInstructions]),
    Buffer.from(points.map(({ isOnCurve }) => (isOnCurve ? onCurve : 0))),
    words([...deltas('x'), ...deltas('y')]),
  ]);
}

/** The header of a glyph; a contour count of -1 marks a composite glyph. */
export function glyphHeader(contourCount: number, { xMin, yMin, xMax, yMax }: Box): Buffer {
  return words([contourCount, xMin, yMin, xMax, yMax]);
}

/** Sixteen bits each, signed or not. */
export function words(values: number[]): Buffer {
  const buffer = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) buffer.writeUInt16BE(value & 0xffff, 2 * index);
  return buffer;
}

/** Thirty-two bits each, not signed. */
export function longs(values: number[]): Buffer {
  const buffer = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) buffer.writeUInt32BE(value, 4 * index);
  return buffer;
}

/** Parts in one buffer whose length is a multiple of four. */
export function padded(parts: Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([...parts, Buffer.alloc(-length & 3)]);
}

/** Where each of these buffers begins when they follow one another, and where the last ends. */
export function offsetsOf(buffers: Buffer[]): number[] {
  let offset = 0;
  return [0, ...buffers.map((buffer) => (offset += buffer.length))];
}

function boxAround(points: Point[]): Box {
  const box = { xMin: 0x7fff, yMin: 0x7fff, xMax: -0x8000, yMax: -0x8000 };
  for (const { x, y } of points) {
    box.xMin = Math.min(box.xMin, x);
    box.yMin = Math.min(box.yMin, y);
    box.xMax = Math.max(box.xMax, x);
    box.yMax = Math.max(box.yMax, y);
  }
  return box;
}

/** A table of a TrueType font. */
export type Table = { tag: string; bytes: Buffer };

const trueType = 0x00010000;
const headerBytes = 12;
const entryBytes = 16;

/** A TrueType file of tables (OpenType, "Organization of an OpenType Font"), without checksums, which nothing reads. */
export function encodeTables(tables: Table[]): Buffer {
  const sorted = tables.toSorted((one, other) => (one.tag < other.tag ? -1 : 1));
  const head = Buffer.alloc(headerBytes + entryBytes * sorted.length);
  head.writeUInt32BE(trueType, 0);
  head.writeUInt16BE(sorted.length, 4);
  const parts: Buffer[] = [head];
  let offset = head.length;
  for (const [index, { tag, bytes }] of sorted.entries()) {
    const entry = headerBytes + entryBytes * index;
    head.write(tag, entry, 'latin1');
    head.writeUInt32BE(offset, entry + 8);
    head.writeUInt32BE(bytes.length, entry + 12);
    const stored = padded([bytes]);
    parts.push(stored);
    offset += stored.length;
  }
  return Buffer.concat(parts);
}

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

type Listed = { tag: string; isTransformed: boolean; storedBytes: number };

const signature = 0x774f4632;
const woff2HeaderBytes = 48;
const arbitraryTag = 63;
/** The tags that WOFF2 section 4.1 numbers, four characters each. */
const knownTags = (
  'cmap head hhea hmtx maxp name OS/2 post cvt  fpgm glyf loca prep CFF  VORG EBDT EBLC gasp hdmx kern LTSH PCLT ' +
  'VDMX vhea vmtx BASE GDEF GPOS GSUB EBSC JSTF MATH CBDT CBLC COLR CPAL SVG  sbix acnt avar bdat bloc bsln cvar ' +
  'fdsc feat fmtx fvar gvar hsty just lcar mort morx opbd prop trak Zapf Silf Glat Gloc Feat Sill'
).replace(/(.{4}) ?/g, '$1');

/**
 * Decodes a WOFF2 file (W3C WOFF2, sections 4 and 5) to a TrueType font, the only format that the text layout library
 * reads. Hints and checksums are omitted.
 *
 * @throws Error when the file is not WOFF2, or is a collection; RangeError when it is truncated.
 */
export function decodeWoff2(file: Buffer): Buffer {
  const header = readerOf(file);
  if (header.u32() !== signature) throw new Error('The file is not a WOFF2 font.');
  if (header.u32() !== trueType) throw new Error('The WOFF2 file does not contain a single TrueType font.');
  header.take(4);
  const tableCount = header.u16();
  header.take(6);
  const compressedBytes = header.u32();
  const directory = readerOf(file, woff2HeaderBytes);
  const listed = Array.from({ length: tableCount }, () => readListed(directory));
  const data = readerOf(brotliDecompressSync(directory.take(compressedBytes)));
  return encodeTables(restore(listed.map((table) => ({ ...table, bytes: data.take(table.storedBytes) }))));
}

function readListed(directory: ByteReader): Listed {
  const flags = directory.u8();
  const number = flags & 0x3f;
  const isNamed = number === arbitraryTag;
  const tag = isNamed ? directory.take(4).toString('latin1') : knownTags.slice(4 * number, 4 * number + 4);
  const originalBytes = directory.base128();
  const version = flags >> 6;
  // Version 3 means "not transformed" for these two tables, version 0 for all others.
  const isTransformed = tag === 'glyf' || tag === 'loca' ? version !== 3 : version !== 0;
  return { tag, isTransformed, storedBytes: isTransformed ? directory.base128() : originalBytes };
}

function restore(tables: (Listed & Table)[]): Table[] {
  if (!tables.some((table) => table.isTransformed)) return tables;
  const { glyf, loca, xMins } = restoreGlyphs(find(tables, 'glyf'));
  return tables.map(({ tag, isTransformed, bytes }) => {
    if (tag === 'glyf') return { tag, bytes: glyf };
    if (tag === 'loca') return { tag, bytes: loca };
    if (tag === 'head') return { tag, bytes: withLongOffsets(bytes) };
    if (tag === 'hmtx' && isTransformed) return { tag, bytes: restoreMetrics(bytes, find(tables, 'hhea'), xMins) };
    if (isTransformed) throw new Error(`The table ${tag} is transformed in an unknown way.`);
    return { tag, bytes };
  });
}

function find(tables: Table[], tag: string): Buffer {
  const table = tables.find((one) => one.tag === tag);
  if (!table) throw new Error(`The font has no table ${tag}.`);
  return table.bytes;
}

/** `head` with indexToLocFormat 1: our `loca` has 32-bit offsets. */
function withLongOffsets(head: Buffer): Buffer {
  const copy = Buffer.from(head);
  copy.writeInt16BE(1, 50);
  return copy;
}

/** Restores `hmtx` from its transformed form (section 5.4), which omits left side bearings that equal xMin. */
function restoreMetrics(transformed: Buffer, hhea: Buffer, xMins: number[]): Buffer {
  const longCount = hhea.readUInt16BE(34);
  const reader = readerOf(transformed);
  const flags = reader.u8();
  const advances = Array.from({ length: longCount }, () => reader.u16());
  const bearings = xMins.map((xMin, glyph) => ((flags >> (glyph < longCount ? 0 : 1)) & 1 ? xMin : reader.i16()));
  const hmtx = Buffer.alloc(longCount * 4 + (xMins.length - longCount) * 2);
  let at = 0;
  for (const [glyph, bearing] of bearings.entries()) {
    if (glyph < longCount) at = hmtx.writeUInt16BE(advances[glyph] ?? 0, at);
    at = hmtx.writeInt16BE(bearing, at);
  }
  return hmtx;
}
