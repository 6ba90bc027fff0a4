import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import { MongoError } from '../errors.ts';
import { damage } from './damage.ts';
import { endBuild, readBuilds } from './index-builds.ts';
import { formatIndexSpec, type IndexSpec, idIndexSpec, parseIndexSpec } from './index-spec.ts';
import { IndexStatements, indexTable, RecordStatements, recordTable, rowOf } from './statements.ts';
import { bodyOf, storedForm } from './stored-form.ts';

export type Index = {
  id: number;
  spec: IndexSpec;
  multikeyFields: number;
  statements: IndexStatements;
  /** Set during the build: the last record whose keys the index has. Writes maintain it, no query reads it. */
  builtTo?: number | undefined;
  /** Whether an operation is running the build. */
  isBeingBuilt?: boolean;
  isDropped?: boolean;
};

export type Collection = {
  id: number;
  database: string;
  name: string;
  /** `database.name`, as in messages and cursors. */
  namespace: string;
  idIndex: Index;
  /** All indexes, including unfinished ones; the _id index is first. */
  indexes: Index[];
  /** Top-level fields of all indexes; reset when an index is added or removed. */
  indexedNames?: Set<string> | undefined;
  lastRecordId: number;
  /** Change counter, which shows a scan after a pause or a batch that its prefetched rows are stale. */
  changes: number;
  /** Number of documents up to `position`, or of all when it is undefined; unset before the first count. */
  counter?: { count: number; position: [Uint8Array, number] | undefined } | undefined;
  isDropped?: boolean;
  statements: RecordStatements;
};

export type Store = {
  database: DatabaseSync;
  collections: Map<string, Collection>;
  begin: StatementSync;
  commit: StatementSync;
  rollback: StatementSync;
};

/** Loads the catalog of collections and indexes. */
export function createStore(database: DatabaseSync): Store {
  const store: Store = {
    database,
    collections: new Map(),
    begin: database.prepare('BEGIN IMMEDIATE'),
    commit: database.prepare('COMMIT'),
    rollback: database.prepare('ROLLBACK'),
  };
  loadCatalog(store);
  return store;
}

/** Opens the transaction of the running group at its first write. */
export function beginWrite(store: Store): void {
  if (!store.database.isTransaction) store.begin.run();
}

/** Rolls back the group's transaction and reloads the catalog. */
export function rollBack(store: Store): void {
  if (store.database.isTransaction) store.rollback.run();
  loadCatalog(store);
}

/** Existing objects keep their identity: paused work holds references to them. */
function loadCatalog(store: Store): void {
  const previous = [...store.collections.values()];
  store.collections.clear();
  const builds = readBuilds(store.database);
  for (const row of store.database.prepare('SELECT id, database, name FROM collections ORDER BY id').all()) {
    const id = Number(row.id);
    const indexes = store.database
      .prepare('SELECT id, spec, multikey_fields FROM indexes WHERE collection = ? ORDER BY id')
      .all(id)
      .map((index) => ({
        id: Number(index.id),
        spec: readSpec(index.spec as Uint8Array),
        multikeyFields: Number(index.multikey_fields),
        statements: new IndexStatements(store.database, Number(index.id), id),
        builtTo: builds.get(Number(index.id)),
      }));
    addToMemory(store, id, String(row.database), String(row.name), indexes);
  }
  for (const collection of previous) keepIdentity(store, collection);
}

function keepIdentity(store: Store, previous: Collection): void {
  const loaded = store.collections.get(previous.namespace);
  const indexes = new Map(previous.indexes.map((index) => [index.id, index]));
  if (loaded?.id !== previous.id) {
    for (const dropped of [previous, ...previous.indexes]) dropped.isDropped = true;
    return;
  }
  const kept = loaded.indexes.map((index) => Object.assign(indexes.get(index.id) ?? index, index));
  for (const index of previous.indexes) index.isDropped = !kept.includes(index);
  const [idIndex = loaded.idIndex] = kept;
  Object.assign(previous, {
    ...loaded,
    indexes: kept,
    idIndex,
    changes: previous.changes,
    counter: undefined,
    indexedNames: undefined,
  });
  store.collections.set(previous.namespace, previous);
}

