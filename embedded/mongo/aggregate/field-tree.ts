import { type Document, isDocument, isNumeric, type Maybe, type Value } from '../bson/value.ts';
import { MongoError, notSupported } from '../errors.ts';
import { isTruthy } from '../query/operators.ts';
import { parseExpression } from './expression.ts';
import type { Expression } from './operator.ts';

/** Rule for a field: kept unchanged, computed, or rules for its own fields. */
type Rule = { kind: 'kept' } | { kind: 'computed'; expression: Expression } | { kind: 'fields'; tree: FieldTree };
type FieldTree = { rules: Map<string, Rule>; computes: boolean };

type Spec = {
  /** Returns the rule of a value that is not a document of nested fields. */
  leaf: (path: string, value: Value) => Rule;
  conflict: (path: string) => MongoError;
};

/** Parses the operand of `$addFields`: every leaf is an expression. */
export function parseAddedFields(name: string, operand: Document): FieldTree {
  return parseTree(operand, {
    leaf: (_, value) => computed(value),
    conflict: (path) =>
      new MongoError('Location40176', `Invalid ${name} specification: '${path}' conflicts with another path`),
  });
}

/** Parses the operand of a `$project` that computes: truthy flags keep a field, other values are expressions. */
export function parseComputedProjection(operand: Document): FieldTree {
  const keepsId = operand.get('_id');
  if (keepsId !== undefined && !isFlag(keepsId)) throw notSupported('an _id that $project computes; use $set');
  const others = new Map([...operand].filter(([name]) => name !== '_id'));
  const tree = parseTree(others, {
    leaf: (path, value) => {
      if (!isFlag(value)) return computed(value);
      if (isTruthy(value)) return { kind: 'kept' };
      throw new MongoError('Location31254', `Cannot do exclusion on field ${path} in inclusion projection`);
    },
    conflict: (path) => new MongoError('Location31249', `Path collision at ${path}`),
  });
  if (keepsId === undefined || isTruthy(keepsId)) tree.rules.set('_id', { kind: 'kept' });
  return tree;
}

function isFlag(value: Value): boolean {
  return isNumeric(value) || typeof value === 'boolean';
}

function computed(value: Value): Rule {
  // The fields that the expression reads are not recorded, because the stage needs the whole document.
  return { kind: 'computed', expression: parseExpression(value, { names: new Set(), all: false }) };
}

function parseTree(operand: Document, spec: Spec): FieldTree {
  if (operand.size === 0) throw new MongoError('Location51272', 'the specification must have at least one field');
  const root: FieldTree = { rules: new Map(), computes: false };
  for (const [path, value] of operand) addRule(root, path, path, value, spec);
  return root;
}

function addRule(tree: FieldTree, path: string, whole: string, value: Value, spec: Spec): void {
  const [name = '', ...rest] = path.split('.');
  if (name === '' || rest.includes('')) throw new MongoError('Location40353', `FieldPath '${whole}' has an empty part`);
  if (path.startsWith('$'))
    throw new MongoError('Location16410', `FieldPath field names may not start with '$': ${path}`);
  const present = tree.rules.get(name);
  if (rest.length === 0 && !isFields(value)) {
    if (present) throw spec.conflict(whole);
    const rule = spec.leaf(whole, value);
    tree.rules.set(name, rule);
    tree.computes ||= rule.kind === 'computed';
    return;
  }
  if (present && present.kind !== 'fields') throw spec.conflict(whole);
  const inner = present?.tree ?? { rules: new Map(), computes: false };
  tree.rules.set(name, { kind: 'fields', tree: inner });
  if (rest.length > 0) addRule(inner, rest.join('.'), whole, value, spec);
  else if (isFields(value)) for (const [one, within] of value) addRule(inner, one, `${whole}.${one}`, within, spec);
  tree.computes ||= inner.computes;
}

/** Whether a value is a document of nested fields and not an operator. */
function isFields(value: Value): value is Document {
  if (!isDocument(value)) return false;
  if (value.size === 0) throw notSupported('an empty document among the fields of a stage');
  return ![...value.keys()][0]?.startsWith('$');
}

/** Copies a document and sets the computed fields; in an array, in each of its documents. */
export function addFieldsTo(document: Document, tree: FieldTree, root: Document): Document {
  const result: Document = new Map(document);
  for (const [name, rule] of tree.rules) {
    const value = rule.kind === 'fields' ? addWithin(result.get(name), rule.tree, root) : computedValue(rule, root);
    if (value === undefined) result.delete(name);
    else result.set(name, value);
  }
  return result;
}

function computedValue(rule: Rule, root: Document): Maybe {
  return rule.kind === 'computed' ? rule.expression(root) : undefined;
}

/** Adds fields to a value; a value that is not a document is replaced by a new document. */
function addWithin(value: Maybe, tree: FieldTree, root: Document): Value {
  if (Array.isArray(value)) return value.map((element) => addWithin(element, tree, root));
  return addFieldsTo(value instanceof Map ? value : new Map(), tree, root);
}

/** Keeps fields in the order of the document, then appends computed fields in the order of the stage. */
export function project(document: Document, tree: FieldTree, root: Document): Document {
  const result: Document = new Map();
  for (const [name, value] of document) {
    const rule = tree.rules.get(name);
    if (rule?.kind === 'kept') result.set(name, value);
    if (rule?.kind !== 'fields') continue;
    const inner = projectWithin(value, rule.tree, root);
    if (inner !== undefined) result.set(name, inner);
  }
  for (const [name, rule] of tree.rules) {
    if (rule.kind === 'kept' || result.has(name)) continue;
    const creates = rule.kind === 'fields' && rule.tree.computes && !document.has(name);
    const value = creates ? project(new Map(), rule.tree, root) : computedValue(rule, root);
    if (value !== undefined) result.set(name, value);
  }
  return result;
}

function projectWithin(value: Value, tree: FieldTree, root: Document): Maybe {
  if (value instanceof Map) return project(value, tree, root);
  if (Array.isArray(value)) {
    return value.map((element) => projectWithin(element, tree, root)).filter((element) => element !== undefined);
  }
  return tree.computes ? project(new Map(), tree, root) : undefined;
}
