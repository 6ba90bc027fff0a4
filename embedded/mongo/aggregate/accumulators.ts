import { compareValues } from '../bson/compare.ts';
import { encodeKey } from '../bson/key-encoding.ts';
import { type Document, double, isNumeric, type Maybe, type Value } from '../bson/value.ts';
import { MongoError, notSupported } from '../errors.ts';
import { type Memory, sizeOf, take } from '../memory.ts';
import { parseExpression, type Reads } from './expression.ts';
import { addTo, asNumber, createSum, resultOf } from './numbers.ts';
import { type Expression, isNullish } from './operator.ts';
import { mergeObjects } from './value-operators.ts';

/** Running state of one accumulator of a group. */
export type Accumulation = { add: (value: Maybe) => void; result: () => Value };
type Accumulator = { field: string; expression: Expression; begin: (memory: Memory) => Accumulation };

const accumulations = new Map<string, (memory: Memory) => Accumulation>([
  ['$sum', () => sum()],
  ['$count', () => sum()],
  ['$avg', () => average()],
  ['$min', (memory) => extreme(-1, memory)],
  ['$max', (memory) => extreme(1, memory)],
  ['$first', (memory) => kept(false, memory)],
  ['$last', (memory) => kept(true, memory)],
  ['$push', (memory) => list(memory)],
  ['$addToSet', (memory) => set(memory)],
  ['$mergeObjects', (memory) => merge(memory)],
]);

const refused = new Set(
  [
    ...['accumulator', 'bottom', 'bottomN', 'firstN', 'lastN', 'maxN', 'median', 'minN', 'percentile', 'stdDevPop'],
    ...['stdDevSamp', 'top', 'topN'],
  ].map((name) => `$${name}`),
);

/**
 * Parses one field of a `$group`. Throws Location15952 for an unknown accumulator, CommandNotSupported for one that
 * MongoDB has.
 */
export function parseAccumulator(field: string, operand: Value, reads: Reads): Accumulator {
  if (field.includes('.')) throw new MongoError('Location40235', `The field name '${field}' cannot contain '.'`);
  if (!(operand instanceof Map))
    throw new MongoError('Location40234', `The field '${field}' must be an accumulator object`);
  const [entry, ...others] = operand;
  if (!entry || others.length > 0)
    throw new MongoError('Location40238', `The field '${field}' must specify one accumulator`);
  const [name, value] = entry;
  if (refused.has(name)) throw notSupported(`the aggregation operator ${name}`);
  const begin = accumulations.get(name);
  if (!begin) throw new MongoError('Location15952', `unknown group operator '${name}' for the field ${field}`);
  if (name !== '$count') return { field, begin, expression: parseExpression(soleOperand(name, value), reads) };
  if (!(value instanceof Map) || value.size > 0)
    throw new MongoError('TypeMismatch', '$count takes no arguments, i.e. $count:{}');
  return { field, begin, expression: () => 1 };
}

function soleOperand(name: string, value: Value): Value {
  if (!Array.isArray(value)) return value;
  if (value.length === 1) return value[0] ?? null;
  throw new MongoError('Location40237', `The ${name} accumulator is a unary operator`);
}

function sum(): Accumulation {
  const total = createSum();
  return {
    add: (value) => {
      if (isNumeric(value)) addTo(total, value);
    },
    result: () => resultOf(total),
  };
}

function average(): Accumulation {
  const total = createSum();
  let count = 0;
  return {
    add: (value) => {
      if (!isNumeric(value)) return;
      addTo(total, value);
      count++;
    },
    result: () => (count === 0 ? null : double(asNumber(total) / count)),
  };
}

function extreme(sign: 1 | -1, memory: Memory): Accumulation {
  let best: Maybe;
  return {
    add: (value) => {
      if (isNullish(value) || (best !== undefined && compareValues(value, best) * sign <= 0)) return;
      take(memory, sizeOf(value) - sizeOf(best));
      best = value;
    },
    result: () => best ?? null,
  };
}

function kept(isLast: boolean, memory: Memory): Accumulation {
  let found: { value: Value } | undefined;
  return {
    add: (value) => {
      if (found && !isLast) return;
      take(memory, sizeOf(value) - (found ? sizeOf(found.value) : 0));
      found = { value: value ?? null };
    },
    result: () => found?.value ?? null,
  };
}

function list(memory: Memory): Accumulation {
  const values: Value[] = [];
  return {
    add: (value) => {
      if (value === undefined) return;
      take(memory, sizeOf(value));
      values.push(value);
    },
    result: () => values,
  };
}

function set(memory: Memory): Accumulation {
  const values = new Map<string, Value>();
  return {
    add: (value) => {
      if (value === undefined) return;
      const key = encodeKey([{ value, descending: false }]).toString('latin1');
      if (values.has(key)) return;
      take(memory, key.length + 2 * sizeOf(value));
      values.set(key, value);
    },
    result: () => [...values.values()],
  };
}

function merge(memory: Memory): Accumulation {
  const merged: Document = new Map();
  return {
    add: (value) => {
      for (const [name, inner] of mergeObjects([value])) {
        take(memory, sizeOf(inner) - (merged.has(name) ? sizeOf(merged.get(name)) : 0));
        merged.set(name, inner);
      }
    },
    result: () => merged,
  };
}
