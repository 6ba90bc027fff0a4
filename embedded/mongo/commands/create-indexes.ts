import { MongoError, notSupported } from '../errors.ts';
import { scanPlan } from '../query/scan.ts';
import {
  addIndex,
  beginWrite,
  type Collection,
  ensureCollection,
  findCollection,
  removeIndex,
  type Store,
} from '../store/catalog.ts';
import { type IndexSpec, idIndexSpec, parseIndexSpec, sameKey } from '../store/index-spec.ts';
import { fillIndex } from '../store/records.ts';
import { type Command, collectionName, statementsOf } from './command.ts';

const indexCountLimit = 64;

export const createIndexes: Command = {
  kind: 'write',
  options: new Set(['indexes', 'commitQuorum']),
  run: ({ store }, request) => {
    const specs = statementsOf(request, 'indexes').map(parseIndexSpec);
    const name = collectionName(request);
    const existed = findCollection(store, request.database, name) !== undefined;
    const collection = ensureCollection(store, request.database, name);
    const numIndexesBefore = collection.indexes.length;
    // All are checked before the first is made.
    const missing = specs.filter((spec) => !isPresent(collection, spec));
    if (numIndexesBefore + missing.length > indexCountLimit) {
      throw new MongoError('CannotCreateIndex', `A collection can have ${indexCountLimit} indexes`);
    }
    buildAll(store, collection, missing);
    return { numIndexesBefore, numIndexesAfter: collection.indexes.length, createdCollectionAutomatically: !existed };
  },
};

/** Throws when an index of the same name or key exists that is another. */
function isPresent(collection: Collection, wanted: IndexSpec): boolean {
  for (const { spec } of collection.indexes) {
    if (spec.name !== wanted.name && !sameKey(spec, wanted)) continue;
    if (spec === idIndexSpec && sameKey(spec, wanted)) return true;
    if (!sameKey(spec, wanted)) {
      throw new MongoError('IndexKeySpecsConflict', `An index named ${wanted.name} exists with another key`);
    }
    if (spec.unique !== wanted.unique || spec.sparse !== wanted.sparse) {
      throw new MongoError(
        spec.name === wanted.name ? 'IndexKeySpecsConflict' : 'IndexOptionsConflict',
        `The index ${spec.name} exists with other options than ${wanted.name} asks for`,
      );
    }
    if (spec.name !== wanted.name) {
      throw new MongoError('IndexOptionsConflict', `The index ${wanted.name} exists under the name ${spec.name}`);
    }
    return true;
  }
  return false;
}

/** Makes all or, when one is refused, none. */
function buildAll(store: Store, collection: Collection, specs: IndexSpec[]): void {
  const present = collection.indexes.length;
  try {
    for (const spec of specs) if (!isPresent(collection, spec)) build(store, collection, spec);
  } catch (error) {
    if (error instanceof MongoError) {
      for (const index of collection.indexes.slice(present)) removeIndex(store, collection, index);
    }
    throw error;
  }
}

function build(store: Store, collection: Collection, spec: IndexSpec): void {
  if (spec.name === idIndexSpec.name) throw notSupported('an index named _id_ on other fields');
  beginWrite(store);
  const index = addIndex(store, collection.id, spec);
  collection.indexes.push(index);
  collection.indexedNames = undefined;
  for (const record of scanPlan(collection, { kind: 'collection', backward: false, providesSort: true })) {
    fillIndex(store, collection, index, record);
  }
}
