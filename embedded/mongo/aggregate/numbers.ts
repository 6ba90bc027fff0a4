import { Decimal128, Double } from 'bson';
import { addDecimals, multiplyDecimals, toArithmeticDecimal } from '../bson/decimal.ts';
import { double, isInt32, type NumericValue, type Value } from '../bson/value.ts';
import { MongoError, notSupported } from '../errors.ts';

/**
 * Sum with the result types of MongoDB: decimal over double over int64 over int32. Integers are added exactly. Doubles
 * are added with their rounding error (Knuth's two-sum), so that their order hardly affects the result.
 */
type Sum = { integers: bigint; hasLong: boolean; doubles?: TwoSum; decimal?: Decimal128 };
type TwoSum = { sum: number; error: number; plain: number };

export function createSum(): Sum {
  return { integers: 0n, hasLong: false };
}

export function addTo(sum: Sum, value: NumericValue): void {
  if (value instanceof Decimal128)
    sum.decimal = sum.decimal
      ? (addDecimals(toArithmeticDecimal(sum.decimal), toArithmeticDecimal(value)) as Decimal128)
      : value;
  else if (typeof value === 'bigint' || (typeof value === 'number' && isInt32(value))) {
    sum.integers += BigInt(value);
    sum.hasLong ||= typeof value === 'bigint';
  } else {
    sum.doubles ??= { sum: 0, error: 0, plain: 0 };
    addDouble(sum.doubles, value instanceof Double ? value.value : value);
  }
}

function addDouble(total: TwoSum, value: number): void {
  const next = total.sum + value;
  const part = next - total.sum;
  total.error += total.sum - (next - part) + (value - part);
  total.sum = next;
  total.plain += value;
}

/**
 * Returns the sum as one value. Throws CommandNotSupported for decimals mixed with doubles and for an int64 overflow.
 */
export function resultOf(sum: Sum): Value {
  if (sum.decimal) {
    if (sum.doubles) throw notSupported('a sum of doubles and decimals');
    return addDecimals(toArithmeticDecimal(sum.decimal), toArithmeticDecimal(sum.integers));
  }
  if (sum.doubles) return double(asNumber(sum));
  const number = Number(sum.integers);
  if (!sum.hasLong && isInt32(number)) return number;
  return requireInt64(sum.integers);
}

/** Returns the sum as a double, for an average. */
export function asNumber(sum: Sum): number {
  if (sum.decimal) throw notSupported('an average of decimals');
  if (!sum.doubles) return Number(sum.integers);
  const total = { ...sum.doubles };
  if (sum.integers !== 0n) addDouble(total, Number(sum.integers));
  const result = total.sum + total.error;
  // The rounding error of an infinite sum is NaN.
  return Number.isNaN(result) ? total.plain : result;
}

export function subtract(left: NumericValue, right: NumericValue): Value {
  const sum = createSum();
  addTo(sum, left);
  addTo(sum, negative(right));
  return resultOf(sum);
}

function negative(value: NumericValue): NumericValue {
  if (value instanceof Decimal128) throw notSupported('$subtract of a decimal');
  if (typeof value === 'bigint') return -value;
  const number = value instanceof Double ? -value.value : -value;
  return typeof value === 'number' && isInt32(value) ? ((number + 0) as NumericValue) : new Double(number);
}

export function multiply(left: NumericValue, right: NumericValue): Value {
  if (left instanceof Decimal128 || right instanceof Decimal128) {
    if (isDouble(left) || isDouble(right)) throw notSupported('a product of a double and a decimal');
    return multiplyDecimals(toArithmeticDecimal(left), toArithmeticDecimal(right));
  }
  if (isDouble(left) || isDouble(right)) return double(plainNumber(left) * plainNumber(right));
  const product = BigInt(left as number | bigint) * BigInt(right as number | bigint);
  const isLong = typeof left === 'bigint' || typeof right === 'bigint';
  return !isLong && isInt32(Number(product)) ? Number(product) : requireInt64(product);
}

export function divide(left: NumericValue, right: NumericValue): Value {
  const divisor = plainNumber(right);
  if (divisor === 0) throw new MongoError('BadValue', "can't $divide by zero");
  return double(plainNumber(left) / divisor);
}

export function remainder(left: NumericValue, right: NumericValue): Value {
  const divisor = plainNumber(right);
  if (divisor === 0) throw new MongoError('Location16610', "can't $mod by zero");
  if (isDouble(left) || (isDouble(right) && !isInt32(divisor))) return double(plainNumber(left) % divisor);
  const rest = BigInt(left as number | bigint) % BigInt(isDouble(right) ? divisor : (right as number | bigint));
  return typeof left === 'bigint' || typeof right === 'bigint' ? rest : Number(rest);
}

function requireInt64(exact: bigint): bigint {
  if (BigInt.asIntN(64, exact) === exact) return exact;
  throw notSupported('an expression whose result an int64 cannot hold');
}

function isDouble(value: NumericValue): boolean {
  return value instanceof Double || (typeof value === 'number' && !isInt32(value));
}

function plainNumber(value: NumericValue): number {
  if (value instanceof Decimal128) throw notSupported('a quotient or remainder of decimals');
  return value instanceof Double ? value.value : Number(value);
}
