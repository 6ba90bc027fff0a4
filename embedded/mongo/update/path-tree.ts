import { formatValue } from '../bson/format.ts';
import type { Document, Maybe } from '../bson/value.ts';
import { badValue, MongoError } from '../errors.ts';
import { arrayPosition } from '../query/path.ts';
import type { ArrayFilters } from './array-filters.ts';

/**
 * Trie of the paths of an update. A branch of kind `elements` has the parts `$[]` and `$[identifier]`; a branch of kind
 * `fields` has names, positions and `$`.
 */
export type PathTree<Change> = { kind: 'fields' | 'elements'; children: Map<string, PathNode<Change>> };
type PathNode<Change> = PathTree<Change> | { kind: 'change'; change: Change };

export function createPathTree<Change>(): PathTree<Change> {
  return { kind: 'fields', children: new Map() };
}

/** Whether a path part selects array elements: `$[]` or `$[identifier]`. */
export function isElements(part: string | undefined): boolean {
  return part?.startsWith('$[') === true && part.endsWith(']');
}

/** Whether a path part resolves differently in each document. */
export function isDynamic(part: string): boolean {
  return part === '$' || isElements(part);
}

/** Adds a path. Throws ConflictingUpdateOperators when it leads to, through or below an existing path. */
export function addPath<Change>(tree: PathTree<Change>, parts: readonly string[], change: Change): void {
  let branch = tree;
  for (const [at, part] of parts.entries()) {
    const present = branch.children.get(part);
    if (at + 1 === parts.length) {
      if (present) throw conflict(parts, parts.length);
      branch.children.set(part, { kind: 'change', change });
      return;
    }
    const kind = isElements(parts[at + 1]) ? 'elements' : 'fields';
    if (present && present.kind !== kind) throw conflict(parts, at + 1);
    const next: PathTree<Change> = present ?? { kind, children: new Map() };
    branch.children.set(part, next);
    branch = next;
  }
}

function conflict(parts: readonly string[], length: number): MongoError {
  const [path, at] = [parts.join('.'), parts.slice(0, length).join('.')];
  return new MongoError('ConflictingUpdateOperators', `Updating the path '${path}' would create a conflict at '${at}'`);
}

/** Orders names alphabetically and positions numerically, so that new fields are appended as in MongoDB. */
export function compareParts(left: string, right: string): number {
  if (left === right) return 0;
  const [leftPosition, rightPosition] = [arrayPosition(left), arrayPosition(right)];
  if (leftPosition >= 0 && rightPosition >= 0) return leftPosition - rightPosition;
  return left < right ? -1 : 1;
}

type Resolution = {
  arrayFilters: ArrayFilters;
  /** The position that `$` resolves to, or -1 when the filter matched no array. */
  element: number;
};

/** Called with each change and its resolved path in one document. */
type Visit<Change> = (parts: string[], change: Change) => void;

type Walk<Change> = Resolution & { visit: Visit<Change> };

/**
 * Visits the resolved paths of a tree in a document, in the order of their application. The visitor may apply a change
 * immediately: an element is selected before it is changed, and no two paths lead to one value. Throws BadValue where
 * the value is not an array, and ConflictingUpdateOperators when two changes meet at one element.
 */
export function visitPaths<Change>(tree: PathTree<Change>, document: Document, walk: Walk<Change>): void {
  visitNode(tree, document, [], walk);
}

function visitNode<Change>(node: PathNode<Change>, value: Maybe, taken: string[], walk: Walk<Change>): void {
  if (node.kind === 'change') walk.visit(taken, node.change);
  else if (node.kind === 'elements') visitElements(node, value, taken, walk);
  else visitFields(node, value, taken, walk);
}

function visitFields<Change>(node: PathTree<Change>, value: Maybe, taken: string[], walk: Walk<Change>): void {
  const children = new Map<string, PathNode<Change>>();
  for (const [part, child] of node.children) {
    const name = part === '$' ? matchedPosition(walk) : part;
    const present = children.get(name);
    children.set(name, present ? merged(present, child, [...taken, name]) : child);
  }
  for (const [name, child] of [...children].sort(([left], [right]) => compareParts(left, right))) {
    visitNode(child, childOf(value, name), [...taken, name], walk);
  }
}

function visitElements<Change>(node: PathTree<Change>, value: Maybe, taken: string[], walk: Walk<Change>): void {
  if (value === undefined) {
    throw badValue(`The path '${taken.join('.')}' must exist in the document in order to apply array updates.`);
  }
  if (!Array.isArray(value)) {
    throw badValue(`Cannot apply array updates to non-array element ${taken.at(-1)}: ${formatValue(value)}`);
  }
  const children = [...node.children].map(([part, child]) => {
    const identifier = part.slice(2, -1);
    return { identifier, filter: walk.arrayFilters.get(identifier), child };
  });
  for (const [at, element] of value.entries()) {
    const path = [...taken, String(at)];
    let match: PathNode<Change> | undefined;
    for (const { identifier, filter, child } of children) {
      if (filter && !filter.test(new Map([[identifier, element]]))) continue;
      match = match ? merged(match, child, path) : child;
    }
    if (match) visitNode(match, element, path, walk);
  }
}

function matchedPosition({ element }: Resolution): string {
  if (element >= 0) return String(element);
  throw badValue('The positional operator did not find the match needed from the query.');
}

function childOf(value: Maybe, name: string): Maybe {
  if (value instanceof Map) return value.get(name);
  return Array.isArray(value) ? value[arrayPosition(name)] : undefined;
}

/** Merges two nodes of one value. Throws ConflictingUpdateOperators when both change it, or in different ways. */
function merged<Change>(left: PathNode<Change>, right: PathNode<Change>, path: string[]): PathNode<Change> {
  if (left.kind === 'change' || right.kind === 'change' || left.kind !== right.kind) {
    throw new MongoError('ConflictingUpdateOperators', `Update created a conflict at '${path.join('.')}'`);
  }
  const children = new Map(left.children);
  for (const [part, child] of right.children) {
    const present = children.get(part);
    children.set(part, present ? merged(present, child, [...path, part]) : child);
  }
  return { kind: left.kind, children };
}
