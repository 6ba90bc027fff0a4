import { killCursorsOf } from '../cursors.ts';
import { MongoError } from '../errors.ts';
import { createCollection, dropCollection, findCollection } from '../store/catalog.ts';
import { type Command, collectionName } from './command.ts';

export const create: Command = {
  kind: 'write',
  options: new Set([]),
  run: ({ store }, request) => {
    const name = collectionName(request);
    if (findCollection(store, request.database, name)) {
      throw new MongoError('NamespaceExists', `The collection ${request.database}.${name} exists`);
    }
    createCollection(store, request.database, name);
    return {};
  },
};

export const drop: Command = {
  kind: 'write',
  options: new Set([]),
  run: ({ store, cursors }, request) => {
    const name = collectionName(request);
    const collection = findCollection(store, request.database, name);
    if (!collection) throw new MongoError('NamespaceNotFound', `There is no collection ${request.database}.${name}`);
    const nIndexesWas = collection.indexes.length;
    dropCollection(store, collection);
    killCursorsOf(cursors, (namespace) => namespace === collection.namespace);
    return { nIndexesWas, ns: collection.namespace };
  },
};

export const dropDatabase: Command = {
  kind: 'write',
  options: new Set([]),
  run: ({ store, cursors }, request) => {
    for (const collection of [...store.collections.values()]) {
      if (collection.database === request.database) dropCollection(store, collection);
    }
    killCursorsOf(cursors, (namespace) => namespace.startsWith(`${request.database}.`));
    return { dropped: request.database };
  },
};

export const listDatabases: Command = {
  kind: 'read',
  options: new Set(['nameOnly', 'authorizedDatabases']),
  run: ({ store }) => {
    const names = new Set([...store.collections.values()].map((collection) => collection.database));
    return { databases: [...names].sort().map((name) => ({ name, sizeOnDisk: 0, empty: false })), totalSize: 0 };
  },
};
