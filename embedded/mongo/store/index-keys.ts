import { encodeKey } from '../bson/key-encoding.ts';
import type { Document, Maybe, Value } from '../bson/value.ts';
import { MongoError } from '../errors.ts';
import { type IndexSpec, servesQueries } from './index-spec.ts';

export type IndexKeys = {
  /** Distinct encoded keys: one or, through arrays, several. */
  keys: Buffer[];
  /** Bit i is set when field i of the index passed through an array. */
  multikeyFields: number;
};

/**
 * Computes the index keys of `document`: a missing field counts as null, an array as each of its elements, an empty
 * array as undefined. No keys when a partial index excludes it, or the index serves no query. Throws
 * CannotIndexParallelArrays when two fields are different arrays.
 */
export function indexKeys(spec: IndexSpec, document: Document): IndexKeys {
  if (!servesQueries(spec)) return { keys: [], multikeyFields: 0 };
  if (spec.partial && !spec.partial.test(document)) return { keys: [], multikeyFields: 0 };
  const single = spec.fields[0];
  if (spec.fields.length === 1 && single?.parts.length === 1) {
    const value = document.get(single.path);
    if (!Array.isArray(value)) {
      if (value === undefined && spec.sparse) return { keys: [], multikeyFields: 0 };
      return { keys: [encodeKey([{ value: value ?? null, descending: single.descending }])], multikeyFields: 0 };
    }
  }
  return expandedKeys(spec, document);
}

/** State of one field's descent into a document: the current value and the remaining path parts. */
type Walk = { at: Maybe; parts: string[]; done: boolean; present: boolean };

function expandedKeys(spec: IndexSpec, document: Document): IndexKeys {
  const { entries, multikeyFields } = keyEntries(spec, document);
  const keys = entries.map((entry) => entry.key);
  return { keys: keys.length > 1 ? distinct(keys) : keys, multikeyFields };
}

type KeyEntry = { key: Buffer; values: Maybe[] };

/** Like indexKeys, but with the values of each key and without deduplication. */
export function keyEntries(spec: IndexSpec, document: Document): { entries: KeyEntry[]; multikeyFields: number } {
  const found: { values: Maybe[]; present: boolean }[] = [];
  const state = { multikeyFields: 0 };
  expand(
    spec.fields.map((field) => ({ at: document, parts: field.parts, done: false, present: false })),
    found,
    state,
  );
  const kept = spec.sparse ? found.filter((entry) => entry.present) : found;
  const entries = kept.map(({ values }) => ({
    values,
    key: encodeKey(spec.fields.map((field, index) => ({ value: values[index], descending: field.descending }))),
  }));
  return { entries, multikeyFields: state.multikeyFields };
}

/** Expands the values of several fields, one list per key of a document. Throws as indexKeys does. */
export function expandFields(fields: readonly { parts: string[] }[], document: Document): Maybe[][] {
  const found: { values: Maybe[]; present: boolean }[] = [];
  const walks = fields.map(({ parts }) => ({ at: document, parts, done: false, present: false }));
  expand(walks, found, { multikeyFields: 0 });
  return found.map(({ values }) => values);
}

function expand(
  walks: Walk[],
  found: { values: Maybe[]; present: boolean }[],
  state: { multikeyFields: number },
): void {
  const advanced = walks.map(advance);
  const array = commonArray(advanced);
  if (!array) {
    found.push({ values: advanced.map((walk) => walk.at), present: advanced.some((walk) => walk.present) });
    return;
  }
  advanced.forEach((walk, index) => {
    if (!walk.done) state.multikeyFields |= 1 << index;
  });
  if (array.length === 0) {
    expand(advanced.map(onEmptyArray), found, state);
    return;
  }
  for (const element of array) {
    expand(
      advanced.map((walk) => (walk.done ? walk : onElement(walk, element))),
      found,
      state,
    );
  }
}

/** Descends to the end of the path, a missing field, or an array (not done then). */
function advance(walk: Walk): Walk {
  if (walk.done) return walk;
  let at = walk.at;
  let taken = 0;
  while (taken < walk.parts.length && at instanceof Map) at = at.get(walk.parts[taken++] ?? '');
  const parts = walk.parts.slice(taken);
  if (Array.isArray(at)) return { at, parts, done: false, present: walk.present };
  if (parts.length > 0 || at === undefined) return { at: null, parts: [], done: true, present: walk.present };
  return { at, parts, done: true, present: true };
}

function commonArray(walks: Walk[]): Value[] | undefined {
  let array: Value[] | undefined;
  for (const walk of walks) {
    if (walk.done || !Array.isArray(walk.at)) continue;
    if (array && array !== walk.at) {
      throw new MongoError('CannotIndexParallelArrays', 'An index cannot hold two different arrays of one document');
    }
    array = walk.at;
  }
  return array;
}

function onEmptyArray(walk: Walk): Walk {
  if (walk.done) return walk;
  const isLeaf = walk.parts.length === 0;
  return { at: isLeaf ? undefined : null, parts: [], done: true, present: walk.present || isLeaf };
}

/** An element of a leaf array is a key itself, even an array; otherwise only documents continue the path. */
function onElement(walk: Walk, element: Value): Walk {
  if (walk.parts.length === 0) return { at: element, parts: [], done: true, present: true };
  if (element instanceof Map) return { at: element, parts: walk.parts, done: false, present: walk.present };
  return { at: null, parts: [], done: true, present: walk.present };
}

function distinct(keys: Buffer[]): Buffer[] {
  const sorted = keys.sort(Buffer.compare);
  return sorted.filter((key, index) => index === 0 || !key.equals(sorted[index - 1] ?? key.subarray(0, 0)));
}
