import { type Document, isDocument, type Maybe, type Value } from '../bson/value.ts';
import { MongoError, notSupported } from '../errors.ts';
import { conditionalOperators } from './conditional-operators.ts';
import { dateOperators } from './date-operators.ts';
import type { Compile, Expression } from './operator.ts';
import { valueOperators } from './value-operators.ts';

/** Top-level fields that an expression reads; `all` when it reads the whole document. */
export type Reads = { names: Set<string>; all: boolean };

const operators = new Map<string, Compile>([...valueOperators, ...conditionalOperators, ...dateOperators]);

/**
 * Compiles an aggregation expression. Supports only the operators that test/integration/embedded-mongo/suite specifies. Throws
 * InvalidPipelineOperator for an unknown name, CommandNotSupported for an operator that MongoDB has.
 */
export function parseExpression(value: Value, reads: Reads): Expression {
  if (typeof value === 'string' && value.startsWith('$')) return parsePath(value, reads);
  if (Array.isArray(value)) {
    const elements = value.map((element) => parseExpression(element, reads));
    return (root) => elements.map((element) => element(root) ?? null);
  }
  if (!isDocument(value)) return () => value;
  const [name = ''] = value.keys();
  return name.startsWith('$') ? parseOperator(name, value, reads) : parseObject(value, reads);
}

function parseObject(value: Document, reads: Reads): Expression {
  const fields = [...value].map(([name, inner]): [string, Expression] => {
    if (name.startsWith('$')) throw unknownOperator(name);
    if (name.includes('.')) throw new MongoError('Location16412', `An expression has a field with a dot: '${name}'`);
    return [name, parseExpression(inner, reads)];
  });
  return (root) => {
    const document: Document = new Map();
    for (const [name, field] of fields) {
      const result = field(root);
      if (result !== undefined) document.set(name, result);
    }
    return document;
  };
}

function parseOperator(name: string, value: Document, reads: Reads): Expression {
  if (value.size !== 1) {
    throw new MongoError('Location15983', `An expression has exactly one operator, but ${name} has others beside it`);
  }
  const operand = value.get(name) ?? null;
  if (name === '$literal') return () => operand;
  const compile = operators.get(name);
  if (!compile) throw unknownOperator(name);
  return compile(operand, (inner) => parseExpression(inner, reads));
}

function parsePath(path: string, reads: Reads): Expression {
  const parts = path.replace(/^\$\$?/, '').split('.');
  if (parts.includes('')) throw new MongoError('Location16872', `'${path}' is no valid field path`);
  const dollar = parts.find((part, at) => at > 0 && part.startsWith('$'));
  if (dollar) throw new MongoError('Location16410', `FieldPath field names may not start with '$': ${dollar}`);
  if (!path.startsWith('$$')) {
    reads.names.add(parts[0] ?? '');
    return (root) => valueAtPath(root, parts, 0);
  }
  const [variable = '', ...rest] = parts;
  if (variable === 'REMOVE') return () => undefined;
  if (variable !== 'ROOT' && variable !== 'CURRENT') throw unknownVariable(variable);
  reads.all = true;
  return rest.length === 0 ? (root) => root : (root) => valueAtPath(root, rest, 0);
}

/** Reads the value at a path of an expression. Maps over arrays of documents; a number in a path is a field name. */
function valueAtPath(document: Document, parts: readonly string[], at: number): Maybe {
  const value = document.get(parts[at] ?? '');
  if (at + 1 === parts.length) return value;
  if (value instanceof Map) return valueAtPath(value, parts, at + 1);
  if (!Array.isArray(value)) return undefined;
  return value
    .map((element) => (element instanceof Map ? valueAtPath(element, parts, at + 1) : undefined))
    .filter((found) => found !== undefined);
}

const variables = new Set(['NOW', 'CLUSTER_TIME', 'DESCEND', 'PRUNE', 'KEEP', 'SEARCH_META', 'USER_ROLES']);

function unknownVariable(name: string): MongoError {
  if (variables.has(name)) return notSupported(`the variable $$${name}`);
  return new MongoError('Location17276', `Use of undefined variable: ${name}`);
}

/** Operators of MongoDB that are rejected because no test proves that their results match. */
const refused = new Set(
  [
    ...['abs', 'accumulator', 'acos', 'acosh', 'allElementsTrue', 'anyElementTrue', 'arrayToObject', 'asin', 'asinh'],
    ...['atan', 'atan2', 'atanh', 'avg', 'binarySize', 'bitAnd', 'bitNot', 'bitOr', 'bitXor', 'bsonSize', 'ceil'],
    ...['convert', 'cos', 'cosh', 'dateAdd', 'dateDiff', 'dateFromParts', 'dateFromString', 'dateSubtract'],
    ...['dateToParts', 'dateToString', 'dateTrunc', 'degreesToRadians', 'exp', 'filter', 'first', 'firstN', 'floor'],
    ...['function', 'getField', 'indexOfArray', 'indexOfBytes', 'indexOfCP', 'isNumber', 'isoDayOfWeek', 'isoWeek'],
    ...['isoWeekYear', 'last', 'lastN', 'let', 'ln', 'log', 'log10', 'ltrim', 'map', 'max', 'maxN', 'median', 'meta'],
    ...['min', 'minN', 'objectToArray', 'percentile', 'pow', 'radiansToDegrees', 'rand', 'range', 'reduce'],
    ...['regexFind', 'regexFindAll', 'regexMatch', 'replaceAll', 'replaceOne', 'reverseArray', 'round', 'rtrim'],
    ...['sampleRate', 'setDifference', 'setEquals', 'setField', 'setIntersection', 'setIsSubset', 'setUnion', 'sin'],
    ...['sinh', 'slice', 'sortArray', 'split', 'sqrt', 'stdDevPop', 'stdDevSamp', 'strcasecmp', 'substr'],
    ...[
      'substrBytes',
      'substrCP',
      'sum',
      'tan',
      'tanh',
      'toBool',
      'toDate',
      'toDecimal',
      'toDouble',
      'toHashedIndexKey',
    ],
    ...['toInt', 'toLong', 'toObjectId', 'toString', 'trim', 'trunc', 'tsIncrement', 'tsSecond', 'unsetField', 'week'],
    ...['zip'],
  ].map((name) => `$${name}`),
);

function unknownOperator(name: string): MongoError {
  if (refused.has(name)) return notSupported(`the aggregation operator ${name}`);
  return new MongoError('InvalidPipelineOperator', `Unrecognized expression '${name}'`);
}
