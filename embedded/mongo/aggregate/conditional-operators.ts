import type { Document, Maybe, Value } from '../bson/value.ts';
import { MongoError } from '../errors.ts';
import { isTruthy } from '../query/operators.ts';
import { type Compile, type Expression, isNullish, operands, type Parse, unary } from './operator.ts';

/** Operators that evaluate only some of their operands. */
export const conditionalOperators: [string, Compile][] = [
  unary('$not', (value) => !isTruthy(value)),
  [
    '$and',
    (operand, parse) => {
      const all = operands('$and', operand, parse, 0, Infinity);
      return (root) => all.every((one) => isTruthy(one(root)));
    },
  ],
  [
    '$or',
    (operand, parse) => {
      const all = operands('$or', operand, parse, 0, Infinity);
      return (root) => all.some((one) => isTruthy(one(root)));
    },
  ],
  [
    '$ifNull',
    (operand, parse) => {
      const all = operands('$ifNull', operand, parse, 2, Infinity);
      return (root) => firstPresent(all, root);
    },
  ],
  [
    '$cond',
    (operand, parse) => {
      const [test, then, otherwise] =
        operand instanceof Map ? condFields(operand, parse) : operands('$cond', operand, parse, 3);
      return (root) => (isTruthy(test?.(root)) ? then?.(root) : otherwise?.(root));
    },
  ],
  ['$switch', compileSwitch],
];

function firstPresent(all: Expression[], root: Document): Maybe {
  let value: Maybe;
  for (const one of all) {
    value = one(root);
    if (!isNullish(value)) return value;
  }
  return value;
}

const condNames = ['if', 'then', 'else'];

function condFields(operand: Document, parse: Parse): Expression[] {
  const unknown = [...operand.keys()].find((name) => !condNames.includes(name));
  if (unknown !== undefined) throw new MongoError('Location17083', `Unrecognized parameter to $cond: ${unknown}`);
  return condNames.map((name, at) => {
    const value = operand.get(name);
    if (value !== undefined) return parse(value);
    throw new MongoError(missingCond[at] ?? 'Location17080', `Missing '${name}' parameter to $cond`);
  });
}

const missingCond = ['Location17080', 'Location17081', 'Location17082'] as const;

type Branch = { test: Expression; result: Expression };

function compileSwitch(operand: Value, parse: Parse): Expression {
  if (!(operand instanceof Map)) throw new MongoError('Location40060', '$switch requires an object as an argument');
  const unknown = [...operand.keys()].find((name) => name !== 'branches' && name !== 'default');
  if (unknown !== undefined) throw new MongoError('Location40067', `$switch found an unknown argument: ${unknown}`);
  const listed = operand.get('branches');
  if (!Array.isArray(listed)) throw new MongoError('Location40061', "$switch expected an array for 'branches'");
  if (listed.length === 0) throw new MongoError('Location40068', '$switch requires at least one branch.');
  const branches = listed.map((branch) => parseBranch(branch, parse));
  const fallback = operand.get('default');
  const otherwise = fallback === undefined ? noBranch : parse(fallback);
  return (root) => {
    const branch = branches.find(({ test }) => isTruthy(test(root)));
    return branch ? branch.result(root) : otherwise(root);
  };
}

function parseBranch(branch: Value, parse: Parse): Branch {
  const test = branch instanceof Map ? branch.get('case') : undefined;
  const then = branch instanceof Map ? branch.get('then') : undefined;
  if (branch instanceof Map && branch.size === 2 && test !== undefined && then !== undefined) {
    return { test: parse(test), result: parse(then) };
  }
  throw new MongoError('Location40062', "$switch expected each branch to be an object with 'case' and 'then'");
}

function noBranch(): never {
  throw new MongoError(
    'Location40066',
    '$switch could not find a matching branch for an input, and no default was specified.',
  );
}
