import { decodeDocument, decodePartly } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import type { Document, Maybe, Value } from '../bson/value.ts';
import { badValue, MongoError, notSupported } from '../errors.ts';
import { elementTest } from './element-match.ts';
import { type Filter, parseField, parseFilter } from './filter.ts';
import { isTruthy, toNumber } from './operators.ts';

export type Projection = {
  ofDocument: (document: Document) => Document;
  /** Projects a stored document, of which only fields with inner rules are decoded. */
  ofStored: (body: Buffer) => Buffer;
};

/** Selects the part of an array that a projection keeps; undefined drops the field. */
type ArrayRule = (value: Value, document: Document) => Maybe;
/** Rule for a field: kept or dropped whole, a rule for an array, or rules for its own fields. */
type Rule = { kind: 'whole' } | { kind: 'array'; keep: ArrayRule } | { kind: 'fields'; fields: Map<string, Rule> };
type Leaf = { path: string; isIncluded: boolean | undefined; rule: Rule };

/**
 * Compiles a find projection; undefined for one that keeps everything. Throws CommandNotSupported for expressions and
 * BadValue when it mixes kept and dropped fields.
 */
export function parseProjection(projection: Document, filter: Filter): Projection | undefined {
  if (projection.size === 0) return undefined;
  const leaves = [...projection].flatMap(([path, value]) => parseLeaf(path, value, filter));
  const others = leaves.filter((leaf) => leaf.path !== '_id' && leaf.isIncluded !== undefined);
  const idLeaf = leaves.find((leaf) => leaf.path === '_id');
  const decides = others[0] ?? idLeaf;
  const includes = decides?.isIncluded ?? false;
  if (others.some((leaf) => leaf.isIncluded !== includes)) {
    throw includes
      ? new MongoError('Location31254', 'Cannot do exclusion in an inclusion projection; only _id may differ')
      : new MongoError('Location31253', 'Cannot do inclusion in an exclusion projection; only _id may differ');
  }
  const keepsId = idLeaf ? idLeaf.isIncluded !== false : true;
  const root = new Map<string, Rule>();
  for (const leaf of leaves) if (leaf.path !== '_id') addRule(root, leaf.path.split('.'), leaf);
  if (keepsId === includes) root.set('_id', { kind: 'whole' });
  const ofDocument = (document: Document) =>
    includes ? keep(document, root, document) : drop(document, root, document);
  // A rule for an array may test the whole document.
  const isOfPaths = leaves.every(({ rule }) => rule.kind === 'whole');
  const inParts = new Set([...root].flatMap(([name, rule]) => (rule.kind === 'whole' ? [] : [name])));
  const decode = (body: Buffer) => (isOfPaths ? decodePartly(body, inParts) : decodeDocument(body));
  return { ofDocument, ofStored: (body) => encodeDocument(ofDocument(decode(body))) };
}

function parseLeaf(path: string, value: Value, filter: Filter): Leaf[] {
  if (path === '' || path.split('.').includes('')) throw badValue(`The projection path "${path}" has an empty part`);
  if (path.endsWith('.$')) return [positionalLeaf(path.slice(0, -2), value, filter)];
  if (path.split('.').some((part) => part.startsWith('$')))
    throw badValue(`The projection path "${path}" has a part that starts with $`);
  if (!(value instanceof Map)) {
    if (typeof value === 'string' || typeof value === 'object')
      throw notSupported(`the expression for "${path}" in a projection`);
    return [{ path, isIncluded: isTruthy(value), rule: { kind: 'whole' } }];
  }
  const [operator] = value.keys();
  if (operator === undefined) {
    throw new MongoError('Location51270', `An empty sub-projection is not a valid value. Found at "${path}"`);
  }
  if (!operator.startsWith('$'))
    return [...value].flatMap(([name, inner]) => parseLeaf(`${path}.${name}`, inner, filter));
  const operand = value.get(operator) ?? null;
  if (value.size > 1) throw badValue(`The projection of "${path}" has more than one operator`);
  if (operator === '$slice') return [{ path, isIncluded: undefined, rule: { kind: 'array', keep: slice(operand) } }];
  if (operator !== '$elemMatch') throw notSupported(`the projection operator ${operator}`);
  const test = elementTest(operand, { parseFilter, parseField });
  const keepFirst: ArrayRule = (array) => {
    const position = { element: -1 };
    return Array.isArray(array) && test(array, position)
      ? array.slice(position.element, position.element + 1)
      : undefined;
  };
  return [{ path, isIncluded: true, rule: { kind: 'array', keep: keepFirst } }];
}