function readSpec(bytes: Uint8Array): IndexSpec {
  const spec = parseIndexSpec(decodeDocument(bodyOf(bytes)));
  return spec.name === idIndexSpec.name ? idIndexSpec : spec;
}

function addToMemory(store: Store, id: number, database: string, name: string, indexes: Index[]): Collection {
  const idIndex = indexes[0];
  if (!idIndex) throw damage(`the collection ${database}.${name} has no _id index`);
  const statements = new RecordStatements(store.database, id);
  const lastRecordId = rowOf<[number | null]>(statements.lastId.get())?.[0] ?? 0;
  const namespace = `${database}.${name}`;
  const collection = { id, database, name, namespace, idIndex, indexes, lastRecordId, changes: 0, statements };
  store.collections.set(namespace, collection);
  return collection;
}

export function findCollection(store: Store, database: string, name: string): Collection | undefined {
  return store.collections.get(`${database}.${name}`);
}

/** Returns the collection; creates it when it does not exist. */
export function ensureCollection(store: Store, database: string, name: string): Collection {
  return findCollection(store, database, name) ?? createCollection(store, database, name);
}

const nameLimitBytes = 255;

export function createCollection(store: Store, database: string, name: string): Collection {
  requireName(database, name);
  beginWrite(store);
  const inserted = store.database.prepare('INSERT INTO collections (database, name) VALUES (?, ?)').run(database, name);
  const id = Number(inserted.lastInsertRowid);
  store.database.exec(`CREATE TABLE ${recordTable(id)} (id INTEGER PRIMARY KEY, body BLOB NOT NULL)`);
  return addToMemory(store, id, database, name, [addIndex(store, id, idIndexSpec)]);
}

function requireName(database: string, name: string): void {
  const isValid =
    !/[\0/\\. "$]/.test(database) &&
    database !== '' &&
    name !== '' &&
    !/[\0$]/.test(name) &&
    !name.startsWith('.') &&
    !name.startsWith('system.') &&
    Buffer.byteLength(`${database}.${name}`) <= nameLimitBytes;
  if (!isValid) throw new MongoError('InvalidNamespace', `A collection cannot be named "${database}.${name}"`);
}

/** Creates an empty index in storage; the caller fills it and adds it to the collection. */
export function addIndex(store: Store, collectionId: number, spec: IndexSpec): Index {
  const inserted = store.database
    .prepare('INSERT INTO indexes (collection, spec, multikey_fields) VALUES (?, ?, 0)')
    .run(collectionId, storedForm(encodeDocument(formatIndexSpec(spec))));
  const id = Number(inserted.lastInsertRowid);
  store.database.exec(
    `CREATE TABLE ${indexTable(id)} (key BLOB NOT NULL, record INTEGER NOT NULL, PRIMARY KEY (key, record)) WITHOUT ROWID`,
  );
  return { id, spec, multikeyFields: 0, statements: new IndexStatements(store.database, id, collectionId) };
}

export function removeIndex(store: Store, collection: Collection, index: Index): void {
  beginWrite(store);
  store.database.prepare('DELETE FROM indexes WHERE id = ?').run(index.id);
  store.database.exec(`DROP TABLE ${indexTable(index.id)}`);
  if (index.builtTo !== undefined) endBuild(store.database, index.id);
  index.isDropped = true;
  collection.indexes.splice(collection.indexes.indexOf(index), 1);
  collection.indexedNames = undefined;
}

export function dropCollection(store: Store, collection: Collection): void {
  for (const index of [...collection.indexes]) removeIndex(store, collection, index);
  store.database.exec(`DROP TABLE ${recordTable(collection.id)}`);
  store.database.prepare('DELETE FROM collections WHERE id = ?').run(collection.id);
  collection.isDropped = true;
  store.collections.delete(collection.namespace);
}

/** Records which fields of an index have contained an array, for the planner. */
export function markMultikey(store: Store, index: Index, multikeyFields: number): void {
  const all = index.multikeyFields | multikeyFields;
  if (all === index.multikeyFields) return;
  index.multikeyFields = all;
  store.database.prepare('UPDATE indexes SET multikey_fields = ? WHERE id = ?').run(all, index.id);
}
