import type { Document, Maybe, Value } from '../bson/value.ts';
import { MongoError } from '../errors.ts';

/** A compiled expression; undefined is a missing value. */
export type Expression = (root: Document) => Maybe;
export type Parse = (value: Value) => Expression;
/** From the operand of an operator to its expression. */
export type Compile = (operand: Value, parse: Parse) => Expression;

/** Operands in a list, or one that stands alone. Throws Location16020 for another number of them. */
export function operands(name: string, operand: Value, parse: Parse, least: number, most = least): Expression[] {
  const listed = Array.isArray(operand) ? operand : [operand];
  if (listed.length >= least && listed.length <= most) return listed.map(parse);
  const wanted = least === most ? `exactly ${least}` : `at least ${least}`;
  throw new MongoError(
    'Location16020',
    `Expression ${name} takes ${wanted} arguments. ${listed.length} were passed in.`,
  );
}

/** An operator of one operand. */
export function unary(name: string, compute: (value: Maybe) => Maybe): [string, Compile] {
  return [
    name,
    (operand, parse) => {
      const [only] = operands(name, operand, parse, 1);
      return (root) => compute(only?.(root));
    },
  ];
}

/** An operator of two operands. */
export function binary(name: string, compute: (left: Maybe, right: Maybe) => Maybe): [string, Compile] {
  return [
    name,
    (operand, parse) => {
      const [left, right] = operands(name, operand, parse, 2);
      return (root) => compute(left?.(root), right?.(root));
    },
  ];
}

/** An operator of any number of operands. */
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
