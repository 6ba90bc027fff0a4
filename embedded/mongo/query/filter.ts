import { BSONRegExp } from 'bson';
import type { Document, Maybe, Value } from '../bson/value.ts';
import { badValue, notSupported } from '../errors.ts';
import { elementTest, referenceFields } from './element-match.ts';
import { fieldOperators, type ValueTest } from './operators.ts';
import { type LeafArrays, somePathValue } from './path.ts';
import { compileRegex } from './regex.ts';

/** Index for the positional operator `$` of an update: the matched element of the outermost array, or -1. */
export type Position = { element: number };
type Test = (document: Document, position?: Position) => boolean;

/**
 * Parsed filter. `test` decides; the other properties let the planner choose an index. `name` is the top-level field of
 * the path.
 */
export type Filter =
  | { kind: 'and' | 'or' | 'nor' | 'not'; filters: Filter[]; test: Test }
  | { kind: 'field'; path: string; name: string; operator: string; operand: Value; test: Test };

/** Condition on the values at one path. */
export type FieldFilter = Extract<Filter, { kind: 'field' }>;

/** Parses a filter. Throws BadValue or CommandNotSupported, with the name of the unknown operator. */
export function parseFilter(document: Document): Filter {
  return allOf([...document].flatMap(([name, value]) => parseEntry(name, value)));
}

const unsupportedOperators = new Set(['$expr', '$where', '$text', '$jsonSchema', '$sampleRate']);

function parseEntry(name: string, value: Value): Filter[] {
  if (!name.startsWith('$') || referenceFields.has(name)) return parseField(name, value);
  switch (name) {
    case '$and':
      return parseBranches(name, value);
    case '$or':
      return [anyOf(parseBranches(name, value))];
    case '$nor':
      return [noneOf(parseBranches(name, value))];
    case '$comment':
      return [];
  }
  if (unsupportedOperators.has(name)) throw notSupported(`the query operator ${name}`);
  throw badValue(`Unknown top-level query operator ${name}`);
}

function parseBranches(name: string, value: Value): Filter[] {
  if (!Array.isArray(value) || value.length === 0) throw badValue(`${name} must be a nonempty array`);
  return value.map((branch) => {
    if (!(branch instanceof Map)) throw badValue(`${name} needs an array of filters`);
    return parseFilter(branch);
  });
}

/** Parses the condition on a field: a document of operators, or a value for equality. */
export function parseField(path: string, condition: Value): Filter[] {
  if (condition instanceof BSONRegExp) return [fieldFilter(path, '$regex', condition)];
  if (!isOperators(condition)) return [fieldFilter(path, '$eq', condition)];
  return [...condition].flatMap(([operator, operand]) => parseOperator(path, operator, operand, condition));
}

/**
 * Whether a condition is a document of operators, as `{ $gt: 1 }`; DBRefs and other documents are compared for
 * equality.
 */
export function isOperators(condition: Value): condition is Document {
  if (!(condition instanceof Map)) return false;
  const [first] = condition.keys();
  return first?.startsWith('$') === true && !referenceFields.has(first);
}

function parseOperator(path: string, operator: string, operand: Value, condition: Document): Filter[] {
  switch (operator) {
    case '$options':
      if (!condition.has('$regex')) throw badValue('$options needs a $regex');
      return [];
    case '$regex':
      return [fieldFilter(path, '$regex', compileRegexOperand(operand, condition.get('$options')))];
    case '$ne':
      if (operand instanceof BSONRegExp) throw badValue('$ne cannot have a regular expression');
      return [negated(fieldFilter(path, '$eq', operand))];
    case '$nin':
      return [negated(fieldFilter(path, '$in', operand))];
    case '$not':
      return [negated(parseNot(path, operand))];
    case '$all':
      return parseAll(path, operand);
    case '$elemMatch':
      return [pathFilter(path, operator, operand, 'whole', elementTest(operand, { parseFilter, parseField }))];
    default:
      return [fieldFilter(path, operator, operand)];
  }
}

function compileRegexOperand(operand: Value, options: Maybe): BSONRegExp {
  if (options !== undefined && typeof options !== 'string') throw badValue('$options needs a string');
  if (operand instanceof BSONRegExp) return new BSONRegExp(operand.pattern, options ?? operand.options);
  if (typeof operand !== 'string') throw badValue('$regex needs a string or a regular expression');
  compileRegex(operand, options ?? '');
  return new BSONRegExp(operand, options ?? '');
}

function parseNot(path: string, operand: Value): Filter {
  if (operand instanceof BSONRegExp) return fieldFilter(path, '$regex', operand);
  if (!isOperators(operand)) throw badValue('$not needs a document of operators or a regular expression');
  return allOf(parseField(path, operand));
}

function parseAll(path: string, operand: Value): Filter[] {
  if (!Array.isArray(operand)) throw badValue('$all needs an array');
  if (operand.length === 0) return [anyOf([])];
  return operand.flatMap((wanted) => {
    if (!isOperators(wanted)) return parseField(path, wanted);
    if ([...wanted.keys()].join() !== '$elemMatch') throw badValue('$all holds an operator that is not $elemMatch');
    return parseField(path, wanted);
  });
}

const geographicOperators = new Set(
  ['near', 'nearSphere', 'geoNear', 'geoWithin', 'within', 'geoIntersects', 'minDistance', 'maxDistance'].map(
    (name) => `$${name}`,
  ),
);

function fieldFilter(path: string, operator: string, operand: Value): Filter {
  const compile = fieldOperators.get(operator);
  if (geographicOperators.has(operator)) throw notSupported(`the query operator ${operator}`);
  if (!compile) throw badValue(`Unknown query operator ${operator} on the field "${path}"`);
  const { leaf, test, isNegated } = compile(operand);
  const filter = pathFilter(path, operator, operand, leaf, test);
  return isNegated ? negated(filter) : filter;
}

type ElementTest = ValueTest | ((value: Maybe, position?: Position) => boolean);

function pathFilter(path: string, operator: string, operand: Value, leaf: LeafArrays, accepts: ElementTest): Filter {
  const parts = path.split('.');
  const test: Test = (document, position) =>
    somePathValue(document, parts, leaf, (value, element) => {
      const inner = { element: -1 };
      if (!accepts(value, inner)) return false;
      if (position) notePosition(position, element < 0 ? inner.element : element);
      return true;
    });
  return { kind: 'field', path, name: parts[0] ?? '', operator, operand, test };
}

function notePosition(position: Position, element: number): void {
  if (element >= 0) position.element = element;
}

export function allOf(filters: Filter[]): Filter {
  const [first] = filters;
  if (first && filters.length === 1) return first;
  const test: Test = (document, position) => {
    for (const filter of filters) if (!filter.test(document, position)) return false;
    return true;
  };
  return { kind: 'and', filters, test };
}

function anyOf(filters: Filter[]): Filter {
  return { kind: 'or', filters, test: (document, position) => filters.some((one) => one.test(document, position)) };
}

function noneOf(filters: Filter[]): Filter {
  return { kind: 'nor', filters, test: (document) => !filters.some((filter) => filter.test(document)) };
}

function negated(filter: Filter): Filter {
  return { kind: 'not', filters: [filter], test: (document) => !filter.test(document) };
}

/** Top-level fields that a filter reads; others need not be decoded. */
export function fieldsOf(filter: Filter, names = new Set<string>()): Set<string> {
  if (filter.kind === 'field') names.add(filter.name);
  else for (const inner of filter.filters) fieldsOf(inner, names);
  return names;
}
