import { Binary, BSONRegExp, BSONSymbol, Code, Decimal128, Double, ObjectId, Timestamp } from 'bson';
import { compareDecimals, type Decimal, toDecimal } from './decimal.ts';
import { type Maybe, type NumericValue, rank, rankOf } from './value.ts';

// Order-preserving encoding: memcmp orders the bytes as compareValues orders the values; equal values have equal bytes.
// Every encoding is self-delimiting, so several can be concatenated and each can be inverted for descending order.

let buffer = Buffer.allocUnsafe(4096);
let position = 0;

export type KeyPart = { value: Maybe; descending: boolean };

/** Encodes a compound key: each part in turn, with inverted bytes where it is descending. */
export function encodeKey(parts: readonly KeyPart[]): Buffer {
  position = 0;
  for (const part of parts) {
    const start = position;
    writeKey(part.value);
    if (part.descending) invert(start);
  }
  return Buffer.from(buffer.subarray(0, position));
}

/** Bounds of all keys whose value has `typeRank`, for ranges over one type. */
export function encodeTypeBounds(typeRank: number, descending: boolean): { first: Buffer; after: Buffer } {
  const width = typeRank === rank.number ? 3 : typeRank === rank.boolean ? 2 : 1;
  const [low, high] = [typeRank, typeRank + width];
  return descending
    ? { first: Buffer.from([0xff - high + 1]), after: Buffer.from([0xff - low + 1]) }
    : { first: Buffer.from([low]), after: Buffer.from([high]) };
}

/** Returns the smallest bytes above every key that starts with `prefix`; undefined when there are none. */
export function successor(prefix: Buffer): Buffer | undefined {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length--;
  if (length === 0) return undefined;
  const next = Buffer.from(prefix.subarray(0, length));
  next[length - 1] = (next[length - 1] ?? 0) + 1;
  return next;
}

function writeKey(value: Maybe): void {
  const type = rankOf(value);
  if (type === rank.number) writeNumber(value as NumericValue);
  else if (type === rank.boolean) writeByte(value ? type + 1 : type);
  else writeTyped(type, value);
}

function writeTyped(type: number, value: Maybe): void {
  writeByte(type);
  if (typeof value === 'string') writeText(value);
  else if (value instanceof ObjectId) writeBytes(value.id);
  else if (value instanceof Date) writeDate(value.getTime());
  else if (value instanceof Map) writeFields(value);
  else if (Array.isArray(value)) writeElements(value);
  else writeRareKey(value);
}

function writeRareKey(value: Maybe): void {
  if (value instanceof BSONSymbol) writeText(value.value);
  if (value instanceof Code) writeText(value.code);
  if (value instanceof Timestamp) writeBigInt(value.toBigInt());
  if (value instanceof BSONRegExp) {
    writeText(value.pattern);
    writeText(value.options);
  }
  if (value instanceof Binary) {
    const bytes = value.value();
    reserve(5);
    position = buffer.writeUInt32BE(bytes.length, position);
    writeByte(value.sub_type);
    writeBytes(bytes);
  }
}

function writeFields(document: Map<string, Maybe>): void {
  for (const [name, value] of document) {
    writeByte(rankOf(value));
    writeText(name);
    writeKey(value);
  }
  writeByte(0);
}

function writeElements(values: Maybe[]): void {
  for (const value of values) writeKey(value);
  writeByte(0);
}

/** Writes UTF-8 with a zero terminator; the bytes 0 and 1 within are escaped as 1,1 and 1,2. */
function writeText(text: string): void {
  const escaped = hasLowBytes(text) ? escapeLowBytes(text) : text;
  reserve(escaped.length * 3 + 1);
  position += buffer.write(escaped, position);
  buffer[position++] = 0;
}

function hasLowBytes(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) <= 1) return true;
  }
  return false;
}

function escapeLowBytes(text: string): string {
  return text.replaceAll('\u0001', '\u0001\u0002').replaceAll('\u0000', '\u0001\u0001');
}

const numberTag = { nan: rank.number, negative: rank.number + 1, positive: rank.number + 2 };
const exactEnd = 0;
const remainderFollows = 1;

/**
 * Writes the magnitude as the nearest double below it and then, for an int64 or decimal between two doubles, the
 * difference. Negative numbers are the inverted bytes of their magnitude.
 */
