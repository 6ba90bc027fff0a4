import { Double } from 'bson';
import type { Document, Maybe, Value } from '../bson/value.ts';
import { MongoError, notSupported } from '../errors.ts';

/** One field of an index: its dotted path and direction. */
export type IndexField = { path: string; parts: string[]; descending: boolean };

/** What an index of another kind than ascending and descending values has of its own. */
export type IndexKind = {
  name: string;
  /** The key as listIndexes shows it, and the options beside it. */
  key: Document;
  options: Document;
  /** The fields that are kept as values in order, so that queries use them; none of an index that serves no query. */
  fields: IndexField[];
  /** The top-level fields that `check` looks at. */
  names: string[];
  /** Throws for a document that MongoDB refuses because of the index. */
  check: (document: Document) => void;
};

/** Reads a field of an index with a direction. Throws CannotCreateIndex, or CommandNotSupported for a path. */
export function parseIndexField(path: string, direction: Value): IndexField {
  const number = direction instanceof Double ? direction.value : Number(direction);
  if (!number || Number.isNaN(number)) throw cannotCreate(`The direction of ${path} is not 1 or -1`);
  const parts = path.split('.');
  if (parts.includes('')) throw cannotCreate(`The index field "${path}" has an empty part`);
  if (parts.some((part) => part.startsWith('$'))) {
    throw notSupported(`an index on "${path}"; a part starts with $`);
  }
  if (parts.some((part) => /^\d+$/.test(part))) throw notSupported(`an index on the array position "${path}"`);
  return { path, parts, descending: number < 0 };
}

export function cannotCreate(message: string): MongoError {
  return new MongoError('CannotCreateIndex', message);
}

/** How many parts of a path lead to the first array on it; undefined when there is none. */
export function lengthToArray(document: Document, parts: readonly string[]): number | undefined {
  let value: Maybe = document;
  for (const [at, part] of parts.entries()) {
    value = value instanceof Map ? value.get(part) : undefined;
    if (Array.isArray(value)) return at + 1;
  }
  return undefined;
}
