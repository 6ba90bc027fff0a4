import { Binary, BSONRegExp, type BSONSymbol, Code, Decimal128, Double, ObjectId, Timestamp } from 'bson';
import { compareDecimals, toDecimal } from './decimal.ts';
import { type Document, type Maybe, type NumericValue, rank, rankOf, type Value } from './value.ts';

/** Orders any two values as MongoDB does: by type, then by value. Undefined is a missing field. */
export function compareValues(left: Maybe, right: Maybe): number {
  const leftRank = rankOf(left);
  const rightRank = rankOf(right);
  if (leftRank !== rightRank) return leftRank < rightRank ? -1 : 1;
  switch (leftRank) {
    case rank.number:
      return compareNumbers(left as NumericValue, right as NumericValue);
    case rank.string:
      return compareStrings(textOf(left as string | BSONSymbol), textOf(right as string | BSONSymbol));
    case rank.document:
      return compareDocuments(left as Document, right as Document);
    case rank.array:
      return compareArrays(left as Value[], right as Value[]);
    case rank.boolean:
      return Number(left) - Number(right);
    default:
      return compareObjects(left, right);
  }
}

export function equalValues(left: Maybe, right: Maybe): boolean {
  return compareValues(left, right) === 0;
}

const textOf = (value: string | BSONSymbol) => (typeof value === 'string' ? value : value.value);

function compareObjects(left: Maybe, right: Maybe): number {
  if (left instanceof ObjectId && right instanceof ObjectId) return Buffer.compare(left.id, right.id);
  if (left instanceof Date && right instanceof Date) return Math.sign(left.getTime() - right.getTime());
  if (left instanceof Binary && right instanceof Binary) return compareBinaries(left, right);
  if (left instanceof Timestamp && right instanceof Timestamp) return left.compare(right);
  if (left instanceof BSONRegExp && right instanceof BSONRegExp) {
    return compareStrings(left.pattern, right.pattern) || compareStrings(left.options, right.options);
  }
  if (left instanceof Code && right instanceof Code) return compareStrings(left.code, right.code);
  return 0;
}

/** Compares across all four number types without loss. */
export function compareNumbers(left: NumericValue, right: NumericValue): number {
  if (left instanceof Decimal128 || right instanceof Decimal128) {
    return compareDecimals(toDecimal(left), toDecimal(right));
  }
  const a = left instanceof Double ? left.value : left;
  const b = right instanceof Double ? right.value : right;
  if (a < b) return -1;
  if (a > b) return 1;
  // A mixed bigint and number compare by mathematical value; the remaining cases are equality and NaN.
  return Number(Number.isNaN(b)) - Number(Number.isNaN(a));
}

/** Orders strings by their UTF-8 bytes, which is code point order and not UTF-16 order. */
export function compareStrings(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return codePointWeight(a) - codePointWeight(b);
  }
  return left.length - right.length;
}

/** Weight of a UTF-16 unit in code point order: surrogates, which encode the highest code points, sort last. */
function codePointWeight(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function compareBinaries(left: Binary, right: Binary): number {
  const a = left.value();
  const b = right.value();
  return a.length - b.length || left.sub_type - right.sub_type || Buffer.compare(a, b);
}

function compareArrays(left: Value[], right: Value[]): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const order = compareValues(left[index], right[index]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Compares field by field in document order: type, then name, then value. */
function compareDocuments(left: Document, right: Document): number {
  const others = right.entries();
  for (const [name, value] of left) {
    const next = others.next();
    if (next.done) return 1;
    const [otherName, otherValue] = next.value;
    const order =
      rankOf(value) - rankOf(otherValue) || compareStrings(name, otherName) || compareValues(value, otherValue);
    if (order !== 0) return order;
  }
  return others.next().done ? 0 : -1;
}
