import { badValue, MongoError } from '../errors.ts';

/** Type bytes of BSON 1.1, https://bsonspec.org/spec.html. */
export const typeByte = {
  double: 0x01,
  string: 0x02,
  document: 0x03,
  array: 0x04,
  binary: 0x05,
  objectId: 0x07,
  boolean: 0x08,
  date: 0x09,
  null: 0x0a,
  regex: 0x0b,
  code: 0x0d,
  symbol: 0x0e,
  int32: 0x10,
  timestamp: 0x11,
  int64: 0x12,
  decimal: 0x13,
  minKey: 0xff,
  maxKey: 0x7f,
} as const;

const refusedTypes: Record<number, string> = {
  6: 'the deprecated BSON type undefined',
  12: 'the deprecated BSON type DBPointer',
  15: 'the deprecated BSON type code with scope',
};

export const documentSizeLimitBytes = 16 * 1024 * 1024;
/** Maximum nesting depth of a stored document, as in MongoDB. */
export const depthLimit = 100;
/** Maximum nesting depth of a command, which wraps the document or filter in a few more levels. */
export const commandDepthLimit = 120;

/** Offset of the zero byte that ends the cstring at `offset`. */
export function endOfCString(bytes: Buffer, offset: number): number {
  let end = offset;
  while (bytes[end] !== 0) end++;
  return end;
}

/** Offset just after a value of `type` that starts at `offset`; the bytes must be valid. */
export function endOfValue(bytes: Buffer, type: number, offset: number): number {
  switch (type) {
    case typeByte.double:
    case typeByte.date:
    case typeByte.timestamp:
    case typeByte.int64:
      return offset + 8;
    case typeByte.int32:
      return offset + 4;
    case typeByte.string:
    case typeByte.code:
    case typeByte.symbol:
      return offset + 4 + bytes.readInt32LE(offset);
    case typeByte.document:
    case typeByte.array:
      return offset + bytes.readInt32LE(offset);
    case typeByte.binary:
      return offset + 5 + bytes.readInt32LE(offset);
    case typeByte.objectId:
      return offset + 12;
    case typeByte.boolean:
      return offset + 1;
    case typeByte.decimal:
      return offset + 16;
    case typeByte.regex:
      return endOfCString(bytes, endOfCString(bytes, offset) + 1) + 1;
    default:
      return offset;
  }
}

/**
 * Checks that `bytes` is exactly one well-formed document of at most `maximumDepth` levels, so that readers need not
 * check again. Throws BadValue, or Overflow for the depth.
 */
export function validateDocument(bytes: Buffer, maximumDepth = depthLimit): void {
  validateRegion(bytes, 0, bytes.length, maximumDepth);
}

function validateRegion(bytes: Buffer, start: number, limit: number, depthLeft: number): void {
  if (depthLeft <= 0) throw new MongoError('Overflow', `A document nests deeper than ${depthLimit} levels`);
  if (start + 5 > limit || bytes.readInt32LE(start) !== limit - start) throw malformed('a length is wrong');
  const last = limit - 1;
  if (bytes[last] !== 0) throw malformed('a document has no end');
  let offset = start + 4;
  while (offset < last) {
    const type = bytes[offset] ?? 0;
    const name = cStringWithin(bytes, offset + 1, last);
    offset = validateValue(bytes, type, name + 1, last, depthLeft);
  }
  if (offset !== last) throw malformed('a value passes the end of its document');
}

function validateValue(bytes: Buffer, type: number, offset: number, last: number, depthLeft: number): number {
  if (offset + minSize(type) > last) throw malformed('a value is cut short');
  if (type === typeByte.regex) return validateRegex(bytes, offset, last);
  if (hasLength(type) && bytes.readInt32LE(offset) < 0) throw malformed('a length is negative');
  const end = endOfValue(bytes, type, offset);
  if (end > last) throw malformed('a value passes the end of its document');
  if (isText(type) && (end < offset + 5 || bytes[end - 1] !== 0)) throw malformed('a string has no end');
  if (type === typeByte.document || type === typeByte.array) validateRegion(bytes, offset, end, depthLeft - 1);
  if (type === typeByte.date) validateDate(bytes, offset);
  return end;
}

/** Validates a pattern and its options. */
function validateRegex(bytes: Buffer, offset: number, last: number): number {
  const options = cStringWithin(bytes, offset, last) + 1;
  const end = cStringWithin(bytes, options, last);
  if (!/^[ilmsux]*$/.test(bytes.toString('latin1', options, end))) {
    throw malformed('a regular expression has an unknown option');
  }
  return end + 1;
}

function minSize(type: number): number {
  switch (type) {
    case typeByte.null:
    case typeByte.minKey:
    case typeByte.maxKey:
      return 0;
    case typeByte.boolean:
      return 1;
    case typeByte.regex:
      return 2;
    case typeByte.int32:
      return 4;
    case typeByte.objectId:
      return 12;
    case typeByte.decimal:
      return 16;
    case typeByte.double:
    case typeByte.date:
    case typeByte.timestamp:
    case typeByte.int64:
      return 8;
    case typeByte.string:
    case typeByte.code:
    case typeByte.symbol:
    case typeByte.document:
    case typeByte.array:
    case typeByte.binary:
      return 5;
    default:
      throw badValue(
        `A document holds ${refusedTypes[type] ?? `the unknown BSON type ${type}`}, which is not supported`,
      );
  }
}

const isText = (type: number) => type === typeByte.string || type === typeByte.code || type === typeByte.symbol;
const hasLength = (type: number) => isText(type) || type === typeByte.binary;

const latestDateMilliseconds = 8_640_000_000_000_000n;

function validateDate(bytes: Buffer, offset: number): void {
  const milliseconds = bytes.readBigInt64LE(offset);
  if (milliseconds > latestDateMilliseconds || milliseconds < -latestDateMilliseconds) {
    throw badValue(
      `The date ${milliseconds} ms is outside of the range that is supported, ±${latestDateMilliseconds} ms`,
    );
  }
}

function cStringWithin(bytes: Buffer, offset: number, last: number): number {
  const end = bytes.indexOf(0, offset);
  if (end < 0 || end >= last) throw malformed('a name has no end');
  return end;
}

function malformed(problem: string): MongoError {
  return badValue(`A document is not well-formed BSON: ${problem}`);
}
