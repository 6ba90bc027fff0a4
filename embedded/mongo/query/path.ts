import type { Maybe, Value } from '../bson/value.ts';

/**
 * Called with each value a dotted path leads to; undefined for a missing field. `element` is the position in the
 * outermost array on the path, or -1. Returning true ends the walk.
 */
type PathVisitor = (value: Maybe, element: number) => boolean;

/** Whether arrays at the end of a path are entered (their elements first, then the array) or only visited whole. */
export type LeafArrays = 'enter' | 'whole';

/** Walks a path as queries do: enters documents within arrays, and takes a number in the path also as a position. */
export function somePathValue(root: Value, parts: readonly string[], leaf: LeafArrays, visit: PathVisitor): boolean {
  return walk(root, parts, 0, leaf, -1, visit);
}

function walk(
  value: Maybe,
  parts: readonly string[],
  at: number,
  leaf: LeafArrays,
  element: number,
  visit: PathVisitor,
): boolean {
  if (at === parts.length) return visitLeaf(value, leaf, element, visit);
  if (value instanceof Map) return walk(value.get(parts[at] ?? ''), parts, at + 1, leaf, element, visit);
  if (Array.isArray(value)) return walkArray(value, parts, at, leaf, element, visit);
  return visit(undefined, element);
}

function visitLeaf(value: Maybe, leaf: LeafArrays, element: number, visit: PathVisitor): boolean {
  if (leaf === 'enter' && Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      if (visit(value[index], element < 0 ? index : element)) return true;
    }
  }
  return visit(value, element);
}

function walkArray(
  array: Value[],
  parts: readonly string[],
  at: number,
  leaf: LeafArrays,
  element: number,
  visit: PathVisitor,
): boolean {
  const position = arrayPosition(parts[at] ?? '');
  for (let index = 0; index < array.length; index++) {
    const value = array[index];
    const outermost = element < 0 ? index : element;
    if (value instanceof Map && walk(value, parts, at, leaf, outermost, visit)) return true;
    if (index !== position) continue;
    // An element addressed by position at the end of the path is visited whole, also when it is an array.
    if (at + 1 === parts.length ? visit(value, outermost) : walk(value, parts, at + 1, leaf, outermost, visit)) {
      return true;
    }
  }
  return false;
}

const nine = '9'.charCodeAt(0);

/** Parses a path part as an array position; -1 for a name. */
export function arrayPosition(part: string): number {
  // Fast path: this function is hot, and most parts are names.
  return part.charCodeAt(0) <= nine && /^(0|[1-9]\d{0,8})$/.test(part) ? Number(part) : -1;
}

/** Returns the value at a path as an update without `$` operators does: enters arrays only by position. */
export function valueAt(root: Maybe, parts: readonly string[]): Maybe {
  let value = root;
  for (const part of parts) {
    if (value instanceof Map) value = value.get(part);
    else if (Array.isArray(value)) value = value[arrayPosition(part)];
    else return undefined;
  }
  return value;
}
