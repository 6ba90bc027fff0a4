import { createRequire } from 'node:module';
import type * as AggregatorModule from 'mingo/aggregator';
import type * as CoreModule from 'mingo/core';
import type * as AccumulatorModule from 'mingo/operators/accumulator';
import type * as ExpressionModule from 'mingo/operators/expression';
import type * as PipelineModule from 'mingo/operators/pipeline';
import type * as ProjectionModule from 'mingo/operators/projection';
import type * as WindowModule from 'mingo/operators/window';
import { compareValues } from '../bson/compare.ts';
import type { Maybe } from '../bson/value.ts';
import { fromPlain } from './plain-values.ts';

type Options = Parameters<typeof CoreModule.evalExpr>[2];
type Result = ReturnType<typeof CoreModule.evalExpr>;
type Accumulator = typeof AccumulatorModule.$push;

export type Mingo = {
  /** Runs a stage over plain documents; the results come as they are asked for. */
  stream: (name: string, operand: unknown, documents: Iterable<object>) => Iterator<object>;
  expressionNames: ReadonlySet<string>;
};

let loaded: Mingo | undefined;

/** mingo, loaded by the first pipeline that computes: its modules take a tenth of a second and 18 MB. */
export function mingo(): Mingo {
  loaded ??= load();
  return loaded;
}

function load(): Mingo {
  const require = createRequire(import.meta.url);
  const core = require('mingo/core') as typeof CoreModule;
  const aggregator = require('mingo/aggregator') as typeof AggregatorModule;
  const accumulators = require('mingo/operators/accumulator') as typeof AccumulatorModule;
  const expressions = require('mingo/operators/expression') as typeof ExpressionModule;
  const window = require('mingo/operators/window') as typeof WindowModule;
  const projection = require('mingo/operators/projection') as typeof ProjectionModule;
  const context = core.Context.init({
    accumulator: { ...accumulators, ...exactAccumulators(accumulators.$push) },
    expression: { ...expressions, ...exactComparisons(core.evalExpr) },
    pipeline: require('mingo/operators/pipeline') as typeof PipelineModule,
    projection,
    window,
  });
  const operators = [expressions, accumulators, window, projection].flatMap((names) => Object.keys(names));
  return {
    stream: (name, operand, documents) => {
      // mingo's $setWindowFields is built on its $function; no pipeline of a client can name that one.
      const scriptEnabled = name === '$setWindowFields';
      return iterate(new aggregator.Aggregator([{ [name]: operand }], { context, scriptEnabled }).stream(documents));
    },
    expressionNames: new Set(operators),
  };
}

function* iterate(results: ReturnType<AggregatorModule.Aggregator['stream']>): Generator<object> {
  for (let next = results.next(); !next.done; next = results.next()) yield next.value as object;
}

/** mingo's own enter arrays as a query does and order types in a way of their own. */
function exactComparisons(evaluate: typeof CoreModule.evalExpr) {
  const comparison = (accepts: (order: number) => boolean) => (object: Result, operands: Result, options: Options) => {
    const [left, right] = evaluate(object, operands, options) as unknown[];
    return accepts(compareValues(fromPlain(left), fromPlain(right)));
  };
  return {
    $eq: comparison((order) => order === 0),
    $ne: comparison((order) => order !== 0),
    $gt: comparison((order) => order > 0),
    $gte: comparison((order) => order >= 0),
    $lt: comparison((order) => order < 0),
    $lte: comparison((order) => order <= 0),
    $cmp: (object: Result, operands: Result, options: Options) => {
      const [left, right] = evaluate(object, operands, options) as unknown[];
      return Math.sign(compareValues(fromPlain(left), fromPlain(right)));
    },
  };
}

function exactAccumulators(push: Accumulator) {
  const extreme =
    (sign: 1 | -1): Accumulator =>
    (...[documents, expression, options]) => {
      let best: { plain: unknown; value: Maybe } | undefined;
      for (const plain of push(documents, expression, options)) {
        const value = fromPlain(plain);
        if (value === undefined || value === null) continue;
        if (!best || compareValues(value, best.value) * sign > 0) best = { plain, value };
      }
      return (best?.plain ?? null) as ReturnType<Accumulator>;
    };
  return { $min: extreme(-1), $max: extreme(1) };
}
