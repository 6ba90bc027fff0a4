import { BSONRegExp, BSONSymbol, Decimal128, Double, MaxKey, MinKey } from 'bson';
import { compareNumbers, compareValues, equalValues } from '../bson/compare.ts';
import { bsonTypes, isNumeric, type Maybe, rank, rankOf, typeOf, type Value } from '../bson/value.ts';
import { badValue } from '../errors.ts';
import { bitsOperators } from './bits.ts';
import type { LeafArrays } from './path.ts';
import { compileRegex } from './regex.ts';

export type ValueTest = (value: Maybe) => boolean;
type FieldOperator = { leaf: LeafArrays; test: ValueTest; isNegated?: boolean };

/** Query operators on one value; each parses its operand and throws BadValue for an invalid one. */
export const fieldOperators = new Map<string, (operand: Value) => FieldOperator>([
  ['$eq', (operand) => ({ leaf: 'enter', test: equality(operand) })],
  ['$gt', (operand) => ({ leaf: 'enter', test: comparison('$gt', operand) })],
  ['$gte', (operand) => ({ leaf: 'enter', test: comparison('$gte', operand) })],
  ['$lt', (operand) => ({ leaf: 'enter', test: comparison('$lt', operand) })],
  ['$lte', (operand) => ({ leaf: 'enter', test: comparison('$lte', operand) })],
  ['$in', (operand) => ({ leaf: 'enter', test: membership(operand) })],
  ['$regex', (operand) => ({ leaf: 'enter', test: pattern(operand) })],
  ['$type', (operand) => ({ leaf: 'enter', test: typeTest(operand) })],
  ['$mod', (operand) => ({ leaf: 'enter', test: modulo(operand) })],
  ['$size', (operand) => ({ leaf: 'whole', test: size(operand) })],
  ['$exists', (operand) => ({ leaf: 'whole', test: (value) => value !== undefined, isNegated: !isTruthy(operand) })],
  ...bitsOperators.map(([name, compile]): [string, (operand: Value) => FieldOperator] => [
    name,
    (operand) => ({ leaf: 'enter', test: compile(operand) }),
  ]),
]);

function equality(operand: Value): ValueTest {
  if (operand === null) return (value) => value === null || value === undefined;
  if (operand instanceof BSONRegExp) return (value) => value !== undefined && equalValues(value, operand);
  if (typeof operand === 'string')
    return (value) => value === operand || (value instanceof BSONSymbol && equalValues(value, operand));
  return (value) => value !== undefined && equalValues(value, operand);
}

type Comparison = '$gt' | '$gte' | '$lt' | '$lte';

/** Compares only values of the operand's type; null also matches a missing field. */
function comparison(operator: Comparison, operand: Value): ValueTest {
  if (operand instanceof BSONRegExp) throw badValue(`${operator} cannot have a regular expression`);
  const wantsLess = operator === '$lt' || operator === '$lte';
  const takesEqual = operator === '$gte' || operator === '$lte';
  if (operand instanceof MinKey || operand instanceof MaxKey) return extremeComparison(operand, wantsLess, takesEqual);
  const type = rankOf(operand);
  const operandIsNaN = isNaNValue(operand);
  return (found) => {
    const value = found === undefined ? null : found;
    if (rankOf(value) !== type) return false;
    if (operandIsNaN || isNaNValue(value)) return takesEqual && operandIsNaN && isNaNValue(value);
    const order = compareValues(value, operand);
    return order === 0 ? takesEqual : order < 0 === wantsLess;
  };
}

function extremeComparison(operand: MinKey | MaxKey, wantsLess: boolean, takesEqual: boolean): ValueTest {
  const reachesOthers = operand instanceof MaxKey === wantsLess;
  return (value) => (rankOf(value) === rankOf(operand) ? takesEqual : reachesOthers);
}

function isNaNValue(value: Value): boolean {
  return isNumeric(value) && typeof value !== 'bigint' && compareNumbers(value, Number.NaN) === 0;
}

/** From this number of values on, `$in` uses a set or a binary search instead of comparing one by one. */
const manyValues = 8;

