import { Timestamp } from 'bson';
import { compareValues } from '../bson/compare.ts';
import { formatValue } from '../bson/format.ts';
import { isNumeric, type Maybe, type NumericValue, typeOf, type Value } from '../bson/value.ts';
import { badValue, MongoError } from '../errors.ts';
import { calculate, type Operation, zeroLike } from './arithmetic.ts';
import { arrayOperators } from './array-operators.ts';
import type { Modifier } from './modify.ts';

/** Operators that change one field. The update itself handles `$rename` and `$setOnInsert`. */
export const updateOperators = new Map<string, (operand: Value, path: string) => Modifier>([
  ['$set', (operand) => ({ creates: true, modify: () => operand })],
  ['$setOnInsert', (operand) => ({ creates: true, modify: () => operand })],
  ['$unset', () => ({ creates: false, modify: () => undefined })],
  ['$inc', (operand, path) => arithmetic('$inc', 'add', operand, path)],
  ['$mul', (operand, path) => arithmetic('$mul', 'multiply', operand, path)],
  ['$min', (operand) => extreme(operand, (order) => order < 0)],
  ['$max', (operand) => extreme(operand, (order) => order > 0)],
  ['$currentDate', (operand) => currentDate(operand)],
  ...arrayOperators,
]);

function arithmetic(name: string, operation: Operation, operand: Value, path: string): Modifier {
  if (!isNumeric(operand)) {
    throw new MongoError(
      'TypeMismatch',
      `Cannot ${name} the field "${path}" with the non-numeric ${formatValue(operand)}`,
    );
  }
  return {
    creates: true,
    modify: (current) => {
      if (current === undefined) return operation === 'add' ? operand : zeroLike(operand);
      return calculate(operation, requireNumber(name, path, current), operand);
    },
  };
}

function requireNumber(name: string, path: string, current: Value): NumericValue {
  if (isNumeric(current)) return current;
  throw new MongoError(
    'TypeMismatch',
    `Cannot apply ${name} to a value of non-numeric type: the field "${path}" is of type ${typeOf(current).alias}`,
  );
}

function extreme(operand: Value, wins: (order: number) => boolean): Modifier {
  return {
    creates: true,
    modify: (current: Maybe) => (current === undefined || wins(compareValues(operand, current)) ? operand : current),
  };
}

let timestampIncrement = 0;

function currentDate(operand: Value): Modifier {
  const type =
    operand instanceof Map ? operand.get('$type') : operand === true || operand === false ? 'date' : undefined;
  if (type === 'date') return { creates: true, modify: () => new Date() };
  if (type !== 'timestamp') throw badValue('$currentDate needs true, { $type: "date" } or { $type: "timestamp" }');
  return {
    creates: true,
    modify: () => {
      timestampIncrement = (timestampIncrement + 1) & 0x7fffffff;
      return new Timestamp({ t: Math.floor(Date.now() / 1000), i: timestampIncrement });
    },
  };
}
