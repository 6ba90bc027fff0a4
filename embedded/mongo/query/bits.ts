import { Binary, Double } from 'bson';
import type { Maybe, Value } from '../bson/value.ts';
import { badValue } from '../errors.ts';

type BitsTest = (bits: bigint, mask: bigint) => boolean;

const tests: Record<string, BitsTest> = {
  $bitsAllSet: (bits, mask) => (bits & mask) === mask,
  $bitsAnySet: (bits, mask) => (bits & mask) !== 0n,
  $bitsAllClear: (bits, mask) => (bits & mask) === 0n,
  $bitsAnyClear: (bits, mask) => (bits & mask) !== mask,
};

/** `$bitsAllSet` and the other bit operators: each parses a mask or bit positions and returns a test of a value. */
export const bitsOperators = Object.entries(tests).map(
  ([name, test]): [string, (operand: Value) => (value: Maybe) => boolean] => [
    name,
    (operand) => {
      const mask = maskOf(name, operand);
      return (value) => {
        const bits = bitsOf(value);
        return bits !== undefined && test(bits, mask);
      };
    },
  ],
);

function maskOf(name: string, operand: Value): bigint {
  if (Array.isArray(operand)) return operand.reduce<bigint>((mask, one) => mask | (1n << positionOf(name, one)), 0n);
  const mask = bitsOf(operand);
  if (mask !== undefined && mask >= 0n) return mask;
  throw badValue(`${name} needs a whole number that is not negative, binary data, or an array of bit positions`);
}

const highestPosition = 0xffffn;

function positionOf(name: string, value: Value): bigint {
  const position = value instanceof Binary ? undefined : bitsOf(value);
  if (position !== undefined && position >= 0n && position <= highestPosition) return position;
  throw badValue(`${name} needs bit positions from 0 to ${highestPosition}`);
}

/** Bits of a whole number, a negative one in infinite two's complement, or of bytes, least significant first. */
function bitsOf(value: Maybe): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (value instanceof Binary) return value.value().reduceRight((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
  const number = value instanceof Double ? value.value : value;
  return typeof number === 'number' && Number.isInteger(number) ? BigInt(number) : undefined;
}
