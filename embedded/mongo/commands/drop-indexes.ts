import type { Value } from '../bson/value.ts';
import { MongoError } from '../errors.ts';
import { parseHint } from '../query/hint.ts';
import { type Collection, findCollection, type Index, removeIndex } from '../store/catalog.ts';
import { type Command, collectionName } from './command.ts';

export const dropIndexes: Command = {
  kind: 'write',
  options: new Set(['index']),
  run: ({ store }, request) => {
    const name = collectionName(request);
    const collection = findCollection(store, request.database, name);
    if (!collection) throw new MongoError('NamespaceNotFound', `There is no collection ${request.database}.${name}`);
    const wanted = request.body.get('index') ?? null;
    const nIndexesWas = collection.indexes.length;
    const unwanted =
      wanted === '*'
        ? collection.indexes.filter((index) => index !== collection.idIndex)
        : (Array.isArray(wanted) ? wanted : [wanted]).map((one) => findIndex(collection, one));
    for (const index of new Set(unwanted)) removeIndex(store, collection, index);
    return { nIndexesWas };
  },
};

function findIndex(collection: Collection, wanted: Value): Index {
  const index = wanted instanceof Map || typeof wanted === 'string' ? existing(collection, wanted) : undefined;
  if (!index) throw new MongoError('IndexNotFound', 'The collection has no such index');
  if (index === collection.idIndex) throw new MongoError('InvalidOptions', 'The index of _id cannot be dropped');
  return index;
}

function existing(collection: Collection, wanted: Value): Index | undefined {
  if (typeof wanted === 'string') return collection.indexes.find(({ spec }) => spec.name === wanted);
  const hint = parseHint(wanted, collection);
  return hint?.kind === 'index' ? hint.index : undefined;
}
