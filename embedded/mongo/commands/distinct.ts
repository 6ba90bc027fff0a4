import { compareValues } from '../bson/compare.ts';
import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import { encodeKey } from '../bson/key-encoding.ts';
import { documentSizeLimitBytes } from '../bson/layout.ts';
import type { Maybe, Value } from '../bson/value.ts';
import { MongoError } from '../errors.ts';
import { createMemory } from '../memory.ts';
import { parseFilter } from '../query/filter.ts';
import { findRecords } from '../query/find.ts';
import { parseHint } from '../query/hint.ts';
import { somePathValue } from '../query/path.ts';
import { pause, sortInSlices } from '../slice.ts';
import { findCollection } from '../store/catalog.ts';
import { type Command, collectionName, documentOption } from './command.ts';

export const distinct: Command = {
  kind: 'read',
  options: new Set(['key', 'query', 'hint']),
  run: function* ({ store }, request) {
    const path = request.body.get('key');
    if (typeof path !== 'string') throw new MongoError('TypeMismatch', 'The key of distinct must be a string');
    const collection = findCollection(store, request.database, collectionName(request));
    const filter = parseFilter(documentOption(request.body, 'query'));
    if (!collection) return { values: [] };
    const hint = parseHint(request.body.get('hint'), collection);
    const parts = path.split('.');
    const names = new Set([parts[0] ?? '']);
    const found: Found = { values: new Map(), sizeBytes: 0 };
    const query = { filter, sort: [], skip: 0, limit: 0, hint };
    for (const record of findRecords(collection, query, createMemory())) {
      if (record === pause) yield pause;
      else addValues(found, decodeDocument(record.body, 0, names), parts);
    }
    return { values: yield* sortInSlices([...found.values.values()], compareValues) };
  },
};

type Found = { values: Map<string, Value>; sizeBytes: number };

/** An array at the end of the path contributes its elements. */
function addValues(found: Found, document: Value, parts: string[]): void {
  somePathValue(document, parts, 'whole', (value) => {
    for (const one of Array.isArray(value) ? value : [value]) add(found, one);
    return false;
  });
}

const overheadBytes = 7;

function add(found: Found, value: Maybe): void {
  if (value === undefined) return;
  const key = encodeKey([{ value, descending: false }]).toString('latin1');
  if (found.values.has(key)) return;
  found.values.set(key, value);
  // BSON size of an array element: its type byte, its index as a name, and its value.
  found.sizeBytes += encodeDocument({ '': value }).length - overheadBytes + 2 + String(found.values.size).length;
  if (found.sizeBytes > documentSizeLimitBytes) throw new MongoError('Location17217', 'distinct too big, 16mb cap');
}
