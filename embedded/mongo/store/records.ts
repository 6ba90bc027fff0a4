import type { StatementSync } from 'node:sqlite';
import { decodeDocument } from '../bson/decode.ts';
import { formatValue } from '../bson/format.ts';
import type { Document, Value } from '../bson/value.ts';
import { MongoError } from '../errors.ts';
import { noteWrites } from '../slice.ts';
import { beginWrite, type Collection, type Index, markMultikey, type Store } from './catalog.ts';
import { type IndexKeys, indexKeys, keyEntries } from './index-keys.ts';
import { keyPattern, requireIndexable } from './index-spec.ts';
import { rowOf } from './statements.ts';
import { bodyOf, storedForm } from './stored-form.ts';

/** A stored document: its record id and its encoded bytes. */
export type StoredRecord = { id: number; body: Buffer };

/**
 * Inserts a document. All checks come before the first write, so that a rejected insert changes nothing. Throws
 * DuplicateKey, CannotIndexParallelArrays.
 */
export function insertRecord(store: Store, collection: Collection, body: Buffer): number {
  const document = decodeDocument(body, 0, indexedNames(collection));
  const id = collection.lastRecordId + 1;
  const planned = collection.indexes.map((index) => {
    requireIndexable(index.spec, document);
    const found = indexKeys(index.spec, document);
    requireUnique(collection, index, found.keys, id, document);
    return found;
  });
  beginWrite(store);
  count(collection, planned[0], id, 1);
  collection.lastRecordId = id;
  collection.changes += 1;
  collection.statements.insert.run(id, storedForm(body));
  noteWrites(1);
  collection.indexes.forEach((index, at) => {
    const found = planned[at];
    if (found) addKeys(store, index, index.statements.insert, found, id);
  });
  return id;
}

type KeyChange = { index: Index; added: IndexKeys; removed: Buffer[] };

/** Replaces a document's bytes and its keys in the indexes over the `changed` top-level fields (all when undefined). */
export function updateRecord(
  store: Store,
  collection: Collection,
  record: StoredRecord,
  body: Buffer,
  changed?: readonly string[],
): void {
  const indexes = changed ? collection.indexes.filter((index) => concerns(index, changed)) : collection.indexes;
  const changes = indexes.length > 0 ? keyChanges(collection, indexes, record, body) : [];
  beginWrite(store);
  collection.changes += 1;
  collection.statements.update.run(storedForm(body), record.id);
  noteWrites(1);
  for (const { index, added, removed } of changes) {
    noteWrites(removed.length);
    for (const key of removed) index.statements.remove.run(key, record.id);
    addKeys(store, index, index.statements.insert, added, record.id);
  }
}

export function removeRecord(store: Store, collection: Collection, record: StoredRecord): void {
  const document = decodeDocument(record.body, 0, indexedNames(collection));
  beginWrite(store);
  collection.changes += 1;
  collection.indexes.forEach((index, at) => {
    const found = indexKeys(index.spec, document);
    if (at === 0) count(collection, found, record.id, -1);
    for (const key of found.keys) index.statements.remove.run(key, record.id);
    noteWrites(found.keys.length);
  });
  collection.statements.remove.run(record.id);
  noteWrites(1);
}

/** Maintains the document count; keys after the counted position are counted later. */
function count({ counter }: Collection, found: IndexKeys | undefined, id: number, by: 1 | -1): void {
  if (!counter) return;
  const [key] = found?.keys ?? [];
  if (!key) return;
  const [counted, record] = counter.position ?? [];
  const order = counted ? Buffer.compare(key, counted) || id - (record ?? 0) : -1;
  if (order <= 0) counter.count += by;
}

export function readRecord(collection: Collection, id: number): StoredRecord | undefined {
  const row = rowOf<[Uint8Array]>(collection.statements.read.get(id));
  return row && { id, body: bodyOf(row[0]) };
}

/** Adds the keys of an existing document to a new index. Throws DuplicateKey. */
export function fillIndex(store: Store, collection: Collection, index: Index, record: StoredRecord): void {
  const document = decodeDocument(record.body, 0, namesOf([index]));
  requireIndexable(index.spec, document);
  const found = indexKeys(index.spec, document);
  requireUnique(collection, index, found.keys, record.id, document);
  addKeys(store, index, index.statements.fill, found, record.id);
}

function keyChanges(collection: Collection, indexes: Index[], record: StoredRecord, body: Buffer): KeyChange[] {
  const names = namesOf(indexes);
  const before = decodeDocument(record.body, 0, names);
  const after = decodeDocument(body, 0, names);
  const changes: KeyChange[] = [];
  for (const index of indexes) {
    requireIndexable(index.spec, after);
    const old = indexKeys(index.spec, before).keys;
    const { keys, multikeyFields } = indexKeys(index.spec, after);
    const added = keys.filter((key) => !old.some((other) => other.equals(key)));
    const removed = old.filter((key) => !keys.some((other) => other.equals(key)));
    requireUnique(collection, index, added, record.id, after);
    changes.push({ index, added: { keys: added, multikeyFields }, removed });
  }
  return changes;
}

function concerns({ spec }: Index, changed: readonly string[]): boolean {
  return spec.names.some((name) => changed.includes(name));
}

/** Top-level fields of all indexes; only these are decoded. */
function indexedNames(collection: Collection): Set<string> {
  collection.indexedNames ??= namesOf(collection.indexes);
  return collection.indexedNames;
}

function namesOf(indexes: Index[]): Set<string> {
  return new Set(indexes.flatMap(({ spec }) => spec.names));
}

function addKeys(store: Store, index: Index, statement: StatementSync, found: IndexKeys, id: number): void {
  for (const key of found.keys) statement.run(key, id);
  noteWrites(found.keys.length);
  markMultikey(store, index, found.multikeyFields);
}

function requireUnique(collection: Collection, index: Index, keys: Buffer[], id: number, document: Document): void {
  if (!index.spec.unique) return;
  for (const key of keys) {
    if (index.statements.holder.get(key, id)) throw duplicateKey(collection, index, key, document);
  }
}

function duplicateKey(collection: Collection, index: Index, key: Buffer, document: Document): MongoError {
  const entry = keyEntries(index.spec, document).entries.find((candidate) => candidate.key.equals(key));
  const keyValue: Document = new Map(
    index.spec.fields.map((field, at): [string, Value] => [field.path, entry?.values[at] ?? null]),
  );
  return new MongoError(
    'DuplicateKey',
    `E11000 duplicate key error collection: ${collection.namespace} index: ${index.spec.name} dup key: ${formatValue(keyValue)}`,
    { keyPattern: keyPattern(index.spec), keyValue },
  );
}
