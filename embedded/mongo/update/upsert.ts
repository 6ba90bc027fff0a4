import { ObjectId } from 'bson';
import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import type { Document, Value } from '../bson/value.ts';
import { badValue, MongoError } from '../errors.ts';
import type { Filter } from '../query/filter.ts';
import { modifyPath } from './modify.ts';
import { isDynamic } from './path-tree.ts';
import { applyUpdate, type Update } from './update.ts';

/** Builds the document of an upsert: the equality conditions of the filter, then the update, with an _id in front. */
export function upsertedDocument(filter: Filter, update: Update): Document {
  const equalities = equalitiesOf(filter);
  const seed: Document = new Map();
  for (const [path, value] of equalities) {
    if (update.kind === 'replacement' && path !== '_id') continue;
    modifyPath(seed, seedPath(path), { creates: true, modify: () => value });
  }
  // Encoded and decoded, so that the update changes a copy of the filter's values.
  const document = applyUpdate(update, decodeDocument(encodeDocument(seed)), { element: -1, isInsert: true });
  const id = document.get('_id');
  const others = [...document].filter(([name]) => name !== '_id');
  return new Map<string, Value>([['_id', id === undefined ? new ObjectId() : id], ...others]);
}

function seedPath(path: string): string[] {
  const parts = path.split('.');
  if (!parts.some(isDynamic)) return parts;
  throw badValue(`The filter of an upsert cannot have the positional path '${path}'`);
}

/** Throws when the path of an equality condition equals, contains or is contained in another one. */
function requireApart(path: string, other: string): void {
  if (path !== other && !path.startsWith(`${other}.`) && !other.startsWith(`${path}.`)) return;
  throw new MongoError(
    'NotSingleValueField',
    `cannot infer query fields to set, both paths '${path}' and '${other}' are matched`,
  );
}

function equalitiesOf(filter: Filter, found = new Map<string, Value>()): Map<string, Value> {
  if (filter.kind === 'and') for (const inner of filter.filters) equalitiesOf(inner, found);
  const [only] = filter.kind === 'or' && filter.filters.length === 1 ? filter.filters : [];
  if (only) equalitiesOf(only, found);
  if (filter.kind !== 'field' || filter.operator !== '$eq') return found;
  for (const path of found.keys()) requireApart(path, filter.path);
  found.set(filter.path, filter.operand);
  return found;
}