function positionalLeaf(path: string, value: Value, filter: Filter): Leaf {
  if (!isTruthy(value)) throw badValue(`The positional projection "${path}.$" cannot drop`);
  const keepMatched: ArrayRule = (array, document) => {
    if (!Array.isArray(array)) return array;
    const position = { element: -1 };
    if (!filter.test(document, position) || position.element < 0) {
      throw new MongoError(
        'Location51246',
        `The positional projection "${path}.$" found no matching element of an array`,
      );
    }
    return array.slice(position.element, position.element + 1);
  };
  return { path, isIncluded: true, rule: { kind: 'array', keep: keepMatched } };
}

function slice(operand: Value): ArrayRule {
  const [skip, count] = Array.isArray(operand) ? operand.map(toNumber) : [undefined, toNumber(operand)];
  if (
    count === undefined ||
    !Number.isInteger(count) ||
    (skip !== undefined && !(Number.isInteger(skip) && count > 0))
  ) {
    throw badValue('$slice needs a whole number, or two with the second positive');
  }
  return (value) => {
    if (!Array.isArray(value)) return value;
    if (skip === undefined) return count < 0 ? value.slice(count) : value.slice(0, count);
    const start = skip < 0 ? Math.max(0, value.length + skip) : skip;
    return value.slice(start, start + count);
  };
}

function addRule(fields: Map<string, Rule>, parts: string[], leaf: Leaf): void {
  const [name = '', ...rest] = parts;
  const present = fields.get(name);
  if (rest.length === 0) {
    if (present) throw collision(leaf.path);
    fields.set(name, leaf.rule);
    return;
  }
  if (present && present.kind !== 'fields') throw collision(leaf.path);
  const inner = present ? present.fields : new Map<string, Rule>();
  if (!present) fields.set(name, { kind: 'fields', fields: inner });
  addRule(inner, rest, leaf);
}

function collision(path: string): MongoError {
  return new MongoError('Location31249', `Path collision at ${path}: the projection says two things about it`);
}

function keep(document: Document, rules: Map<string, Rule>, root: Document): Document {
  const kept: Document = new Map();
  for (const [name, value] of document) {
    const rule = rules.get(name);
    const result = rule && keepValue(value, rule, root);
    if (result !== undefined) kept.set(name, result);
  }
  return kept;
}

function keepValue(value: Value, rule: Rule, root: Document): Maybe {
  if (rule.kind === 'whole') return value;
  if (rule.kind === 'array') return rule.keep(value, root);
  if (value instanceof Map) return keep(value, rule.fields, root);
  if (!Array.isArray(value)) return undefined;
  // Within an array only documents and nested arrays have fields to keep.
  return value.map((element) => keepValue(element, rule, root)).filter((element) => element !== undefined);
}

function drop(document: Document, rules: Map<string, Rule>, root: Document): Document {
  const kept: Document = new Map();
  for (const [name, value] of document) {
    const rule = rules.get(name);
    const result = rule ? dropValue(value, rule, root) : value;
    if (result !== undefined) kept.set(name, result);
  }
  return kept;
}

function dropValue(value: Value, rule: Rule, root: Document): Maybe {
  if (rule.kind === 'whole') return undefined;
  if (rule.kind === 'array') return rule.keep(value, root);
  if (value instanceof Map) return drop(value, rule.fields, root);
  if (!Array.isArray(value)) return value;
  return value.map((element) => dropValue(element, rule, root) ?? null);
}
