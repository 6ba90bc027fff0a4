import type { Document, Maybe } from '../bson/value.ts';
import { badValue, MongoError } from '../errors.ts';
import { type Filter, fieldsOf, parseFilter } from '../query/filter.ts';

/** Filters of the identifiers `$[identifier]` of an update, which select array elements. */
export type ArrayFilters = ReadonlyMap<string, Filter>;

export const noArrayFilters: ArrayFilters = new Map();

/**
 * Reads the documents of `arrayFilters`; empty when it is missing. `path` names the field in error messages. Throws
 * TypeMismatch for a value that is not an array of documents.
 */
export function arrayFilterDocuments(value: Maybe, path: string): Document[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new MongoError('TypeMismatch', `BSON field '${path}' must be an array`);
  return value.map((document, at) => {
    if (document instanceof Map) return document;
    throw new MongoError('TypeMismatch', `BSON field '${path}.${at}' must be a document`);
  });
}

/** Parses the filters by identifier. Throws FailedToParse, BadValue, and the errors of a filter. */
export function parseArrayFilters(documents: Document[]): ArrayFilters {
  const filters = new Map<string, Filter>();
  for (const document of documents) {
    const { identifier, filter } = parseArrayFilter(document);
    if (filters.has(identifier)) {
      throw new MongoError(
        'FailedToParse',
        `Found multiple array filters with the same top-level field name ${identifier}`,
      );
    }
    filters.set(identifier, filter);
  }
  return filters;
}

function parseArrayFilter(document: Document): { identifier: string; filter: Filter } {
  const filter = parseCondition(document);
  const [identifier, other] = fieldsOf(filter);
  if (identifier === undefined) {
    throw new MongoError('FailedToParse', 'Cannot use an expression without a top-level field name in arrayFilters');
  }
  if (other !== undefined) {
    const message = `Expected a single top-level field name, found '${identifier}' and '${other}'`;
    throw new MongoError('FailedToParse', `${context}${message}`);
  }
  if (!/^[a-z][a-zA-Z0-9]*$/.test(identifier)) {
    const rule = 'The top-level field name must be an alphanumeric string beginning with a lowercase letter';
    throw badValue(`${context}${rule}, found '${identifier}'`);
  }
  return { identifier, filter };
}

const context = 'Error parsing array filter :: caused by :: ';

function parseCondition(document: Document): Filter {
  try {
    return parseFilter(document);
  } catch (error) {
    if (!(error instanceof MongoError)) throw error;
    throw new MongoError(error.codeName, `${context}${error.message}`);
  }
}
