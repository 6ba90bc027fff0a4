import { BSONRegExp, MaxKey, MinKey } from 'bson';
import { encodeKey, encodeTypeBounds, successor } from '../bson/key-encoding.ts';
import { rank, rankOf, type Value } from '../bson/value.ts';
import type { FieldFilter } from './filter.ts';
import { regexPrefix } from './regex.ts';

/** Range of encoded keys: from ≤ key < to. */
export type KeyRange = { from: Buffer; to: Buffer };

/** Bounds of one field of an index from the conditions on it: exact points, or ranges; ascending and disjoint. */
export type FieldBounds = { kind: 'points'; keys: Buffer[] } | { kind: 'ranges'; ranges: KeyRange[] };

/** Sorts after every key, which starts with a type byte or its inverse. */
export const afterAllKeys = Buffer.from([0xff]);
export const beforeAllKeys = Buffer.alloc(0);

/**
 * Computes the narrowest bounds that contain every matching document. With `single`, the field may be an array and
 * different elements may meet two conditions, so only one condition may narrow the bounds.
 */
export function fieldBounds(filters: FieldFilter[], descending: boolean, single: boolean): FieldBounds | undefined {
  const points = filters.map((filter) => pointsOf(filter, descending)).find((keys) => keys !== undefined);
  if (points) return { kind: 'points', keys: points };
  const all = filters.map((filter) => rangesOf(filter, descending)).filter((ranges) => ranges !== undefined);
  const [first] = all;
  if (!first) return undefined;
  return { kind: 'ranges', ranges: single ? first : all.reduce(intersections) };
}

function intersections(left: KeyRange[], right: KeyRange[]): KeyRange[] {
  const all = left.flatMap((one) => right.map((other) => intersection(one, other)));
  return all.filter(({ from, to }) => Buffer.compare(from, to) < 0);
}

function intersection(left: KeyRange, right: KeyRange): KeyRange {
  return {
    from: Buffer.compare(left.from, right.from) >= 0 ? left.from : right.from,
    to: Buffer.compare(left.to, right.to) <= 0 ? left.to : right.to,
  };
}

function pointsOf(filter: FieldFilter, descending: boolean): Buffer[] | undefined {
  const operands =
    filter.operator === '$eq' ? [filter.operand] : filter.operator === '$in' ? filter.operand : undefined;
  if (!Array.isArray(operands) || !operands.every(isPoint)) return undefined;
  const keys = operands.map((value) => encodeKey([{ value, descending }])).sort(Buffer.compare);
  return keys.filter((key, index) => !keys[index - 1]?.equals(key));
}

/** An array matches as a whole or by its elements, a regular expression matches text: neither is a single key. */
function isPoint(operand: Value): boolean {
  return !Array.isArray(operand) && !(operand instanceof BSONRegExp);
}

function rangesOf(filter: FieldFilter, descending: boolean): KeyRange[] | undefined {
  const { operator, operand } = filter;
  if (operator === '$regex') return operand instanceof BSONRegExp ? regexRanges(operand, descending) : undefined;
  if (!['$gt', '$gte', '$lt', '$lte'].includes(operator)) return undefined;
  if (Array.isArray(operand) || operand instanceof MinKey || operand instanceof MaxKey) return undefined;
  const type = encodeTypeBounds(rankOf(operand), descending);
  const key = encodeKey([{ value: operand, descending }]);
  const towardsEnd = (operator === '$gt' || operator === '$gte') !== descending;
  return [towardsEnd ? { from: key, to: type.after } : { from: type.first, to: successor(key) ?? type.after }];
}

/** `/^abc/` matches the strings with this prefix, and a stored regular expression that equals it. */
function regexRanges(expression: BSONRegExp, descending: boolean): KeyRange[] | undefined {
  const prefix = regexPrefix(expression.pattern, expression.options);
  if (prefix === undefined) return undefined;
  const key = encodeKey([{ value: prefix, descending }]);
  // Without its terminator, the key is a prefix of the keys of all longer strings.
  const open = key.subarray(0, key.length - 1);
  const strings = { from: open, to: successor(open) ?? encodeTypeBounds(rank.string, descending).after };
  const itself = encodeKey([{ value: expression, descending }]);
  const same = { from: itself, to: successor(itself) ?? encodeTypeBounds(rank.regex, descending).after };
  return descending ? [same, strings] : [strings, same];
}
