import type { DatabaseSync } from 'node:sqlite';
import { decodeDocument } from '../bson/decode.ts';
import { type Collection, createStore } from './catalog.ts';
import { damage } from './damage.ts';
import { indexKeys } from './index-keys.ts';
import { indexTable, recordTable } from './statements.ts';
import { bodyOf } from './stored-form.ts';

/**
 * Reads every document and compares every index with them, which SQLite's own check cannot. Throws an error that
 * isDamage accepts. Takes seconds for a gigabyte.
 */
export function requireConsistentDocuments(database: DatabaseSync): void {
  for (const collection of createStore(database).collections.values()) verifyCollection(database, collection);
}

function verifyCollection(database: DatabaseSync, collection: Collection): void {
  const built = collection.indexes.filter(({ builtTo }) => builtTo === undefined);
  const indexes = built.map(({ id, spec }) => ({
    spec,
    entry: database.prepare(`SELECT 1 FROM ${indexTable(id)} WHERE key = ? AND record = ?`),
    count: database.prepare(`SELECT count(*) AS count FROM ${indexTable(id)}`),
    expected: 0,
  }));
  for (const { id, body } of database.prepare(`SELECT id, body FROM ${recordTable(collection.id)}`).iterate()) {
    const document = decodeDocument(bodyOf(body as Uint8Array));
    for (const index of indexes) {
      const { keys } = indexKeys(index.spec, document);
      index.expected += keys.length;
      if (!keys.every((key) => index.entry.get(key, Number(id)))) throw inconsistent(collection, index.spec.name);
    }
  }
  for (const { spec, count, expected } of indexes) {
    if (Number(count.get()?.count) !== expected) throw inconsistent(collection, spec.name);
  }
}

function inconsistent(collection: Collection, indexName: string): Error {
  return damage(`the index ${indexName} of ${collection.namespace} does not fit its documents`);
}
