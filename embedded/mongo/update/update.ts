import { parseUpdatePipeline, runStages } from '../aggregate/pipeline.ts';
import type { Stage } from '../aggregate/stage.ts';
import { equalValues } from '../bson/compare.ts';
import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import { formatValue } from '../bson/format.ts';
import type { Document, Maybe, Value } from '../bson/value.ts';
import { badValue, MongoError, notSupported } from '../errors.ts';
import { createMemory } from '../memory.ts';
import { valueAt } from '../query/path.ts';
import { pause } from '../slice.ts';
import { type ArrayFilters, noArrayFilters } from './array-filters.ts';
import { type Modifier, modifyPath } from './modify.ts';
import { updateOperators } from './operators.ts';
import {
  addPath,
  compareParts,
  createPathTree,
  isDynamic,
  isElements,
  type PathTree,
  visitPaths,
} from './path-tree.ts';

type Change = { path: string; parts: string[]; onInsertOnly: boolean; apply: Modifier | { renamesTo: string[] } };

/** Parsed update: a replacement document, a pipeline that computes it, or changes in the order of their application. */
export type Update = { kind: 'replacement'; document: Document } | { kind: 'pipeline'; stages: Stage[] } | Changes;

type Changes = {
  kind: 'changes';
  changes: Change[];
  touched: ReadonlySet<string>;
  arrayFilters: ArrayFilters;
  /** Set when paths resolve differently in each document. */
  dynamic: PathTree<Change> | undefined;
};

/** Parses the `u` of an update statement. Throws FailedToParse, BadValue, ConflictingUpdateOperators and others. */
export function parseUpdate(update: Maybe, arrayFilters: ArrayFilters = noArrayFilters): Update {
  if (Array.isArray(update)) {
    if (arrayFilters.size === 0) return { kind: 'pipeline', stages: parseUpdatePipeline(update) };
    throw new MongoError('FailedToParse', 'arrayFilters may not be specified for pipeline-style updates');
  }
  if (!(update instanceof Map)) throw new MongoError('FailedToParse', 'Update argument must be an object');
  const [first] = update.keys();
  const parsed = first?.startsWith('$') ? parseChanges(update, arrayFilters) : parseReplacement(update);
  requireUsed(arrayFilters, parsed, update);
  return parsed;
}

function parseChanges(update: Document, arrayFilters: ArrayFilters): Changes {
  const changes = [...update].flatMap(([operator, fields]) => parseOperator(operator, fields, arrayFilters));
  const tree = createPathTree<Change>();
  for (const change of changes) addPath(tree, change.parts, change);
  changes.sort((left, right) => comparePaths(left.parts, right.parts));
  const dynamic = changes.some(({ parts }) => parts.some(isDynamic)) ? tree : undefined;
  return { kind: 'changes', changes, touched: touchedNames(changes), arrayFilters, dynamic };
}

function requireUsed(arrayFilters: ArrayFilters, parsed: Update, update: Document): void {
  const used = new Set(parsed.kind === 'changes' ? parsed.changes.flatMap(({ parts }) => parts) : []);
  const unused = [...arrayFilters.keys()].sort().find((identifier) => !used.has(`$[${identifier}]`));
  if (unused === undefined) return;
  throw new MongoError(
    'FailedToParse',
    `The array filter for identifier '${unused}' was not used in the update ${formatValue(update)}`,
  );
}

function parseReplacement(document: Document): Update {
  const operator = [...document.keys()].find((name) => name.startsWith('$'));
  if (operator !== undefined)
    throw new MongoError('DollarPrefixedFieldName', `A replacement cannot have the field ${operator}`);
  return { kind: 'replacement', document };
}

function parseOperator(operator: string, fields: Value, arrayFilters: ArrayFilters): Change[] {
  const create = updateOperators.get(operator);
  if (!create && operator !== '$rename') {
    throw new MongoError('FailedToParse', `Unknown update operator ${operator}, or one that is not supported`);
  }
  if (!(fields instanceof Map)) throw new MongoError('FailedToParse', `${operator} needs a document of fields`);
  return [...fields].flatMap(([path, operand]): Change[] => {
    const parts = parsePath(path, arrayFilters);
    if (!create) return renameChanges(path, parts, operand, arrayFilters);
    return [{ path, parts, onInsertOnly: operator === '$setOnInsert', apply: create(operand, path) }];
  });
}

function parsePath(path: string, arrayFilters: ArrayFilters): string[] {
  const parts = path.split('.');
  if (parts.includes('')) throw new MongoError('EmptyFieldName', `The update path "${path}" has an empty part`);
  requireDynamicParts(path, parts, arrayFilters);
  if (parts[0]?.startsWith('$')) {
    throw new MongoError('DollarPrefixedFieldName', `The update path "${path}" starts with a name that begins with $`);
  }
  const unknown = parts.find((part) => part.startsWith('$[') && !isElements(part));
  if (unknown !== undefined) throw notSupported(`the field name ${unknown} in the update path "${path}"`);
  return parts;
}

