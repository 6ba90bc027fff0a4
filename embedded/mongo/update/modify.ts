import { formatValue } from '../bson/format.ts';
import type { Document, Maybe, Value } from '../bson/value.ts';
import { badValue, MongoError } from '../errors.ts';
import { arrayPosition } from '../query/path.ts';

/** What an update operator does to one field. */
export type Modifier = {
  /** From the current value (undefined when missing) to the new one; undefined removes the field. */
  modify: (current: Maybe) => Maybe;
  /** Whether a missing field, and the documents on the way to it, come into being. */
  creates: boolean;
};

/** The position in an array that the filter matched, for `$` in a path; -1 when it matched none. */
export type Positional = { element: number };

/** How many elements an update may add to reach a position; MongoDB's own limit. */
const paddingLimit = 1_500_000;

/** Applies a modifier at a path of `document`, which is changed in place. Throws PathNotViable, BadValue. */
export function modifyPath(
  document: Document,
  parts: readonly string[],
  modifier: Modifier,
  positional: Positional,
): void {
  modifyIn(document, parts, modifier, positional);
}

function modifyIn(
  container: Document | Value[],
  parts: readonly string[],
  modifier: Modifier,
  positional: Positional,
): void {
  const [part = '', ...rest] = parts;
  if (part === '$[]') {
    if (!Array.isArray(container)) throw badValue('$[] stands in an update path where there is no array');
    for (let index = 0; index < container.length; index++) modifyElement(container, index, rest, modifier, positional);
    return;
  }
  if (part.startsWith('$[')) throw badValue(`The array filter ${part} is not supported`);
  const name = part === '$' ? matchedPosition(container, positional) : part;
  const index = arrayPosition(name);
  if (container instanceof Map) modifyField(container, name, rest, modifier, positional);
  else if (index >= 0) modifyElement(container, index, rest, modifier, positional);
  else if (modifier.creates) throw notViable(name, container);
}

function matchedPosition(container: Document | Value[], positional: Positional): string {
  if (positional.element < 0 || !Array.isArray(container)) {
    throw badValue('The positional operator $ found no match of an array in the filter');
  }
  return String(positional.element);
}

function modifyField(
  document: Document,
  name: string,
  rest: readonly string[],
  modifier: Modifier,
  positional: Positional,
): void {
  const current = document.get(name);
  if (rest.length > 0 && isContainer(current)) {
    modifyIn(current, rest, modifier, positional);
    return;
  }
  const next = nextValue(current, name, rest, modifier);
  if (next === undefined) document.delete(name);
  else document.set(name, next);
}

function modifyElement(
  array: Value[],
  index: number,
  rest: readonly string[],
  modifier: Modifier,
  positional: Positional,
): void {
  const current = array[index];
  if (rest.length > 0 && isContainer(current)) {
    modifyIn(current, rest, modifier, positional);
    return;
  }
  const next = nextValue(current, String(index), rest, modifier);
  if (next === undefined) {
    // An array keeps its positions: what is removed from it becomes null.
    if (index < array.length) array[index] = null;
    return;
  }
  if (index > array.length + paddingLimit) {
    throw new MongoError('CannotBackfillArray', `The array position ${index} is too far behind the array's end`);
  }
  while (array.length < index) array.push(null);
  array[index] = next;
}

/** The new value of a field whose current value is not entered. */
function nextValue(current: Maybe, name: string, rest: readonly string[], modifier: Modifier): Maybe {
  if (rest.length === 0) return current === undefined && !modifier.creates ? undefined : modifier.modify(current);
  if (current !== undefined && rest[0]?.startsWith('$')) throw notAnArray(name, current);
  if (!modifier.creates) return current;
  if (current !== undefined) throw notViable(rest[0] ?? '', new Map([[name, current]]));
  return newBranch(rest, modifier);
}

function newBranch(parts: readonly string[], modifier: Modifier): Maybe {
  const [part = '', ...rest] = parts;
  if (part.startsWith('$')) throw badValue(`The path must exist in the document to update the array at ${part}`);
  const value = rest.length === 0 ? modifier.modify(undefined) : newBranch(rest, modifier);
  return value === undefined ? undefined : new Map([[part, value]]);
}

function isContainer(value: Maybe): value is Document | Value[] {
  return value instanceof Map || Array.isArray(value);
}

function notAnArray(name: string, value: Value): MongoError {
  return badValue(`Cannot apply array updates to non-array element ${name}: ${formatValue(value)}`);
}

function notViable(name: string, container: Document | Value[]): MongoError {
  return new MongoError('PathNotViable', `Cannot create field '${name}' in element ${formatValue(container)}`);
}
