import { compareValues } from '../bson/compare.ts';
import { decodeDocument } from '../bson/decode.ts';
import { encodeKey } from '../bson/key-encoding.ts';
import type { Maybe, Value } from '../bson/value.ts';
import { MongoError } from '../errors.ts';
import { parseFilter } from '../query/filter.ts';
import { findRecords } from '../query/find.ts';
import { parseHint } from '../query/hint.ts';
import { somePathValue } from '../query/path.ts';
import { findCollection } from '../store/catalog.ts';
import { type Command, collectionName, documentOption } from './command.ts';

export const distinct: Command = {
  kind: 'read',
  options: new Set(['key', 'query', 'hint']),
  run: ({ store }, request) => {
    const path = request.body.get('key');
    if (typeof path !== 'string') throw new MongoError('TypeMismatch', 'The key of distinct must be a string');
    const collection = findCollection(store, request.database, collectionName(request));
    const filter = parseFilter(documentOption(request.body, 'query'));
    if (!collection) return { values: [] };
    const hint = parseHint(request.body.get('hint'), collection);
    const parts = path.split('.');
    const names = new Set([parts[0] ?? '']);
    const found = new Map<string, Value>();
    for (const { body } of findRecords(collection, { filter, sort: [], skip: 0, limit: 0, hint })) {
      addValues(found, decodeDocument(body, 0, names), parts);
    }
    return { values: [...found.values()].sort(compareValues) };
  },
};

/** An array at the end of the path stands for its elements. */
function addValues(found: Map<string, Value>, document: Value, parts: string[]): void {
  somePathValue(document, parts, 'whole', (value) => {
    for (const one of Array.isArray(value) ? value : [value]) add(found, one);
    return false;
  });
}

function add(found: Map<string, Value>, value: Maybe): void {
  if (value === undefined) return;
  const key = encodeKey([{ value, descending: false }]).toString('latin1');
  if (!found.has(key)) found.set(key, value);
}
