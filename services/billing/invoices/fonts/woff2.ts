import { brotliDecompressSync } from 'node:zlib';
import { type ByteReader, readerOf } from './byte-reader.ts';
import { encodeTables, type Table } from './sfnt.ts';
import { restoreGlyphs } from './woff2-glyphs.ts';

type Listed = { tag: string; isTransformed: boolean; storedBytes: number };

const signature = 0x774f4632;
const trueType = 0x00010000;
const headerBytes = 48;
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
  const directory = readerOf(file, headerBytes);
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
