import { Binary, BSONRegExp, BSONSymbol, Code, Decimal128, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { commandDepthLimit, endOfCString, endOfValue, typeByte, validateDocument } from './layout.ts';
import { type Document, double, RawValue, type Value } from './value.ts';

// The decoder of the bson package turns documents into objects, which reorder number-like names and lose the difference
// between 1 and 1.0; a database must return exactly the document that was stored.

/** Decodes bytes that validateDocument accepted; with `only`, just these top-level fields. */
export function decodeDocument(bytes: Buffer, start = 0, only?: ReadonlySet<string>): Document {
  const document: Document = new Map();
  const last = start + bytes.readInt32LE(start) - 1;
  let offset = start + 4;
  while (offset < last) {
    const type = bytes[offset] ?? 0;
    const nameEnd = endOfCString(bytes, offset + 1);
    const name = readName(bytes, offset + 1, nameEnd);
    if (!only || only.has(name)) document.set(name, readValue(bytes, type, nameEnd + 1));
    offset = endOfValue(bytes, type, nameEnd + 1);
  }
  return document;
}

/**
 * Decodes only the top-level fields in `only` of a document that is to be encoded again. The other fields keep their
 * positions as raw values; only the encoder may read and copy them.
 */
export function decodePartly(bytes: Buffer, only: ReadonlySet<string>): Document {
  const document = new Map<string, Value | RawValue>();
  const last = bytes.length - 1;
  let offset = 4;
  while (offset < last) {
    const type = bytes[offset] ?? 0;
    const nameEnd = endOfCString(bytes, offset + 1);
    const name = readName(bytes, offset + 1, nameEnd);
    const end = endOfValue(bytes, type, nameEnd + 1);
    const isWanted = only.has(name);
    document.set(
      name,
      isWanted ? readValue(bytes, type, nameEnd + 1) : new RawValue(type, bytes.subarray(nameEnd + 1, end)),
    );
    offset = end;
  }
  return document as Document;
}

/** Decodes a document from a client. Throws BadValue when it is malformed. */
export function decodeUntrusted(bytes: Buffer): Document {
  validateDocument(bytes, commandDepthLimit);
  return decodeDocument(bytes);
}

/** Decodes one top-level field; undefined when it does not exist. */
export function decodeField(bytes: Buffer, name: string): Value | undefined {
  return decodeDocument(bytes, 0, new Set([name])).get(name);
}

function decodeArray(bytes: Buffer, start: number): Value[] {
  const values: Value[] = [];
  const last = start + bytes.readInt32LE(start) - 1;
  let offset = start + 4;
  while (offset < last) {
    const type = bytes[offset] ?? 0;
    const at = endOfCString(bytes, offset + 1) + 1;
    values.push(readValue(bytes, type, at));
    offset = endOfValue(bytes, type, at);
  }
  return values;
}

const textShortBytes = 24;

function readText(bytes: Buffer, start: number, end: number): string {
  if (end - start > textShortBytes) return bytes.toString('utf8', start, end);
  // Decoding short ASCII in JavaScript is several times faster than a call into the runtime.
  let text = '';
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte > 0x7f) return bytes.toString('utf8', start, end);
    text += String.fromCharCode(byte);
  }
  return text;
}

/** Interned field names in a direct-mapped table by hash: most documents share a few names. */
const internedNames: ({ bytes: Buffer; text: string } | undefined)[] = new Array(512).fill(undefined);

/** Returns a field name. Comparing its bytes with an interned name is cheaper than decoding a string. */
function readName(bytes: Buffer, start: number, end: number): string {
  if (end - start > textShortBytes) return readText(bytes, start, end);
  const slot = hashOfName(bytes, start, end) % internedNames.length;
  const interned = internedNames[slot];
  if (interned && isName(interned.bytes, bytes, start, end)) return interned.text;
  const text = readText(bytes, start, end);
  internedNames[slot] = { bytes: copyOf(bytes, start, end), text };
  return text;
}

function hashOfName(bytes: Buffer, start: number, end: number): number {
  const middle = bytes[start + ((end - start) >> 1)] ?? 0;
  return (end - start) * 31 + (bytes[start] ?? 0) * 7 + middle * 3 + (bytes[end - 1] ?? 0) * 17;
}

function isName(name: Buffer, bytes: Buffer, start: number, end: number): boolean {
  if (name.length !== end - start) return false;
  for (let at = 0; at < name.length; at++) if (name[at] !== bytes[start + at]) return false;
  return true;
}

function readValue(bytes: Buffer, type: number, offset: number): Value {
  switch (type) {
    case typeByte.string:
      return readText(bytes, offset + 4, offset + 3 + bytes.readInt32LE(offset));
    case typeByte.int32:
      return bytes.readInt32LE(offset);
    case typeByte.double:
      return double(bytes.readDoubleLE(offset));
    case typeByte.int64:
      return bytes.readBigInt64LE(offset);
    case typeByte.document:
      return decodeDocument(bytes, offset);
    case typeByte.array:
      return decodeArray(bytes, offset);
    case typeByte.objectId:
      return new ObjectId(copyOf(bytes, offset, offset + 12));
    case typeByte.boolean:
      return bytes[offset] !== 0;
    case typeByte.date:
      return new Date(Number(bytes.readBigInt64LE(offset)));
    case typeByte.null:
      return null;
    default:
      return readRareValue(bytes, type, offset);
  }
}

function readRareValue(bytes: Buffer, type: number, offset: number): Value {
  switch (type) {
    case typeByte.binary: {
      const end = offset + 5 + bytes.readInt32LE(offset);
      return new Binary(copyOf(bytes, offset + 5, end), bytes[offset + 4]);
    }
    case typeByte.decimal:
      return new Decimal128(copyOf(bytes, offset, offset + 16));
    case typeByte.timestamp:
      return new Timestamp(bytes.readBigUInt64LE(offset));
    case typeByte.regex: {
      const patternEnd = endOfCString(bytes, offset);
      const optionsEnd = endOfCString(bytes, patternEnd + 1);
      return new BSONRegExp(readText(bytes, offset, patternEnd), readText(bytes, patternEnd + 1, optionsEnd));
    }
    case typeByte.code:
      return new Code(readText(bytes, offset + 4, offset + 3 + bytes.readInt32LE(offset)));
    case typeByte.symbol:
      return new BSONSymbol(readText(bytes, offset + 4, offset + 3 + bytes.readInt32LE(offset)));
    case typeByte.minKey:
      return new MinKey();
    case typeByte.maxKey:
      return new MaxKey();
    default:
      throw new TypeError(`Unknown BSON type ${type}`);
  }
}

/** Copies the bytes, so that a small value does not retain a large network buffer. */
function copyOf(bytes: Buffer, start: number, end: number): Buffer {
  return Buffer.from(bytes.subarray(start, end));
}
