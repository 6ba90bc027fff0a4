import { encodeDocument } from '../bson/encode.ts';
import { MongoError } from '../errors.ts';
import { findCollection } from '../store/catalog.ts';
import { formatIndexSpec } from '../store/index-spec.ts';
import { type Command, collectionName } from './command.ts';
import { listReply } from './list-reply.ts';

export const listIndexes: Command = {
  kind: 'read',
  options: new Set(['cursor']),
  run: ({ store, cursors }, request) => {
    const name = collectionName(request);
    const namespace = `${request.database}.${name}`;
    const collection = findCollection(store, request.database, name);
    if (!collection) throw new MongoError('NamespaceNotFound', `There is no collection ${namespace}`);
    const built = collection.indexes.filter(({ builtTo }) => builtTo === undefined);
    const documents = built.map(({ spec }) => encodeDocument(formatIndexSpec(spec)));
    return listReply(cursors, request, namespace, documents);
  },
};