function membership(operand: Value): ValueTest {
  if (!Array.isArray(operand)) throw badValue('$in and $nin need an array');
  if (operand.some((wanted) => wanted instanceof Map && [...wanted.keys()][0]?.startsWith('$'))) {
    throw badValue('$in and $nin cannot hold an operator');
  }
  const patterns = operand.filter((wanted) => wanted instanceof BSONRegExp).map(pattern);
  const tests = [...(operand.length < manyValues ? operand.map(equality) : [membershipOfMany(operand)]), ...patterns];
  return (value) => tests.some((test) => test(value));
}

function membershipOfMany(operand: Value[]): ValueTest {
  if (!operand.every((one) => typeof one === 'string')) return sortedMembership(operand);
  const values = new Set<Maybe>(operand);
  return (value) => values.has(value instanceof BSONSymbol ? value.value : value);
}

function sortedMembership(operand: Value[]): ValueTest {
  const sorted = [...operand].sort(compareValues);
  return (found) => {
    const value = found === undefined ? null : found;
    let low = 0;
    let high = sorted.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const order = compareValues(value, sorted[middle]);
      if (order === 0) return true;
      if (order < 0) high = middle - 1;
      else low = middle + 1;
    }
    return false;
  };
}

function pattern(operand: Value): ValueTest {
  if (!(operand instanceof BSONRegExp)) throw badValue('$regex needs a string or a regular expression');
  const matches = compileRegex(operand.pattern, operand.options);
  return (value) => {
    if (typeof value === 'string') return matches(value);
    if (value instanceof BSONSymbol) return matches(value.value);
    return value instanceof BSONRegExp && equalValues(value, operand);
  };
}

function typeTest(operand: Value): ValueTest {
  const types = (Array.isArray(operand) ? operand : [operand]).flatMap(typeNumbers);
  if (types.length === 0) throw badValue('$type needs at least one type');
  return (value) => value !== undefined && types.includes(typeOf(value).number);
}

const numberTypes = [bsonTypes.int, bsonTypes.long, bsonTypes.double, bsonTypes.decimal].map((type) => type.number);

function typeNumbers(wanted: Value): number[] {
  if (wanted === 'number') return numberTypes;
  const number = isNumeric(wanted) ? toNumber(wanted) : Number.NaN;
  const type = Object.values(bsonTypes).find((known) => known.alias === wanted || known.number === number);
  if (!type) throw badValue(`$type does not know the type ${String(wanted)}`);
  return [type.number];
}

function modulo(operand: Value): ValueTest {
  const [divisor, remainder] = Array.isArray(operand) ? operand : [];
  if (!Array.isArray(operand) || operand.length !== 2 || !isNumeric(divisor) || !isNumeric(remainder)) {
    throw badValue('$mod needs an array of a divisor and a remainder');
  }
  const [by, rest] = [truncated(divisor), truncated(remainder)];
  if (by === undefined || rest === undefined) throw badValue('$mod needs finite numbers');
  if (by === 0n) throw badValue('$mod: the divisor cannot be 0');
  return (value) => {
    const number = isNumeric(value) ? truncated(value) : undefined;
    return number !== undefined && number % by === rest;
  };
}

function truncated(value: Value): bigint | undefined {
  if (typeof value === 'bigint') return value;
  const number = toNumber(value);
  return Number.isFinite(number) ? BigInt(Math.trunc(number)) : undefined;
}

function size(operand: Value): ValueTest {
  const wanted = isNumeric(operand) ? toNumber(operand) : Number.NaN;
  if (!Number.isInteger(wanted) || wanted < 0) throw badValue('$size needs a whole number that is not negative');
  return (value) => Array.isArray(value) && value.length === wanted;
}

/** Converts any number to a double; NaN for a value of another type. */
export function toNumber(value: Maybe): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Double) return value.value;
  if (value instanceof Decimal128) return Number(value.toString());
  return Number.NaN;
}

/** Truthiness as in MongoDB: all values except false, null, undefined and zero. */
export function isTruthy(value: Maybe): boolean {
  if (isNumeric(value)) return toNumber(value) !== 0;
  return rankOf(value) !== rank.null && value !== undefined && value !== false;
}