function writeNumber(value: NumericValue): void {
  const number = value instanceof Double ? value.value : value;
  if (typeof number === 'number') writeDouble(number);
  else writeExact(number, toDecimal(number));
}

function writeExact(number: bigint | Decimal128, decimal: Decimal): void {
  if (decimal.kind === 'nan') writeDouble(Number.NaN);
  else if (decimal.kind === 'infinite') writeDouble(decimal.negative ? -Infinity : Infinity);
  else writeFinite(decimal, Math.abs(number instanceof Decimal128 ? Number(number.toString()) : Number(number)));
}

/** `nearest` is the magnitude rounded to a double, up or down. */
function writeFinite(decimal: Finite, nearest: number): void {
  const negative = decimal.coefficient < 0n;
  const magnitude: Finite = { ...decimal, coefficient: negative ? -decimal.coefficient : decimal.coefficient };
  const floor = doubleBelow(magnitude, nearest);
  writeSigned(floor, subtract(magnitude, floor), negative);
}

function writeDouble(number: number): void {
  if (Number.isNaN(number)) writeByte(numberTag.nan);
  else writeSigned(Math.abs(number), nothing, number < 0);
}

function writeSigned(floor: number, remainder: Finite, negative: boolean): void {
  writeByte(negative ? numberTag.negative : numberTag.positive);
  const start = position;
  writeMagnitude(floor);
  if (remainder.coefficient === 0n) writeByte(exactEnd);
  else writeRemainder(remainder);
  if (negative) invert(start);
}

function writeMagnitude(magnitude: number): void {
  reserve(8);
  position = buffer.writeDoubleBE(magnitude, position);
}

type Finite = Extract<Decimal, { kind: 'finite' }>;

const nothing: Finite = { kind: 'finite', coefficient: 0n, exponent: 0 };

function doubleBelow(magnitude: Finite, nearest: number): number {
  if (nearest === Infinity) return Number.MAX_VALUE;
  return compareDecimals(toDecimal(nearest), magnitude) > 0 ? previousDouble(nearest) : nearest;
}

function previousDouble(positive: number): number {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(positive);
  bytes.writeBigUInt64BE(bytes.readBigUInt64BE() - 1n);
  return bytes.readDoubleBE();
}

function subtract(magnitude: Finite, floor: number): Finite {
  const other = toDecimal(floor) as Finite;
  const exponent = Math.min(magnitude.exponent, other.exponent);
  const scaled = (part: Finite) => part.coefficient * 10n ** BigInt(part.exponent - exponent);
  return { kind: 'finite', coefficient: scaled(magnitude) - scaled(other), exponent };
}

/** Writes a positive number as the position of its first digit and then its digits without trailing zeros. */
function writeRemainder(remainder: Finite): void {
  const digits = remainder.coefficient.toString();
  writeByte(remainderFollows);
  reserve(2);
  position = buffer.writeUInt16BE(digits.length + remainder.exponent + 0x8000, position);
  writeText(digits.replace(/0+$/, ''));
}

function writeBigInt(unsigned: bigint): void {
  reserve(8);
  position = buffer.writeBigUInt64BE(BigInt.asUintN(64, unsigned), position);
}

/** Writes milliseconds as a signed 64-bit number with the sign bit flipped, as two 32-bit halves for speed. */
function writeDate(milliseconds: number): void {
  const high = Math.floor(milliseconds / 0x100000000);
  reserve(8);
  position = buffer.writeUInt32BE(high + 0x80000000, position);
  position = buffer.writeUInt32BE(milliseconds - high * 0x100000000, position);
}

function writeByte(byte: number): void {
  reserve(1);
  buffer[position++] = byte;
}

function writeBytes(bytes: Uint8Array): void {
  reserve(bytes.length);
  buffer.set(bytes, position);
  position += bytes.length;
}

function invert(start: number): void {
  for (let at = start; at < position; at++) buffer[at] = 0xff - (buffer[at] ?? 0);
}

function reserve(count: number): void {
  if (position + count <= buffer.length) return;
  const larger = Buffer.allocUnsafe(Math.max(position + count, buffer.length * 2));
  buffer.copy(larger, 0, 0, position);
  buffer = larger;
}
