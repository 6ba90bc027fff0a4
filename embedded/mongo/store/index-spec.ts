import { Double } from 'bson';
import { equalValues } from '../bson/compare.ts';
import type { Document, Value } from '../bson/value.ts';
import { badValue, MongoError, notSupported } from '../errors.ts';
import { type FieldFilter, type Filter, fieldsOf, parseFilter } from '../query/filter.ts';
import { toNumber } from '../query/operators.ts';
import { cannotCreate, type IndexField, type IndexKind, parseIndexField } from './index-field.ts';
import { kindOf } from './index-kinds.ts';

export type IndexSpec = {
  name: string;
  fields: IndexField[];
  unique: boolean;
  sparse: boolean;
  /** Set unless the index only has ascending and descending values. */
  kind?: IndexKind | undefined;
  /** Filter of a partial index. */
  partial?: PartialFilter | undefined;
  /** Top-level fields that determine the keys of a document. */
  names: string[];
};

/** Conditions that must all be met. `given` is the original filter document. */
type PartialFilter = { given: Document; filters: FieldFilter[]; test: (document: Document) => boolean };

export const idIndexSpec: IndexSpec = {
  name: '_id_',
  fields: [{ path: '_id', parts: ['_id'], descending: false }],
  unique: true,
  sparse: false,
  names: ['_id'],
};

const knownOptions = new Set(['key', 'name', 'unique', 'sparse', 'partialFilterExpression', 'background', 'v', 'ns']);

/** Parses an index of createIndexes. Throws an error that names an unsupported option or kind. */
export function parseIndexSpec(document: Document): IndexSpec {
  const key = document.get('key');
  const name = document.get('name');
  if (!(key instanceof Map) || key.size === 0) throw cannotCreate('An index needs a key with at least one field');
  if (key.size > 32) throw cannotCreate(`The index ${String(name)} has more than 32 fields`);
  const parser = kindOf(key);
  const options: Document = new Map();
  for (const [option, value] of document) {
    if (parser?.options.includes(option)) options.set(option, value);
    else if (!knownOptions.has(option)) throw notSupported(`the index option ${option} (${describe(value)})`);
  }
  if (typeof name !== 'string' || name === '') throw badValue('An index needs a name');
  if (name === '*') throw badValue('An index cannot be named *');
  const [unique, sparse] = [isTrue(document.get('unique')), isTrue(document.get('sparse'))];
  parser?.requireOptions({ unique, sparse });
  const kind = parser?.parse(key, options);
  const fields = kind?.fields ?? [...key].map(([path, direction]) => parseIndexField(path, direction));
  const partial = parsePartialFilter(document.get('partialFilterExpression'));
  if (sparse && partial) throw cannotCreate(`The index ${name} is both partial and sparse`);
  const names = new Set(kind?.names ?? fields.map(({ parts }) => parts[0] ?? ''));
  for (const filter of partial?.filters ?? []) fieldsOf(filter, names);
  return { name, fields, unique, sparse, kind, partial, names: [...names] };
}

/** Whether an index has keys that queries read. Indexes of other kinds are only listed. */
export function servesQueries({ kind, fields }: IndexSpec): boolean {
  return !kind || fields.length > 0;
}

/** Throws MongoDB's error for a document that the kind of an index rejects. */
export function requireIndexable({ kind, partial }: IndexSpec, document: Document): void {
  if (kind && (!partial || partial.test(document))) kind.check(document);
}

/** Operators whose implication by a query's conditions the planner can prove. */
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

/** Whether an index has this key; any number of the same sign is the same direction. */
export function hasKey(spec: IndexSpec, key: Document): boolean {
  const pattern = [...keyPattern(spec)];
  const fields = [...key];
  return (
    fields.length === pattern.length &&
    pattern.every(([path, value], at) => {
      const [name, given = null] = fields[at] ?? [];
      if (name !== path) return false;
      if (typeof value === 'string' || typeof given === 'string') return given === value;
      return toNumber(given) < 0 === toNumber(value) < 0;
    })
  );
}

/** Whether two indexes have the same kind, fields and directions. */
export function sameKey(left: IndexSpec, right: IndexSpec): boolean {
  return equalValues(keyPattern(left), keyPattern(right));
}

/** Whether two indexes of one kind have the same options. */
export function sameOptions(left: IndexSpec, right: IndexSpec): boolean {
  return equalValues(left.kind?.options ?? null, right.kind?.options ?? null);
}

/** Whether the partial filters of two indexes are equal. */
export function samePartial(left: IndexSpec, right: IndexSpec): boolean {
  const [one, other] = [left.partial?.given, right.partial?.given];
  return one && other ? equalValues(one, other) : one === other;
}

/** Formats an index as in listIndexes and the catalog. */
export function formatIndexSpec(spec: IndexSpec): Document {
  const document: Document = new Map<string, Value>([
    ['v', 2],
    ['key', keyPattern(spec)],
    ['name', spec.name],
  ]);
  if (spec.unique && spec.name !== idIndexSpec.name) document.set('unique', true);
  if (spec.sparse) document.set('sparse', true);
  if (spec.partial) document.set('partialFilterExpression', spec.partial.given);
  for (const [option, value] of spec.kind?.options ?? []) document.set(option, value);
  return document;
}

export function keyPattern(spec: IndexSpec): Document {
  if (spec.kind) return spec.kind.key;
  return new Map(spec.fields.map((field): [string, Value] => [field.path, field.descending ? -1 : 1]));
}

function isTrue(value: Value | undefined): boolean {
  return value === true || value === 1 || (value instanceof Double && value.value !== 0);
}

function describe(value: Value): string {
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
