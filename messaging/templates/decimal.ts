/** A decimal number: `coefficient / 10 ** scale`, with a scale of 0 or more. */
type Decimal = { coefficient: bigint; scale: number };

const zero: Decimal = { coefficient: 0n, scale: 0 };

/** The maximum of digits before and after the point, which bounds the computing time. */
const maxDigits = 100;
/** The additional digits of a quotient, more than the precision of a JavaScript number. */
const quotientDigits = 20;

/**
 * The arithmetic filters of Liquid, in decimal: the library computes in binary, where 1.10 times 3 is
 * 3.3000000000000003. Nil and a text that is not a number count as 0, as in Liquid. They throw a RangeError, whose
 * message is for the template's author, for a number of more than 100 digits and for a division by zero.
 */
export const decimalFilters: Record<string, (...operands: unknown[]) => number | string> = {
  plus: (left, right) => combine(left, right, (a, b) => a + b),
  minus: (left, right) => combine(left, right, (a, b) => a - b),
  times: (left, right) => {
    const [a, b] = [decimalOf(left), decimalOf(right)];
    return written({ coefficient: a.coefficient * b.coefficient, scale: a.scale + b.scale });
  },
  divided_by: (left, right, isWhole) => divide(decimalOf(left), decimalOf(right), Boolean(isWhole)),
  modulo: (left, right) => combine(left, right, (a, b) => a - floorDivide(a, requireDivisor(b)) * b),
  at_least: (left, right) => combine(left, right, larger),
  at_most: (left, right) => combine(left, right, (a, b) => -larger(-a, -b)),
  abs: (value) => {
    const { coefficient, scale } = decimalOf(value);
    return written({ coefficient: magnitude(coefficient), scale });
  },
  floor: (value) => written(rescaled(decimalOf(value), 0, floorDivide)),
  ceil: (value) => written(rescaled(decimalOf(value), 0, (a, b) => -floorDivide(-a, b))),
  round: (value, digits) => {
    const places = Math.trunc(Number(written(decimalOf(digits))));
    return written(rescaled(decimalOf(value), places, divideRounded));
  },
};

function decimalOf(value: unknown): Decimal {
  const text = typeof value === 'string' ? value.trim() : String(Number(value) || 0);
  return parse(text) ?? parse(String(Number(text) || 0)) ?? zero;
}

/** Parses decimal notation, with or without an exponent; null for any other text. */
function parse(text: string): Decimal | null {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  if (whole + fraction === '') return null;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return zero;
  const scale = fraction.length - Number(exponent);
  if (scale > maxDigits || digits.length - scale > maxDigits) throw tooManyDigits();
  return { coefficient: BigInt(sign + digits) * power(Math.max(-scale, 0)), scale: Math.max(scale, 0) };
}

function combine(left: unknown, right: unknown, operate: (a: bigint, b: bigint) => bigint): number | string {
  const [a, b] = [decimalOf(left), decimalOf(right)];
  const scale = Math.max(a.scale, b.scale);
  const [x, y] = [a, b].map((one) => one.coefficient * power(scale - one.scale)) as [bigint, bigint];
  return written({ coefficient: operate(x, y), scale });
}

function divide(left: Decimal, right: Decimal, isWhole: boolean): number | string {
  const divisor = requireDivisor(right.coefficient) * power(left.scale);
  const dividend = left.coefficient * power(right.scale);
  if (isWhole) return written({ coefficient: floorDivide(dividend, divisor), scale: 0 });
  const scale = quotientDigits + String(magnitude(divisor)).length;
  return written({ coefficient: divideRounded(dividend * power(scale), divisor), scale });
}

/** Rounds a number to at most `scale` digits after the point; `scale` may be negative. */
function rescaled(number: Decimal, scale: number, divideBy: (a: bigint, b: bigint) => bigint): Decimal {
  if (scale >= number.scale) return number;
  if (scale < -maxDigits) return { coefficient: 0n, scale: 0 };
  const coefficient = divideBy(number.coefficient, power(number.scale - scale));
  return scale < 0 ? { coefficient: coefficient * power(-scale), scale: 0 } : { coefficient, scale };
}

/**
 * Returns the result as a number, so that comparisons are numeric. Returns a text where a number would be inexact
 * beyond the safe integers, or written with an exponent.
 */
function written({ coefficient, scale }: Decimal): number | string {
  const digits = String(magnitude(coefficient)).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(whole.length, whole.length + maxDigits).replace(/0+$/, '');
  const text = `${coefficient < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
  const number = Number(text);
  const isNear = Math.abs(number) < Number.MAX_SAFE_INTEGER && !String(number).includes('e');
  if (isNear || String(number) === text) return number;
  if (whole.length > maxDigits) throw tooManyDigits();
  return text;
}

/** The quotient rounded to an integer, halves away from zero. */
function divideRounded(a: bigint, b: bigint): bigint {
  const [x, y] = [magnitude(a), magnitude(b)];
  const rounded = (2n * x + y) / (2n * y);
  return a < 0n === b < 0n ? rounded : -rounded;
}

/** The maximum; `Math.max` does not support bigint. */
function larger(a: bigint, b: bigint): bigint {
  if (a < b) return b;
  return a;
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

function requireDivisor(divisor: bigint): bigint {
  if (divisor === 0n) throw new RangeError('Division by zero.');
  return divisor;
}

const power = (exponent: number): bigint => 10n ** BigInt(exponent);
const magnitude = (number: bigint): bigint => (number < 0n ? -number : number);
const tooManyDigits = (): RangeError => new RangeError(`A number must have at most ${maxDigits} digits.`);
