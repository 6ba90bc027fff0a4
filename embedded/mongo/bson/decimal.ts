import { Decimal128, Double } from 'bson';
import type { NumericValue } from './value.ts';

/** Decomposed number: sign × coefficient × 10^exponent, or a special value. */
export type Decimal =
  | { kind: 'finite'; coefficient: bigint; exponent: number }
  | { kind: 'infinite'; negative: boolean }
  | { kind: 'nan' };

const exponentBias = 6176n;
const maxCoefficient = 10n ** 34n - 1n;

/** Reads the binary-integer form of IEEE 754-2008 decimal128. */
function parseDecimal(value: Decimal128): Decimal {
  const bytes = Buffer.from(value.bytes);
  const low = bytes.readBigUInt64LE(0);
  const high = bytes.readBigUInt64LE(8);
  const negative = high >> 63n === 1n;
  const combination = (high >> 58n) & 0x1fn;
  if (combination === 0x1fn) return { kind: 'nan' };
  if (combination === 0x1en) return { kind: 'infinite', negative };
  if (combination >> 3n === 3n) return { kind: 'finite', coefficient: 0n, exponent: 0 };
  const exponent = Number(((high >> 49n) & 0x3fffn) - exponentBias);
  const magnitude = ((high & 0x1ffffffffffffn) << 64n) | low;
  if (magnitude > maxCoefficient) return { kind: 'finite', coefficient: 0n, exponent: 0 };
  return { kind: 'finite', coefficient: negative ? -magnitude : magnitude, exponent };
}

/** The exact decimal expansion of any number. */
export function toDecimal(value: NumericValue): Decimal {
  if (value instanceof Decimal128) return parseDecimal(value);
  if (typeof value === 'bigint') return { kind: 'finite', coefficient: value, exponent: 0 };
  return doubleToDecimal(value instanceof Double ? value.value : value);
}

function doubleToDecimal(number: number): Decimal {
  if (Number.isNaN(number)) return { kind: 'nan' };
  if (!Number.isFinite(number)) return { kind: 'infinite', negative: number < 0 };
  if (Number.isInteger(number)) return { kind: 'finite', coefficient: BigInt(number), exponent: 0 };
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, number);
  const raw = bits.getBigUint64(0);
  const biased = Number((raw >> 52n) & 0x7ffn);
  const fraction = raw & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n);
  // A fraction of 2^-n is 5^n × 10^-n.
  const shift = biased === 0 ? 1074 : 1075 - biased;
  const coefficient = mantissa * 5n ** BigInt(shift);
  return { kind: 'finite', coefficient: number < 0 ? -coefficient : coefficient, exponent: -shift };
}

/** Compares exactly; NaN equals itself and is below every other number, as in MongoDB. */
export function compareDecimals(left: Decimal, right: Decimal): number {
  if (left.kind !== 'finite' || right.kind !== 'finite') return Math.sign(weight(left) - weight(right));
  const [a, b] = aligned(left, right);
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function weight(decimal: Decimal): number {
  if (decimal.kind === 'nan') return -2;
  if (decimal.kind === 'infinite') return decimal.negative ? -1 : 1;
  return 0;
}

type Finite = Extract<Decimal, { kind: 'finite' }>;

function aligned(left: Finite, right: Finite): [bigint, bigint] {
  const exponent = Math.min(left.exponent, right.exponent);
  return [
    left.coefficient * 10n ** BigInt(left.exponent - exponent),
    right.coefficient * 10n ** BigInt(right.exponent - exponent),
  ];
}

/** left + right, rounded to the 34 digits of decimal128. */
export function addDecimals(left: Decimal, right: Decimal): Decimal128 {
  if (left.kind === 'finite' && right.kind === 'finite') {
    const [a, b] = aligned(left, right);
    return formatDecimal(a + b, Math.min(left.exponent, right.exponent));
  }
  if (left.kind === 'nan' || right.kind === 'nan') return notANumber();
  if (left.kind === 'infinite' && right.kind === 'infinite' && left.negative !== right.negative) return notANumber();
  const infinite = left.kind === 'infinite' ? left : right;
  return Decimal128.fromString(infinite.kind === 'infinite' && infinite.negative ? '-Infinity' : 'Infinity');
}

/** left × right, rounded to the 34 digits of decimal128. */
export function multiplyDecimals(left: Decimal, right: Decimal): Decimal128 {
  if (left.kind === 'finite' && right.kind === 'finite') {
    return formatDecimal(left.coefficient * right.coefficient, left.exponent + right.exponent);
  }
  const sign = signOf(left) * signOf(right);
  if (left.kind === 'nan' || right.kind === 'nan' || sign === 0) return notANumber();
  return Decimal128.fromString(sign < 0 ? '-Infinity' : 'Infinity');
}

function signOf(decimal: Decimal): number {
  if (decimal.kind === 'finite') return Number(decimal.coefficient > 0n) - Number(decimal.coefficient < 0n);
  return decimal.kind === 'infinite' && decimal.negative ? -1 : 1;
}

const notANumber = () => Decimal128.fromString('NaN');

function formatDecimal(coefficient: bigint, exponent: number): Decimal128 {
  return Decimal128.fromString(rounded(coefficient, exponent));
}

/** Half to even, the default of IEEE 754. */
function rounded(coefficient: bigint, exponent: number): string {
  const negative = coefficient < 0n;
  const magnitude = negative ? -coefficient : coefficient;
  const excess = magnitude.toString().length - 34;
  const sign = negative ? '-' : '';
  if (excess <= 0) return `${sign}${magnitude}E${exponent}`;
  const unit = 10n ** BigInt(excess);
  const remainder = magnitude % unit;
  const kept = magnitude / unit;
  const half = unit / 2n;
  const up = remainder > half || (remainder === half && kept % 2n === 1n);
  return `${sign}${up ? kept + 1n : kept}E${exponent + excess}`;
}

/** A number as decimal128 the way MongoDB converts for arithmetic: doubles with 15 significant digits. */
export function toArithmeticDecimal(value: NumericValue): Decimal {
  const number = value instanceof Double ? value.value : value;
  if (typeof number !== 'number' || Number.isInteger(number) || !Number.isFinite(number)) return toDecimal(value);
  return parseDecimal(Decimal128.fromString(number.toPrecision(15)));
}