/** Validates `$`, `$[]` and `$[identifier]` in a path. */
function requireDynamicParts(path: string, parts: string[], arrayFilters: ArrayFilters): void {
  const [first] = parts;
  if (first === '$') {
    throw badValue(`Cannot have positional (i.e. '$') element in the first position in path '${path}'`);
  }
  if (isElements(first)) {
    throw badValue(
      `Cannot have array filter identifier (i.e. '$[<id>]') element in the first position in path '${path}'`,
    );
  }
  if (parts.filter((part) => part === '$').length > 1) {
    throw badValue(`Too many positional (i.e. '$') elements found in path '${path}'`);
  }
  const missing = parts.find((part) => isElements(part) && part !== '$[]' && !arrayFilters.has(part.slice(2, -1)));
  if (missing === undefined) return;
  throw badValue(`No array filter found for identifier '${missing.slice(2, -1)}' in path '${path}'`);
}

function renameChanges(path: string, parts: string[], operand: Value, arrayFilters: ArrayFilters): Change[] {
  if (typeof operand !== 'string') throw badValue(`$rename of "${path}" needs a new name`);
  if (parts.some(isDynamic)) throw badValue(`The source field for $rename may not be dynamic: ${path}`);
  const target = parsePath(operand, arrayFilters);
  if (target.some(isDynamic)) throw badValue(`The destination field for $rename may not be dynamic: ${operand}`);
  if (path === operand) throw badValue(`The source and target field for $rename must differ: ${path}`);
  const keep: Modifier = { creates: false, modify: (current) => current };
  // The target is a no-op change, so that conflicts with it are detected.
  return [
    { path, parts, onInsertOnly: false, apply: { renamesTo: target } },
    { path: operand, parts: target, onInsertOnly: false, apply: keep },
  ];
}

function comparePaths(left: string[], right: string[]): number {
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const order = compareParts(left[index] ?? '', right[index] ?? '');
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function touchedNames(changes: Change[]): Set<string> {
  return new Set(changes.map(({ parts }) => parts[0] ?? ''));
}

type UpdateContext = {
  /** Position of the matched array element, for `$` in a path; -1 when the filter matched none. */
  element: number;
  isInsert: boolean;
};

/**
 * Returns the updated document. May change `document` in place, so it must not be shared. Throws ImmutableField when
 * _id would change.
 */
export function applyUpdate(update: Update, document: Document, context: UpdateContext): Document {
  const id = identityOf(document, update);
  const updated = updatedDocument(update, document, id, context);
  if (id !== undefined && !equalValues(id, updated.get('_id'))) {
    throw new MongoError('ImmutableField', "The update would modify the immutable field '_id'");
  }
  return updated;
}

/** The _id before the update; copied when a path leads into it, which changes it in place. */
function identityOf(document: Document, update: Update): Maybe {
  const id = document.get('_id');
  if (!(id instanceof Map) || update.kind !== 'changes' || !update.touched.has('_id')) return id;
  return decodeDocument(encodeDocument(id));
}

function updatedDocument(update: Update, document: Document, id: Maybe, context: UpdateContext): Document {
  if (update.kind === 'replacement') return withIdentity(update.document, id);
  if (update.kind === 'pipeline') return withIdentity(computed(update.stages, document), id);
  return changed(update, document, context);
}

/** Prepends the _id of the replaced document, unless the new document has one. */
function withIdentity(document: Document, id: Maybe): Document {
  if (id === undefined) return new Map(document);
  return new Map<string, Value>([['_id', id], ...document]);
}

/** Runs the pipeline of an update over one document. */
function computed(stages: Stage[], document: Document): Document {
  const [result] = runStages([document], stages, createMemory());
  if (result === undefined || result === pause) throw new Error('A stage of an update gave no document');
  const dollar = [...result.keys()].find((name) => name.startsWith('$'));
  if (dollar === undefined) return result;
  throw new MongoError('DollarPrefixedFieldName', `The update would create the field ${dollar}, which starts with $`);
}

function changed(update: Changes, document: Document, { element, isInsert }: UpdateContext): Document {
  const { changes, dynamic, arrayFilters } = update;
  if (!dynamic) {
    for (const change of changes) applyChange(document, change.parts, change, isInsert);
    return document;
  }
  const visit = (parts: string[], change: Change) => applyChange(document, parts, change, isInsert);
  visitPaths(dynamic, document, { arrayFilters, element, visit });
  return document;
}

function applyChange(document: Document, parts: string[], { apply, onInsertOnly }: Change, isInsert: boolean): void {
  if (onInsertOnly && !isInsert) return;
  if ('renamesTo' in apply) rename(document, parts, apply.renamesTo);
  else modifyPath(document, parts, apply);
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
  modifyPath(document, from, { creates: false, modify: () => undefined });
  modifyPath(document, to, { creates: true, modify: () => value });
}
