import { Binary, BSONRegExp, BSONSymbol, Code, Decimal128, Double, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';

/**
 * BSON value in memory. The mapping is exact in both directions: a document is a Map (keeps the order of all names, and
 * `__proto__` is an ordinary name); int32 is a number; int64 is a bigint; double is a number unless that number would
 * read as an int32, in which case it is a `Double`.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Date
  | Document
  | Value[]
  | Double
  | Decimal128
  | ObjectId
  | Binary
  | BSONRegExp
  | BSONSymbol
  | Timestamp
  | Code
  | MinKey
  | MaxKey;
export type Document = Map<string, Value>;
/** A value, or undefined for a missing field. */
export type Maybe = Value | undefined;
/** Field of a reply under construction; a Buffer is an encoded document that is copied verbatim. */
export type Field = Value | RawValue | Buffer | Fields | Field[] | undefined;
export type Fields = { [name: string]: Field };

/** Encoded value that is copied from one document to another without decoding. */
export class RawValue {
  readonly type: number;
  readonly bytes: Buffer;

  constructor(type: number, bytes: Buffer) {
    this.type = type;
    this.bytes = bytes;
  }
}

export type NumericValue = number | bigint | Double | Decimal128;

/** Whether a plain number is encoded as an int32. */
export function isInt32(number: number): boolean {
  return (number | 0) === number && !Object.is(number, -0);
}

/** A value of type double, also for a number that fits an int32. */
export function double(number: number): Value {
  return isInt32(number) ? new Double(number) : number;
}

export function isNumeric(value: Maybe): value is NumericValue {
  return (
    typeof value === 'number' || typeof value === 'bigint' || value instanceof Double || value instanceof Decimal128
  );
}

export function isDocument(value: unknown): value is Document {
  return value instanceof Map;
}

/**
 * Ranks a value's type in MongoDB's comparison order; types of one rank compare by value. Undefined (a missing field,
 * or an empty array as a sort key) ranks below null.
 */
export const rank = {
  minKey: 0x01,
  undefined: 0x05,
  null: 0x06,
  number: 0x10,
  string: 0x20,
  document: 0x28,
  array: 0x30,
  binary: 0x38,
  objectId: 0x40,
  boolean: 0x48,
  date: 0x50,
  timestamp: 0x58,
  regex: 0x60,
  code: 0x70,
  maxKey: 0xf0,
} as const;

export function rankOf(value: Maybe): number {
  switch (typeof value) {
    case 'string':
      return rank.string;
    case 'number':
    case 'bigint':
      return rank.number;
    case 'boolean':
      return rank.boolean;
    case 'undefined':
      return rank.undefined;
  }
  if (value === null) return rank.null;
  if (value instanceof Map) return rank.document;
  if (Array.isArray(value)) return rank.array;
  return rankOfWrapper(value);
}

function rankOfWrapper(value: object): number {
  if (value instanceof ObjectId) return rank.objectId;
  if (value instanceof Date) return rank.date;
  if (value instanceof Double || value instanceof Decimal128) return rank.number;
  if (value instanceof Binary) return rank.binary;
  if (value instanceof BSONRegExp) return rank.regex;
  if (value instanceof BSONSymbol) return rank.string;
  if (value instanceof Timestamp) return rank.timestamp;
  if (value instanceof Code) return rank.code;
  if (value instanceof MinKey) return rank.minKey;
  if (value instanceof MaxKey) return rank.maxKey;
  throw new TypeError(`Not a BSON value: ${String(value)}`);
}

/** The BSON type number and the alias that `$type` uses. */
export function typeOf(value: Value): { number: number; alias: string } {
  if (typeof value === 'number') return isInt32(value) ? bsonTypes.int : bsonTypes.double;
  if (typeof value === 'bigint') return bsonTypes.long;
  if (value instanceof Double) return bsonTypes.double;
  if (value instanceof Decimal128) return bsonTypes.decimal;
  if (value instanceof BSONSymbol) return bsonTypes.symbol;
  return typeByRank[rankOf(value)] ?? bsonTypes.null;
}

export const bsonTypes = {
  double: { number: 1, alias: 'double' },
  string: { number: 2, alias: 'string' },
  object: { number: 3, alias: 'object' },
  array: { number: 4, alias: 'array' },
  binData: { number: 5, alias: 'binData' },
  objectId: { number: 7, alias: 'objectId' },
  bool: { number: 8, alias: 'bool' },
  date: { number: 9, alias: 'date' },
  null: { number: 10, alias: 'null' },
  regex: { number: 11, alias: 'regex' },
  javascript: { number: 13, alias: 'javascript' },
  symbol: { number: 14, alias: 'symbol' },
  int: { number: 16, alias: 'int' },
  timestamp: { number: 17, alias: 'timestamp' },
  long: { number: 18, alias: 'long' },
  decimal: { number: 19, alias: 'decimal' },
  minKey: { number: -1, alias: 'minKey' },
  maxKey: { number: 127, alias: 'maxKey' },
};

const typeByRank: Record<number, { number: number; alias: string }> = {
  [rank.minKey]: bsonTypes.minKey,
  [rank.null]: bsonTypes.null,
  [rank.string]: bsonTypes.string,
  [rank.document]: bsonTypes.object,
  [rank.array]: bsonTypes.array,
  [rank.binary]: bsonTypes.binData,
  [rank.objectId]: bsonTypes.objectId,
  [rank.boolean]: bsonTypes.bool,
  [rank.date]: bsonTypes.date,
  [rank.timestamp]: bsonTypes.timestamp,
  [rank.regex]: bsonTypes.regex,
  [rank.code]: bsonTypes.javascript,
  [rank.maxKey]: bsonTypes.maxKey,
};
