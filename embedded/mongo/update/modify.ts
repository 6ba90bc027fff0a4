import { formatValue } from '../bson/format.ts';
import type { Document, Maybe, Value } from '../bson/value.ts';
import { badValue, MongoError } from '../errors.ts';
import { arrayPosition } from '../query/path.ts';

/** Change of one field by an update operator. */
export type Modifier = {
  /** Computes the new value from the current one (undefined when missing); undefined removes the field. */
  modify: (current: Maybe) => Maybe;
  /** Whether a missing field, and the missing documents on its path, are created. */
  creates: boolean;
};

/** Maximum number of nulls an update may append to reach a position, as in MongoDB. */
const paddingLimit = 1_500_000;

/**
 * Applies a modifier at a path of names and positions of `document`, which is changed in place. Throws PathNotViable,
 * BadValue.
 */
export function modifyPath(document: Document, parts: readonly string[], modifier: Modifier): void {
  modifyIn(document, parts, modifier);
}

function modifyIn(container: Document | Value[], parts: readonly string[], modifier: Modifier): void {
  const [name = '', ...rest] = parts;
  const index = arrayPosition(name);
  if (container instanceof Map) modifyField(container, name, rest, modifier);
  else if (index >= 0) modifyElement(container, index, rest, modifier);
  else if (modifier.creates) throw notViable(name, container);
}

function modifyField(document: Document, name: string, rest: readonly string[], modifier: Modifier): void {
  const current = document.get(name);
  if (rest.length > 0 && isContainer(current)) {
    modifyIn(current, rest, modifier);
    return;
  }
  const next = nextValue(current, name, rest, modifier);
  if (next === undefined) document.delete(name);
  else document.set(name, next);
}

function modifyElement(array: Value[], index: number, rest: readonly string[], modifier: Modifier): void {
  const current = array[index];
  if (rest.length > 0 && isContainer(current)) {
    modifyIn(current, rest, modifier);
    return;
  }
  const next = nextValue(current, String(index), rest, modifier);
  if (next === undefined) {
    // Removing an array element sets it to null, so that the other positions stay.
    if (index < array.length) array[index] = null;
    return;
  }
  if (index > array.length + paddingLimit) {
    throw new MongoError('CannotBackfillArray', `The array position ${index} is too far behind the array's end`);
  }
  while (array.length < index) array.push(null);
  array[index] = next;
}

/** Computes the new value of a missing or scalar field, where the rest of the path does not exist. */
function nextValue(current: Maybe, name: string, rest: readonly string[], modifier: Modifier): Maybe {
  if (rest.length === 0) return current === undefined && !modifier.creates ? undefined : modifier.modify(current);
  if (!modifier.creates) return current;
  if (current !== undefined) throw notViable(rest[0] ?? '', new Map([[name, current]]));
  return newBranch(rest, modifier);
}

function newBranch(parts: readonly string[], modifier: Modifier): Maybe {
  const [part = '', ...rest] = parts;
  if (part.startsWith('$')) throw badValue(`An update cannot create the field ${part}, which starts with $`);
  const value = rest.length === 0 ? modifier.modify(undefined) : newBranch(rest, modifier);
  return value === undefined ? undefined : new Map([[part, value]]);
}

function isContainer(value: Maybe): value is Document | Value[] {
  return value instanceof Map || Array.isArray(value);
}

function notViable(name: string, container: Document | Value[]): MongoError {
  return new MongoError('PathNotViable', `Cannot create field '${name}' in element ${formatValue(container)}`);
}
