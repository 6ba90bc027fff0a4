import { padded } from './outline.ts';

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
