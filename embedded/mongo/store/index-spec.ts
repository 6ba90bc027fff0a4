import { Double } from 'bson';
import { equalValues } from '../bson/compare.ts';
import type { Document, Value } from '../bson/value.ts';
import { badValue, MongoError, notSupported } from '../errors.ts';
import { type FieldFilter, type Filter, fieldsOf, parseFilter } from '../query/filter.ts';

/** One field of an index: its dotted path and direction. */
export type IndexField = { path: string; parts: string[]; descending: boolean };

export type IndexSpec = {
  name: string;
  fields: IndexField[];
  unique: boolean;
  sparse: boolean;
  /** Of a partial index, which documents it has. */
  partial?: PartialFilter | undefined;
  /** The top-level fields that decide which keys a document has. */
  names: string[];
};

/** Conditions that all have to be met. `given` is their document. */
export type PartialFilter = { given: Document; filters: FieldFilter[]; test: (document: Document) => boolean };

export const idIndexSpec: IndexSpec = {
  name: '_id_',
  fields: [{ path: '_id', parts: ['_id'], descending: false }],
  unique: true,
  sparse: false,
  names: ['_id'],
};

const knownOptions = new Set(['key', 'name', 'unique', 'sparse', 'partialFilterExpression', 'background', 'v', 'ns']);

/** Reads an index of createIndexes. Throws what names an option or kind that is not supported. */
export function parseIndexSpec(document: Document): IndexSpec {
  for (const [option, value] of document) {
    if (!knownOptions.has(option)) throw notSupported(`the index option ${option} (${describe(value)})`);
  }
  const key = document.get('key');
  const name = document.get('name');
  if (!(key instanceof Map) || key.size === 0)
    throw new MongoError('CannotCreateIndex', 'An index needs a key with at least one field');
  if (typeof name !== 'string' || name === '') throw badValue('An index needs a name');
  if (name === '*') throw badValue('An index cannot be named *');
  const fields = [...key].map(([path, direction]) => parseIndexField(path, direction));
  if (fields.length > 32) throw new MongoError('CannotCreateIndex', `The index ${name} has more than 32 fields`);
  const sparse = isTrue(document.get('sparse'));
  const partial = parsePartialFilter(document.get('partialFilterExpression'));
  if (sparse && partial) throw new MongoError('CannotCreateIndex', `The index ${name} is both partial and sparse`);
  const names = new Set(fields.map(({ parts }) => parts[0] ?? ''));
  for (const filter of partial?.filters ?? []) fieldsOf(filter, names);
  return { name, fields, unique: isTrue(document.get('unique')), sparse, partial, names: [...names] };
}

/** The operators that the planner can prove to be implied by a query's conditions. */
const partialOperators = new Set(['$eq', '$exists', '$gt', '$gte', '$lt', '$lte', '$type']);

function parsePartialFilter(given: Value | undefined): PartialFilter | undefined {
  if (given === undefined) return undefined;
  if (!(given instanceof Map)) throw new MongoError('TypeMismatch', 'partialFilterExpression must be a document');
  const filter = parseFilter(given);
  return { given, filters: requirePartial(filter), test: filter.test };
}

function requirePartial(filter: Filter): FieldFilter[] {
  if (filter.kind === 'and') return filter.filters.flatMap(requirePartial);
  if (filter.kind === 'field' && partialOperators.has(filter.operator)) return [filter];
  const what = filter.kind === 'field' ? `${filter.operator} on ${filter.path}` : `$${filter.kind}`;
  throw notSupported(`a partialFilterExpression with ${what}`);
}

function parseIndexField(path: string, direction: Value): IndexField {
  const number = direction instanceof Double ? direction.value : Number(direction);
  if (typeof direction === 'string') throw notSupported(`an index of the kind "${direction}"`);
  if (!number || Number.isNaN(number))
    throw new MongoError('CannotCreateIndex', `The direction of ${path} is not 1 or -1`);
  const parts = path.split('.');
  if (parts.includes('')) throw new MongoError('CannotCreateIndex', `The index field "${path}" has an empty part`);
  if (parts.some((part) => part.startsWith('$'))) {
    throw notSupported(`an index on "${path}"; a part starts with $`);
  }
  if (parts.some((part) => /^\d+$/.test(part))) throw notSupported(`an index on the array position "${path}"`);
  return { path, parts, descending: number < 0 };
}

/** Whether two indexes cover the same fields in the same directions. */
export function sameKey(left: IndexSpec, right: IndexSpec): boolean {
  return (
    left.fields.length === right.fields.length &&
    left.fields.every((field, index) => {
      const other = right.fields[index];
      return other?.path === field.path && other.descending === field.descending;
    })
  );
}

/** Whether two indexes have the same documents, as far as their filters say. */
export function samePartial(left: IndexSpec, right: IndexSpec): boolean {
  const [one, other] = [left.partial?.given, right.partial?.given];
  return one && other ? equalValues(one, other) : one === other;
}

/** The form in which listIndexes and the catalog show an index. */
export function formatIndexSpec(spec: IndexSpec): Document {
  const document: Document = new Map<string, Value>([
    ['v', 2],
    ['key', keyPattern(spec)],
    ['name', spec.name],
  ]);
  if (spec.unique && spec.name !== idIndexSpec.name) document.set('unique', true);
  if (spec.sparse) document.set('sparse', true);
  if (spec.partial) document.set('partialFilterExpression', spec.partial.given);
  return document;
}

export function keyPattern(spec: IndexSpec): Document {
  return new Map(spec.fields.map((field): [string, Value] => [field.path, field.descending ? -1 : 1]));
}

function isTrue(value: Value | undefined): boolean {
  return value === true || value === 1 || (value instanceof Double && value.value !== 0);
}

function describe(value: Value): string {
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
