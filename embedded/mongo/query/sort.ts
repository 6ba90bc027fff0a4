import { compareValues } from '../bson/compare.ts';
import type { Document, Maybe, Value } from '../bson/value.ts';
import { badValue, MongoError, notSupported } from '../errors.ts';
import { toNumber } from './operators.ts';
import { somePathValue } from './path.ts';

export type SortField = { path: string; parts: string[]; descending: boolean };

/** Reads a sort. Throws BadValue for a direction that is not 1 or -1. */
export function parseSort(document: Document): SortField[] {
  return [...document].map(([path, direction]) => {
    if (direction instanceof Map) throw notSupported('a sort by $meta');
    const number = toNumber(direction);
    if (number !== 1 && number !== -1) {
      throw new MongoError('Location15975', `$sort key ordering must be 1 or -1, which that of "${path}" is not`);
    }
    if (path === '' || path.startsWith('$')) throw badValue(`"${path}" is no field to sort by`);
    return { path, parts: path.split('.'), descending: number === -1 };
  });
}

/** The values a document is sorted by: of an array its least element going up and its greatest going down. */
export function sortKey(fields: readonly SortField[], document: Document): Maybe[] {
  return fields.map((field) => {
    const simple = field.parts.length === 1 ? document.get(field.path) : undefined;
    if (simple !== undefined && !Array.isArray(simple)) return simple;
    return extremeValue(document, field);
  });
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
