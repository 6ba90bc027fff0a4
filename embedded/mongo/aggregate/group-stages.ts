import { compareValues } from '../bson/compare.ts';
import { type Document, rankOf, type Value } from '../bson/value.ts';
import { badValue, notSupported } from '../errors.ts';
import { requireDocument } from './own-stages.ts';

export type NamedStage = { name: string; operand: Value };

/** Expands a stage that MongoDB documents as shorthand for other stages; undefined for any other stage. */
export function expandStage({ name, operand }: NamedStage): NamedStage[] | undefined {
  if (name === '$sortByCount') return sortByCount(operand);
  return name === '$bucket' ? bucket(requireDocument(name, operand)) : undefined;
}

function sortByCount(operand: Value): NamedStage[] {
  const isExpression = operand instanceof Map || (typeof operand === 'string' && operand.startsWith('$'));
  if (!isExpression) throw badValue('$sortByCount needs an expression');
  return [
    { name: '$group', operand: record({ _id: operand, count: record({ $sum: 1 }) }) },
    { name: '$sort', operand: record({ count: -1 }) },
  ];
}

const bucketOptions = new Set(['groupBy', 'boundaries', 'default', 'output']);

function bucket(options: Document): NamedStage[] {
  for (const name of options.keys()) if (!bucketOptions.has(name)) throw badValue(`$bucket has no option ${name}`);
  const groupBy = options.get('groupBy');
  if (groupBy === undefined) throw badValue('$bucket needs groupBy');
  const boundaries = requireAscending(options.get('boundaries') ?? null);
  const branches = boundaries.slice(0, -1).map((lower, at) => {
    const upper = boundaries[at + 1] ?? null;
    const isWithin = [record({ $gte: [groupBy, literal(lower)] }), record({ $lt: [groupBy, literal(upper)] })];
    return new Map<string, Value>([
      ['case', record({ $and: isWithin })],
      ['then', literal(lower)],
    ]);
  });
  const other = options.get('default');
  if (other !== undefined) requireOutside(other, boundaries);
  const choice = record({ branches, ...(other === undefined ? {} : { default: literal(other) }) });
  const output = options.get('output') ?? record({ count: record({ $sum: 1 }) });
  const group = new Map([['_id', record({ $switch: choice })], ...requireDocument('output of $bucket', output)]);
  return [
    { name: '$group', operand: group },
    { name: '$sort', operand: record({ _id: 1 }) },
  ];
}

function requireAscending(boundaries: Value): Value[] {
  const isAscending =
    Array.isArray(boundaries) &&
    boundaries.length >= 2 &&
    boundaries.every((boundary, at) => at === 0 || compareValues(boundaries[at - 1], boundary) < 0);
  if (!isAscending) throw badValue('$bucket needs at least two boundaries in ascending order');
  boundaries.forEach(requireConstant);
  if (new Set(boundaries.map(rankOf)).size > 1) throw badValue('$bucket needs boundaries of one type');
  return boundaries;
}

/** MongoDB accepts constant expressions here; this server only accepts plain values. */
function requireConstant(value: Value): void {
  const isExpression =
    value instanceof Map || Array.isArray(value) || (typeof value === 'string' && value.startsWith('$'));
  if (isExpression) throw notSupported('an expression, a document or an array as a boundary or default of $bucket');
}

function requireOutside(value: Value, boundaries: Value[]): void {
  requireConstant(value);
  const isInside = compareValues(value, boundaries[0]) >= 0 && compareValues(value, boundaries.at(-1)) < 0;
  if (isInside)
    throw badValue('the default of $bucket must be less than the lowest boundary or not less than the highest');
}

const record = (fields: Record<string, Value>): Document => new Map(Object.entries(fields));
const literal = (value: Value): Document => record({ $literal: value });
