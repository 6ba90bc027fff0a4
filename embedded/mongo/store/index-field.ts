import { Double } from 'bson';
import type { Document, Maybe, Value } from '../bson/value.ts';
import { MongoError, notSupported } from '../errors.ts';

/** One field of an index: its dotted path and direction. */
export type IndexField = { path: string; parts: string[]; descending: boolean };

/** Properties of an index kind other than plain ascending and descending values. */
export type IndexKind = {
  name: string;
  /** The key as listIndexes shows it, and the further options. */
  key: Document;
  options: Document;
  /**
   * Fields that are stored as ordered values, so that queries can use them; empty for an index that serves no query.
   */
  fields: IndexField[];
  /** Top-level fields that `check` reads. */
  names: string[];
  /** Throws for a document that MongoDB rejects because of the index. */
  check: (document: Document) => void;
};

/** Parses a field of an index with a direction. Throws CannotCreateIndex, or CommandNotSupported for a path. */
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

/** Number of path parts up to the first array on it; undefined when there is none. */
export function lengthToArray(document: Document, parts: readonly string[]): number | undefined {
  let value: Maybe = document;
  for (const [at, part] of parts.entries()) {
    value = value instanceof Map ? value.get(part) : undefined;
    if (Array.isArray(value)) return at + 1;
  }
  return undefined;
}
