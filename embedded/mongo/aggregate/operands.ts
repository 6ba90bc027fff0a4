import type { Value } from '../bson/value.ts';

/** MongoDB takes `{ $size: ['$tags'] }` for `{ $size: '$tags' }`; mingo would take the size of the list. */
const ofOne = new Set(
  [
    ...['abs', 'ceil', 'exp', 'floor', 'ln', 'log10', 'sqrt', 'bitNot', 'isNumber'],
    ...['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh'],
    ...['degreesToRadians', 'radiansToDegrees', 'toString', 'toBool', 'toDouble', 'toInt', 'toLong', 'toDate'],
    ...['toLower', 'toUpper', 'strLenCP', 'strLenBytes', 'size', 'isArray', 'reverseArray', 'first', 'last'],
    ...['sum', 'avg', 'max', 'min', 'stdDevPop', 'stdDevSamp', 'mergeObjects', 'objectToArray', 'arrayToObject'],
    ...['year', 'month', 'dayOfMonth', 'dayOfYear', 'dayOfWeek', 'week', 'isoWeek', 'isoWeekYear', 'isoDayOfWeek'],
    ...['hour', 'minute', 'second', 'millisecond'],
  ].map((name) => `$${name}`),
);

/** And it takes `{ $round: '$price' }` for `{ $round: ['$price'] }`, which mingo refuses. */
const ofSeveral = new Set(
  ['round', 'trunc', 'add', 'multiply', 'and', 'or', 'concat', 'concatArrays', 'setUnion', 'setIntersection'].map(
    (name) => `$${name}`,
  ),
);

/** The operand of an operator in the form that mingo understands as MongoDB does. */
export function operandFor(operator: string, operand: Value): Value {
  if (ofOne.has(operator) && Array.isArray(operand) && operand.length === 1) return operand[0] ?? null;
  if (operator === '$dateFromParts' && operand instanceof Map && operand.has('year')) {
    return new Map<string, Value>([['month', 1], ['day', 1], ...operand]);
  }
  if (ofSeveral.has(operator) && !Array.isArray(operand)) return [operand];
  return operand;
}
