import { equalValues } from '../bson/compare.ts';
import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import type { Document, Maybe, Value } from '../bson/value.ts';
import { badValue, MongoError, notSupported } from '../errors.ts';
import { arrayPosition, valueAt } from '../query/path.ts';
import { type Modifier, modifyPath, type Positional } from './modify.ts';
import { updateOperators } from './operators.ts';

type Change = { path: string; parts: string[]; onInsertOnly: boolean; apply: Modifier | { renamesTo: string[] } };

/** A parsed update: a whole new document, or changes in the order they are applied. */
export type Update =
  | { kind: 'replacement'; document: Document }
  | { kind: 'changes'; changes: Change[]; touched: ReadonlySet<string> };

/** Parses the `u` of an update statement. Throws FailedToParse, BadValue, ConflictingUpdateOperators and others. */
export function parseUpdate(update: Maybe): Update {
  if (Array.isArray(update)) throw notSupported('an update by an aggregation pipeline');
  if (!(update instanceof Map)) throw new MongoError('FailedToParse', 'Update argument must be an object');
  const [first] = update.keys();
  if (!first?.startsWith('$')) return parseReplacement(update);
  const changes = [...update].flatMap(([operator, fields]) => parseOperator(operator, fields));
  requireNoConflict(changes);
  changes.sort((left, right) => comparePaths(left.parts, right.parts));
  return { kind: 'changes', changes, touched: touchedNames(changes) };
}

function parseReplacement(document: Document): Update {
  const operator = [...document.keys()].find((name) => name.startsWith('$'));
  if (operator !== undefined)
    throw new MongoError('DollarPrefixedFieldName', `A replacement cannot have the field ${operator}`);
  return { kind: 'replacement', document };
}

function parseOperator(operator: string, fields: Value): Change[] {
  const create = updateOperators.get(operator);
  if (!create && operator !== '$rename') {
    throw new MongoError('FailedToParse', `Unknown update operator ${operator}, or one that is not supported`);
  }
  if (!(fields instanceof Map)) throw new MongoError('FailedToParse', `${operator} needs a document of fields`);
  return [...fields].flatMap(([path, operand]): Change[] => {
    const parts = parsePath(path);
    if (!create) return renameChanges(path, parts, operand);
    return [{ path, parts, onInsertOnly: operator === '$setOnInsert', apply: create(operand, path) }];
  });
}

function parsePath(path: string): string[] {
  const parts = path.split('.');
  if (parts.includes('')) throw new MongoError('EmptyFieldName', `The update path "${path}" has an empty part`);
  if (parts[0]?.startsWith('$')) {
    throw new MongoError('DollarPrefixedFieldName', `The update path "${path}" starts with a name that begins with $`);
  }
  const unknown = parts.find((part) => part.startsWith('$[') && part !== '$[]');
  if (unknown !== undefined) throw notSupported(`arrayFilters, here ${unknown} in "${path}"`);
  return parts;
}

function renameChanges(path: string, parts: string[], operand: Value): Change[] {
  if (typeof operand !== 'string') throw badValue(`$rename of "${path}" needs a new name`);
  const target = parsePath(operand);
  if ([...parts, ...target].some((part) => part.startsWith('$')))
    throw badValue('$rename cannot have positional parts');
  if (path === operand) throw badValue(`The source and target field for $rename must differ: ${path}`);
  const keep: Modifier = { creates: false, modify: (current) => current };
  // The target stands as a change of its own only so that conflicts with it are found.
  return [
    { path, parts, onInsertOnly: false, apply: { renamesTo: target } },
    { path: operand, parts: target, onInsertOnly: false, apply: keep },
  ];
}

function requireNoConflict(changes: Change[]): void {
  const paths = new Set<string>();
  for (const { path } of changes) {
    if (paths.has(path)) throw conflict(path);
    paths.add(path);
  }
  for (const { parts } of changes) {
    for (let length = 1; length < parts.length; length++) {
      const prefix = parts.slice(0, length).join('.');
      if (paths.has(prefix)) throw conflict(prefix);
    }
  }
}

function conflict(path: string): MongoError {
  return new MongoError(
    'ConflictingUpdateOperators',
    `Updating the path '${path}' would create a conflict at '${path}'`,
  );
}

/** Names in alphabetical order and positions in numeric order, so that new fields stand as in MongoDB. */
function comparePaths(left: string[], right: string[]): number {
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const [a = '', b = ''] = [left[index], right[index]];
    if (a === b) continue;
    const [aPosition, bPosition] = [arrayPosition(a), arrayPosition(b)];
    if (aPosition >= 0 && bPosition >= 0) return aPosition - bPosition;
    return a < b ? -1 : 1;
  }
  return left.length - right.length;
}

function touchedNames(changes: Change[]): Set<string> {
  return new Set(changes.map(({ parts }) => parts[0] ?? ''));
}

export type UpdateContext = { positional: Positional; isInsert: boolean };

/**
 * The document after the update. `document` may be changed in place, so it must not be shared.
 * Throws ImmutableField when _id would change.
 */
export function applyUpdate(update: Update, document: Document, context: UpdateContext): Document {
  const id = identityOf(document, update);
  const updated =
    update.kind === 'replacement' ? replaced(update.document, id) : changed(update.changes, document, context);
  if (id !== undefined && !equalValues(id, updated.get('_id'))) {
    throw new MongoError('ImmutableField', "The update would modify the immutable field '_id'");
  }
  return updated;
}

/** The _id as it is before the update; a copy where a path leads into it, which changes it in place. */
function identityOf(document: Document, update: Update): Maybe {
  const id = document.get('_id');
  if (!(id instanceof Map) || update.kind === 'replacement' || !update.touched.has('_id')) return id;
  return decodeDocument(encodeDocument(id));
}

function replaced(replacement: Document, id: Maybe): Document {
  if (id === undefined) return new Map(replacement);
  return new Map<string, Value>([['_id', id], ...replacement]);
}

function changed(changes: Change[], document: Document, context: UpdateContext): Document {
  for (const { parts, apply, onInsertOnly } of changes) {
    if (onInsertOnly && !context.isInsert) continue;
    if ('renamesTo' in apply) rename(document, parts, apply.renamesTo);
    else modifyPath(document, parts, apply, context.positional);
  }
  return document;
}

function rename(document: Document, from: string[], to: string[]): void {
  for (const parts of [from, to]) {
    for (let length = 1; length < parts.length; length++) {
      if (Array.isArray(valueAt(document, parts.slice(0, length))))
        throw badValue('$rename cannot pass through an array');
    }
  }
  const value = valueAt(document, from);
  if (value === undefined) return;
  const positional = { element: -1 };
  modifyPath(document, from, { creates: false, modify: () => undefined }, positional);
  modifyPath(document, to, { creates: true, modify: () => value }, positional);
}
