import { Binary, BSONRegExp, BSONSymbol, Code, Decimal128, Double, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { MongoError } from '../errors.ts';
import { commandDepthLimit, typeByte } from './layout.ts';
import { type Document, type Field, type Fields, isInt32, RawValue, type Value } from './value.ts';

// One buffer is reused and grown on demand; only the result is copied out of it.
let buffer = Buffer.allocUnsafe(64 * 1024);
let position = 0;
const keptBufferBytes = 1024 * 1024;

/** Encodes a document or a reply. Throws Overflow when it nests deeper than `maximumDepth`. */
export function encodeDocument(document: Document | Fields, maximumDepth = commandDepthLimit): Buffer {
  position = 0;
  writeDocument(document, maximumDepth);
  const encoded = Buffer.from(buffer.subarray(0, position));
  if (buffer.length > keptBufferBytes) buffer = Buffer.allocUnsafe(keptBufferBytes);
  return encoded;
}

function writeDocument(document: Document | Fields, depthLeft: number): void {
  if (depthLeft <= 0) throw new MongoError('Overflow', 'A document nests too deep');
  const start = position;
  reserve(5);
  position += 4;
  if (document instanceof Map) {
    for (const [name, value] of document) writeElement(name, value, depthLeft);
  } else {
    for (const name of Object.keys(document)) writeElement(name, document[name], depthLeft);
  }
  finishDocument(start);
}

function writeArray(values: Field[], depthLeft: number): void {
  if (depthLeft <= 0) throw new MongoError('Overflow', 'A document nests too deep');
  const start = position;
  reserve(5);
  position += 4;
  for (let index = 0; index < values.length; index++) writeElement(String(index), values[index], depthLeft);
  finishDocument(start);
}

function finishDocument(start: number): void {
  reserve(1);
  buffer[position++] = 0;
  buffer.writeInt32LE(position - start, start);
}

function writeElement(name: string, value: Field, depthLeft: number): void {
  if (value === undefined) return;
  reserve(name.length * 3 + 32);
  const typeAt = position++;
  position = writeName(name);
  // Two statements, because writing the value may replace the buffer.
  const type = writeValue(value, depthLeft);
  buffer[typeAt] = type;
}

function writeName(name: string): number {
  let at = position;
  for (let index = 0; index < name.length; index++) {
    const code = name.charCodeAt(index);
    if (code === 0) throw new MongoError('BadValue', 'A field name or pattern holds a null byte');
    if (code > 0x7f) {
      at = position + buffer.write(name, position);
      break;
    }
    buffer[at++] = code;
  }
  buffer[at] = 0;
  return at + 1;
}

function writeValue(value: Value | Field, depthLeft: number): number {
  switch (typeof value) {
    case 'string':
      return writeString(value, typeByte.string);
    case 'number':
      return isInt32(value) ? writeInt32(value) : writeDouble(value);
    case 'boolean':
      buffer[position++] = value ? 1 : 0;
      return typeByte.boolean;
    case 'bigint':
      position = buffer.writeBigInt64LE(value, position);
      return typeByte.int64;
  }
  if (value === null || value === undefined) return typeByte.null;
  if (value instanceof Map) {
    writeDocument(value, depthLeft - 1);
    return typeByte.document;
  }
  if (Array.isArray(value)) {
    writeArray(value, depthLeft - 1);
    return typeByte.array;
  }
  return writeObject(value, depthLeft);
}

function writeObject(value: object, depthLeft: number): number {
  if (value instanceof ObjectId) return writeBytes(value.id, typeByte.objectId);
  if (value instanceof Date) {
    position = buffer.writeBigInt64LE(BigInt(value.getTime()), position);
    return typeByte.date;
  }
  if (value instanceof RawValue) return writeBytes(value.bytes, value.type);
  if (value instanceof Buffer) return writeBytes(value, typeByte.document);
  if (value instanceof Double) return writeDouble(value.value);
  if (value instanceof Decimal128) return writeBytes(value.bytes, typeByte.decimal);
  if (value instanceof Binary) return writeBinary(value);
  if (value instanceof BSONRegExp) return writeRegex(value);
  if (value instanceof BSONSymbol) return writeString(value.value, typeByte.symbol);
  if (value instanceof Timestamp) {
    position = buffer.writeBigUInt64LE(BigInt.asUintN(64, value.toBigInt()), position);
    return typeByte.timestamp;
  }
  if (value instanceof Code) return writeString(value.code, typeByte.code);
  if (value instanceof MinKey) return typeByte.minKey;
  if (value instanceof MaxKey) return typeByte.maxKey;
  writeDocument(value as Fields, depthLeft - 1);
  return typeByte.document;
}

function writeInt32(value: number): number {
  position = buffer.writeInt32LE(value, position);
  return typeByte.int32;
}

function writeDouble(value: number): number {
  position = buffer.writeDoubleLE(value, position);
  return typeByte.double;
}

function writeString(value: string, type: number): number {
  reserve(value.length * 3 + 5);
  const written = buffer.write(value, position + 4);
  buffer.writeInt32LE(written + 1, position);
  position += 4 + written;
  buffer[position++] = 0;
  return type;
}

function writeBytes(bytes: Uint8Array, type: number): number {
  reserve(bytes.length);
  buffer.set(bytes, position);
  position += bytes.length;
  return type;
}

function writeBinary(value: Binary): number {
  const bytes = value.value();
  buffer.writeInt32LE(bytes.length, position);
  buffer[position + 4] = value.sub_type;
  position += 5;
  return writeBytes(bytes, typeByte.binary);
}

function writeRegex(value: BSONRegExp): number {
  reserve((value.pattern.length + value.options.length) * 3 + 2);
  position = writeName(value.pattern);
  position = writeName(value.options);
  return typeByte.regex;
}

/** Reserves `count` more bytes plus the size of a fixed-size value. */
function reserve(count: number): void {
  const needed = position + count + 32;
  if (needed <= buffer.length) return;
  const larger = Buffer.allocUnsafe(Math.max(needed, buffer.length * 2));
  buffer.copy(larger, 0, 0, position);
  buffer = larger;
}
