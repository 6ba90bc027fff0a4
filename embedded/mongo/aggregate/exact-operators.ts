import type { evalExpr } from 'mingo/core';
import type * as AccumulatorModule from 'mingo/operators/accumulator';
import { compareValues } from '../bson/compare.ts';
import { encodeKey } from '../bson/key-encoding.ts';
import type { Maybe } from '../bson/value.ts';
import { badValue } from '../errors.ts';
import { isTruthy } from '../query/operators.ts';
import { fromPlain } from './plain-values.ts';

type Evaluate = typeof evalExpr;
type Plain = ReturnType<Evaluate>;
type Options = Parameters<Evaluate>[2];
type Accumulator = typeof AccumulatorModule.$push;

/**
 * The expressions that mingo answers other than MongoDB: its comparisons enter arrays as a query does and order types
 * in a way of their own, its `$switch` without a match and its `$size` of no array are silent.
 */
export function exactExpressions(evaluate: Evaluate) {
  const order = (object: Plain, operands: Plain, options: Options): number => {
    const [left, right] = evaluate(object, operands, options) as unknown[];
    return Math.sign(compareValues(fromPlain(left), fromPlain(right)));
  };
  return {
    $cmp: order,
    $eq: (...operation: Parameters<typeof order>) => order(...operation) === 0,
    $ne: (...operation: Parameters<typeof order>) => order(...operation) !== 0,
    $gt: (...operation: Parameters<typeof order>) => order(...operation) > 0,
    $gte: (...operation: Parameters<typeof order>) => order(...operation) >= 0,
    $lt: (...operation: Parameters<typeof order>) => order(...operation) < 0,
    $lte: (...operation: Parameters<typeof order>) => order(...operation) <= 0,
    $size: (object: Plain, operand: Plain, options: Options) => {
      const value: unknown = evaluate(object, operand, options);
      if (Array.isArray(value)) return value.length;
      throw badValue('The argument of $size must be an array');
    },
    $switch: (object: Plain, operand: Plain, options: Options) => {
      const { branches, ...others } = operand as { branches: { case: Plain; then: Plain }[]; default?: Plain };
      const branch = branches.find((one) => isTruthy(fromPlain(evaluate(object, one.case, options))));
      if (branch) return evaluate(object, branch.then, options);
      if ('default' in others) return evaluate(object, others.default ?? null, options);
      throw badValue('$switch found no branch that matches, and has no default');
    },
  };
}

/** The accumulators that mingo answers other than MongoDB: missing values are no values, and `$top` is one value. */
export function exactAccumulators(evaluate: Evaluate, { $topN, $bottomN }: typeof AccumulatorModule) {
  const valuesOf = (documents: Plain[], expression: Plain, options: Options): Plain[] => {
    // In a window there is nothing to evaluate any more.
    const values = expression === null ? documents : documents.map((one) => evaluate(one, expression, baseOf(options)));
    return values.filter((value: unknown) => value !== undefined);
  };
  const first = (several: typeof $topN | typeof $bottomN): Accumulator => {
    return (documents, expression, options) => {
      const operand = { ...(expression as object), n: 1 } as Parameters<typeof $topN>[1];
      return (several(documents as Parameters<typeof $topN>[0], operand, options)[0] ??
        null) as ReturnType<Accumulator>;
    };
  };
  return {
    $push: (documents: Plain[], expression: Plain, options: Options) => valuesOf(documents, expression, options),
    $addToSet: (documents: Plain[], expression: Plain, options: Options) =>
      distinct(valuesOf(documents, expression, options)),
    $min: (documents: Plain[], expression: Plain, options: Options) =>
      extreme(valuesOf(documents, expression, options), -1),
    $max: (documents: Plain[], expression: Plain, options: Options) =>
      extreme(valuesOf(documents, expression, options), 1),
    $top: first($topN),
    $bottom: first($bottomN),
  };
}

/** Without what an outer evaluation noted, so that each document is its own root. */
function baseOf(options: Options): Options {
  return (options as { options?: Options }).options ?? options;
}

function distinct(values: Plain[]): Plain[] {
  const byKey = new Map(
    values.map((value) => [encodeKey([{ value: fromPlain(value), descending: false }]).toString('latin1'), value]),
  );
  return [...byKey.values()];
}

function extreme(plains: Plain[], sign: 1 | -1): Plain {
  let best: { plain: Plain; value: Maybe } | undefined;
  for (const plain of plains) {
    const value = fromPlain(plain);
    if (value === undefined || value === null) continue;
    if (!best || compareValues(value, best.value) * sign > 0) best = { plain, value };
  }
  return best ? best.plain : null;
}
