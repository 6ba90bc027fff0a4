import { compareValues } from '../bson/compare.ts';
import type { Document, Maybe, Value } from '../bson/value.ts';
import { badValue, MongoError, notSupported } from '../errors.ts';
import { expandFields } from '../store/index-keys.ts';
import { toNumber } from './operators.ts';
import { arrayPosition, somePathValue, valueAt } from './path.ts';

export type SortField = { path: string; parts: string[]; descending: boolean };

/** Parses a sort. Throws BadValue for a direction that is not 1 or -1. */
export function parseSort(document: Document): SortField[] {
  const fields = [...document].map(([path, direction]) => {
    if (direction instanceof Map) throw notSupported('a sort by $meta');
    const number = toNumber(direction);
    if (number !== 1 && number !== -1) {
      throw new MongoError('Location15975', `$sort key ordering must be 1 or -1, which that of "${path}" is not`);
    }
    if (path === '' || path.startsWith('$')) throw badValue(`"${path}" is no field to sort by`);
    return { path, parts: path.split('.'), descending: number === -1 };
  });
  requireOneReading(fields);
  return fields;
}

/**
 * Rejects a sort by an array position together with a field of the array's elements, which would need combined keys.
 */
function requireOneReading(fields: SortField[]): void {
  for (const { parts } of fields) {
    const at = parts.findIndex((part) => arrayPosition(part) >= 0);
    if (at < 1) continue;
    const prefix = parts.slice(0, at).join('.');
    const other = fields.find(({ path, parts: others }) => {
      return path === prefix || (path.startsWith(`${prefix}.`) && arrayPosition(others[at] ?? '') < 0);
    });
    if (other) throw notSupported(`a sort by a position of the array "${prefix}" and by its elements`);
  }
}

/**
 * Values a document is sorted by: for an array its smallest element when ascending and its largest when descending.
 * Fields of one array use the same element, the one whose values sort first.
 */
export function sortKey(fields: readonly SortField[], document: Document): Maybe[] {
  const joint = fields.length > 1 ? jointKeys(fields, document) : undefined;
  if (joint) return joint.reduce((first, key) => (compareSortKeys(fields, key, first) < 0 ? key : first));
  return fields.map((field) => {
    const simple = field.parts.length === 1 ? document.get(field.path) : undefined;
    if (simple !== undefined && !Array.isArray(simple)) return simple;
    return extremeValue(document, field);
  });
}

/** Sort keys of a document when two or more fields pass through an array. */
function jointKeys(fields: readonly SortField[], document: Document): Maybe[][] | undefined {
  const inArrays = fields.filter(({ parts }) =>
    parts.some((_, at) => Array.isArray(valueAt(document, parts.slice(0, at + 1)))),
  );
  const isPosition = (part: string) => arrayPosition(part) >= 0;
  const byElement = inArrays.filter(({ parts }) => !parts.some(isPosition));
  if (byElement.length < 2) return undefined;
  if (byElement.length < inArrays.length) throw notSupported('a sort by positions and by several elements of arrays');
  try {
    return expandFields(fields, document);
  } catch (error) {
    if (!(error instanceof MongoError) || error.codeName !== 'CannotIndexParallelArrays') throw error;
    throw badValue('cannot sort with keys that are parallel arrays');
  }
}

export function compareSortKeys(fields: readonly SortField[], left: Maybe[], right: Maybe[]): number {
  for (let index = 0; index < fields.length; index++) {
    const order = compareValues(left[index], right[index]);
    if (order !== 0) return fields[index]?.descending ? -order : order;
  }
  return 0;
}

function extremeValue(document: Value, field: SortField): Maybe {
  let extreme: { value: Maybe } | undefined;
  const consider = (value: Maybe) => {
    const order = extreme && compareValues(value, extreme.value);
    if (order === undefined || (field.descending ? order > 0 : order < 0)) extreme = { value };
    return false;
  };
  somePathValue(document, field.parts, 'whole', (value) => {
    if (!Array.isArray(value)) return consider(value === undefined ? null : value);
    if (value.length === 0) return consider(undefined);
    value.forEach(consider);
    return false;
  });
  return extreme ? extreme.value : null;
}
