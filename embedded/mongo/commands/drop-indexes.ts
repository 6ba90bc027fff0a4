import type { Value } from '../bson/value.ts';
import { MongoError } from '../errors.ts';
import { type Collection, findCollection, type Index, removeIndex } from '../store/catalog.ts';
import { hasKey } from '../store/index-spec.ts';
import { type Command, collectionName } from './command.ts';

export const dropIndexes: Command = {
  kind: 'write',
  options: new Set(['index']),
  run: ({ store }, request) => {
    const name = collectionName(request);
    const collection = findCollection(store, request.database, name);
    if (!collection) throw new MongoError('NamespaceNotFound', `There is no collection ${request.database}.${name}`);
    const nameOrKey = request.body.get('index') ?? null;
    const nIndexesWas = collection.indexes.length;
    const unwanted =
      nameOrKey === '*'
        ? collection.indexes.filter((index) => index !== collection.idIndex)
        : (Array.isArray(nameOrKey) ? nameOrKey : [nameOrKey]).map((one) => findIndex(collection, one));
    for (const index of new Set(unwanted)) removeIndex(store, collection, index);
    return { nIndexesWas };
  },
};

function findIndex(collection: Collection, nameOrKey: Value): Index {
  const index = collection.indexes.find(({ spec }) =>
    nameOrKey instanceof Map ? hasKey(spec, nameOrKey) : spec.name === nameOrKey,
  );
  if (!index) throw new MongoError('IndexNotFound', 'The collection has no such index');
  if (index === collection.idIndex) throw new MongoError('InvalidOptions', 'The index of _id cannot be dropped');
  return index;
}
