import { compareValues } from '../bson/compare.ts';
import { type Document, isNumeric, type Maybe, type NumericValue, typeOf, type Value } from '../bson/value.ts';
import { MongoError, notSupported } from '../errors.ts';
import { toNumber } from '../query/operators.ts';
import { addTo, createSum, divide, multiply, remainder, resultOf, subtract } from './numbers.ts';
import { binary, type Compile, isNullish, unary, variadic } from './operator.ts';

const typeName = (value: Maybe) => (value === undefined ? 'missing' : typeOf(value).alias);

function ordered(name: string, test: (order: number) => Value): [string, Compile] {
  return binary(name, (left, right) => test(Math.sign(compareValues(left, right))));
}

/** Computes with two numbers; null when one is null or missing. */
function arithmetic(name: string, compute: (left: NumericValue, right: NumericValue) => Value): [string, Compile] {
  return binary(name, (left, right) => {
    if (isNullish(left) || isNullish(right)) return null;
    return compute(requireNumber(name, left), requireNumber(name, right));
  });
}

function requireNumber(name: string, value: Value): NumericValue {
  if (isNumeric(value)) return value;
  throw new MongoError('TypeMismatch', `${name} only supports numeric types, not ${typeName(value)}`);
}

/** Operators whose result depends only on the values of their operands. */
export const valueOperators: [string, Compile][] = [
  ordered('$cmp', (order) => order),
  ordered('$eq', (order) => order === 0),
  ordered('$ne', (order) => order !== 0),
  ordered('$gt', (order) => order > 0),
  ordered('$gte', (order) => order >= 0),
  ordered('$lt', (order) => order < 0),
  ordered('$lte', (order) => order <= 0),
  variadic('$add', add),
  variadic('$multiply', (values) => {
    const present = beforeNullish(values);
    const product = present.reduce<NumericValue>(
      (one, other) => multiply(one, requireNumber('$multiply', other)) as NumericValue,
      1,
    );
    return present.length < values.length ? null : product;
  }),
  binary('$subtract', subtraction),
  arithmetic('$divide', divide),
  arithmetic('$mod', remainder),
  variadic('$concat', concat),
  unary('$toUpper', (value) => textOf('$toUpper', value).replace(/[a-z]+/g, (letters) => letters.toUpperCase())),
  unary('$toLower', (value) => textOf('$toLower', value).replace(/[A-Z]+/g, (letters) => letters.toLowerCase())),
  unary('$strLenCP', (value) => [...requireText('$strLenCP', value)].length),
  unary('$strLenBytes', (value) => Buffer.byteLength(requireText('$strLenBytes', value))),
  unary('$type', typeName),
  unary('$isArray', (value) => Array.isArray(value)),
  unary('$size', (value) => {
    if (Array.isArray(value)) return value.length;
    throw new MongoError('Location17124', `The argument of $size must be an array, not ${typeName(value)}`);
  }),
  binary('$arrayElemAt', elementAt),
  binary('$in', (value, array) => {
    if (Array.isArray(array)) return array.some((element) => compareValues(element, value) === 0);
    throw new MongoError('Location40081', `$in requires an array as a second argument, not ${typeName(array)}`);
  }),
  variadic('$concatArrays', concatArrays),
  variadic('$mergeObjects', mergeObjects),
];

/**
 * Returns the operands before the first null or missing one, which makes the result null. Only these are type-checked.
 */
function beforeNullish(values: Maybe[]): Value[] {
  const end = values.findIndex(isNullish);
  return (end < 0 ? values : values.slice(0, end)) as Value[];
}

/** Adds numbers, or milliseconds to the one date among the values. */
function add(values: Maybe[]): Maybe {
  const present = beforeNullish(values);
  const dates = present.filter((value) => value instanceof Date);
  if (dates.length > 1) throw new MongoError('Location16612', 'only one date allowed in an $add expression');
  const sum = createSum();
  for (const value of present) {
    if (isNumeric(value)) addTo(sum, value);
    else if (!(value instanceof Date)) {
      throw new MongoError('TypeMismatch', `$add only supports numeric or date types, not ${typeName(value)}`);
    }
  }
  if (present.length < values.length) return null;
  const [date] = dates;
  return date ? movedDate(date, resultOf(sum)) : resultOf(sum);
}

function movedDate(date: Date, by: Value): Date {
  const milliseconds = toNumber(by);
  if (!Number.isInteger(milliseconds)) throw notSupported('adding a fraction of a millisecond to a date');
  const moved = new Date(date.getTime() + milliseconds);
  if (Number.isNaN(moved.getTime())) throw new MongoError('Overflow', 'date overflow');
  return moved;
}

function subtraction(left: Maybe, right: Maybe): Maybe {
  if (isNullish(left) || isNullish(right)) return null;
  if (left instanceof Date && right instanceof Date) return BigInt(left.getTime() - right.getTime());
  if (left instanceof Date && isNumeric(right)) return movedDate(left, -toNumber(right));
  if (isNumeric(left) && isNumeric(right)) return subtract(left, right);
  throw new MongoError('TypeMismatch', `can't $subtract ${typeName(right)} from ${typeName(left)}`);
}

function concat(values: Maybe[]): Maybe {
  const present = beforeNullish(values);
  const other = present.find((value) => typeof value !== 'string');
  if (other === undefined) return present.length < values.length ? null : present.join('');
  throw new MongoError('Location16702', `$concat only supports strings, not ${typeName(other)}`);
}

function textOf(name: string, value: Maybe): string {
  if (isNullish(value)) return '';
  if (typeof value === 'string') return value;
  throw notSupported(`${name} of a value of the type ${typeName(value)}`);
}

function requireText(name: string, value: Maybe): string {
  if (typeof value === 'string') return value;
  const code = name === '$strLenCP' ? 'Location34471' : 'Location34473';
  throw new MongoError(code, `${name} requires a string argument, found: ${typeName(value)}`);
}

function elementAt(array: Maybe, position: Maybe): Maybe {
  if (isNullish(array) || isNullish(position)) return null;
  if (!Array.isArray(array)) {
    throw new MongoError('Location28689', `$arrayElemAt's first argument must be an array, but is ${typeName(array)}`);
  }
  const index = isNumeric(position) ? toNumber(position) : Number.NaN;
  if (!Number.isInteger(index)) {
    throw new MongoError('Location28690', `$arrayElemAt's second argument must be a whole number`);
  }
  return array[index < 0 ? array.length + index : index];
}

function concatArrays(values: Maybe[]): Maybe {
  const present = beforeNullish(values);
  const other = present.find((value) => !Array.isArray(value));
  if (other === undefined) return present.length < values.length ? null : present.flatMap((value) => value as Value[]);
  throw new MongoError('Location28664', `$concatArrays only supports arrays, not ${typeName(other)}`);
}

/** Merges the fields of all documents; later ones override earlier ones, null and missing values are ignored. */
export function mergeObjects(values: Maybe[]): Document {
  const merged: Document = new Map();
  for (const value of values) {
    if (isNullish(value)) continue;
    if (!(value instanceof Map)) {
      throw new MongoError('Location40400', `$mergeObjects requires object inputs, but input is ${typeName(value)}`);
    }
    for (const [name, inner] of value) merged.set(name, inner);
  }
  return merged;
}
