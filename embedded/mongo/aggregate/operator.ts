import type { Document, Maybe, Value } from '../bson/value.ts';
import { MongoError } from '../errors.ts';

/** Compiled expression; undefined is a missing value. */
export type Expression = (root: Document) => Maybe;
export type Parse = (value: Value) => Expression;
/** Compiles the operand of an operator to an expression. */
export type Compile = (operand: Value, parse: Parse) => Expression;

/** Parses a list of operands, or a single one. Throws Location16020 when their number is out of range. */
export function operands(name: string, operand: Value, parse: Parse, min: number, max = min): Expression[] {
  const listed = Array.isArray(operand) ? operand : [operand];
  if (listed.length >= min && listed.length <= max) return listed.map(parse);
  const expected = min === max ? `exactly ${min}` : `at least ${min}`;
  throw new MongoError(
    'Location16020',
    `Expression ${name} takes ${expected} arguments. ${listed.length} were passed in.`,
  );
}

/** Defines an operator with one operand. */
export function unary(name: string, compute: (value: Maybe) => Maybe): [string, Compile] {
  return [
    name,
    (operand, parse) => {
      const [only] = operands(name, operand, parse, 1);
      return (root) => compute(only?.(root));
    },
  ];
}

/** Defines an operator with two operands. */
export function binary(name: string, compute: (left: Maybe, right: Maybe) => Maybe): [string, Compile] {
  return [
    name,
    (operand, parse) => {
      const [left, right] = operands(name, operand, parse, 2);
      return (root) => compute(left?.(root), right?.(root));
    },
  ];
}

/** Defines an operator with any number of operands. */
export function variadic(name: string, compute: (values: Maybe[]) => Maybe): [string, Compile] {
  return [
    name,
    (operand, parse) => {
      const all = operands(name, operand, parse, 0, Infinity);
      return (root) => compute(all.map((one) => one(root)));
    },
  ];
}

export function isNullish(value: Maybe): value is null | undefined {
  return value === null || value === undefined;
}
