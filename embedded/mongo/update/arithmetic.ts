import { Decimal128, Double } from 'bson';
import { addDecimals, multiplyDecimals, toArithmeticDecimal } from '../bson/decimal.ts';
import { double, isInt32, type NumericValue, type Value } from '../bson/value.ts';
import { badValue } from '../errors.ts';

export type Operation = 'add' | 'multiply';

/**
 * Adds or multiplies with MongoDB's result types: decimal over double over int64 over int32; an int32 overflow becomes
 * an int64. Throws BadValue for an int64 overflow.
 */
export function calculate(operation: Operation, left: NumericValue, right: NumericValue): Value {
  if (left instanceof Decimal128 || right instanceof Decimal128) {
    const [a, b] = [toArithmeticDecimal(left), toArithmeticDecimal(right)];
    return operation === 'add' ? addDecimals(a, b) : multiplyDecimals(a, b);
  }
  if (isDouble(left) || isDouble(right)) {
    const [a, b] = [asNumber(left), asNumber(right)];
    return double(operation === 'add' ? a + b : a * b);
  }
  return calculateIntegers(operation, left as number | bigint, right as number | bigint);
}

function calculateIntegers(operation: Operation, left: number | bigint, right: number | bigint): Value {
  const exact = operation === 'add' ? BigInt(left) + BigInt(right) : BigInt(left) * BigInt(right);
  if (typeof left === 'number' && typeof right === 'number') {
    const number = Number(exact);
    if (isInt32(number)) return number;
  }
  if (BigInt.asIntN(64, exact) !== exact) {
    throw badValue(`Failed to ${operation} ${right} and the current value ${left}: an int64 cannot hold the result`);
  }
  return exact;
}

/** The zero of the factor's type, which is the product with a missing field. */
export function zeroLike(factor: NumericValue): Value {
  if (factor instanceof Decimal128) return Decimal128.fromString('0');
  if (typeof factor === 'bigint') return 0n;
  return isDouble(factor) ? double(0) : 0;
}

function isDouble(value: NumericValue): boolean {
  return value instanceof Double || (typeof value === 'number' && !isInt32(value));
}

function asNumber(value: number | bigint | Double): number {
  return value instanceof Double ? value.value : Number(value);
}
