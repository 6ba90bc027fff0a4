import { MongoError, notSupported } from '../errors.ts';
import type { Work } from '../slice.ts';
import { buildIndex, completeBuild } from '../store/build.ts';
import {
  addIndex,
  beginWrite,
  type Collection,
  ensureCollection,
  findCollection,
  type Index,
  removeIndex,
  type Store,
} from '../store/catalog.ts';
import { type IndexSpec, idIndexSpec, parseIndexSpec, sameKey, sameOptions, samePartial } from '../store/index-spec.ts';
import { type Command, collectionName, statementsOf } from './command.ts';

const indexCountLimit = 64;

export const createIndexes: Command = {
  kind: 'write',
  options: new Set(['indexes', 'commitQuorum']),
  run: function* ({ store }, request) {
    const specs = statementsOf(request, 'indexes').map(parseIndexSpec);
    const name = collectionName(request);
    const existed = findCollection(store, request.database, name) !== undefined;
    const collection = ensureCollection(store, request.database, name);
    const numIndexesBefore = collection.indexes.length;
    // Validate all before creating the first.
    const missing = specs.filter((spec) => !findIndex(collection, spec));
    if (numIndexesBefore + missing.length > indexCountLimit) {
      throw new MongoError('CannotCreateIndex', `A collection can have ${indexCountLimit} indexes`);
    }
    const before = new Set(collection.indexes);
    yield* ensureAll(store, collection, specs);
    const added = collection.indexes.filter((index) => !before.has(index)).length;
    return {
      numIndexesBefore,
      numIndexesAfter: numIndexesBefore + added,
      createdCollectionAutomatically: !existed,
    };
  },
};

/** Finds the index, finished or being built. Throws when a different one has the same name or key. */
function findIndex(collection: Collection, requested: IndexSpec): Index | undefined {
  const index =
    collection.indexes.find(({ spec }) => spec.name === requested.name) ??
    collection.indexes.find(({ spec }) => sameKey(spec, requested) && samePartial(spec, requested));
  if (!index) return undefined;
  const { spec } = index;
  if (!sameKey(spec, requested)) {
    throw new MongoError('IndexKeySpecsConflict', `An index named ${requested.name} exists with another key`);
  }
  if (spec === idIndexSpec) return index;
  const isAlike = spec.unique === requested.unique && spec.sparse === requested.sparse && sameOptions(spec, requested);
  if (!isAlike || !samePartial(spec, requested)) {
    throw new MongoError(
      spec.name === requested.name ? 'IndexKeySpecsConflict' : 'IndexOptionsConflict',
      `The index ${spec.name} exists with other options than ${requested.name} asks for`,
    );
  }
  if (spec.name !== requested.name) {
    throw new MongoError('IndexOptionsConflict', `The index ${requested.name} exists under the name ${spec.name}`);
  }
  return index;
}

/** Creates all indexes or, when one fails, none. */
function* ensureAll(store: Store, collection: Collection, specs: IndexSpec[]): Work<void> {
  const made: Index[] = [];
  try {
    for (const spec of specs) {
      const present = findIndex(collection, spec);
      if (present) yield* completeBuild(store, collection, present);
      else made.push(yield* build(store, collection, spec));
    }
  } catch (error) {
    const isLeftToResume = error instanceof MongoError && error.codeName === 'InterruptedAtShutdown';
    if (error instanceof MongoError && !isLeftToResume) {
      for (const index of made) if (!index.isDropped) removeIndex(store, collection, index);
    }
    throw error;
  }
}

function* build(store: Store, collection: Collection, spec: IndexSpec): Work<Index> {
  if (spec.name === idIndexSpec.name) throw notSupported('an index named _id_ on other fields');
  const texts = collection.indexes.find((index) => index.spec.kind?.name === 'text');
  if (spec.kind?.name === 'text' && texts) {
    const found = `found existing text index "${texts.spec.name}"`;
    throw new MongoError('CannotCreateIndex', `only one text index per collection allowed, ${found}`);
  }
  beginWrite(store);
  const index = addIndex(store, collection.id, spec);
  collection.indexes.push(index);
  collection.indexedNames = undefined;
  yield* buildIndex(store, collection, index);
  return index;
}
