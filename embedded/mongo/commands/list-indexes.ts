import { encodeDocument } from '../bson/encode.ts';
import { openCursor } from '../cursors.ts';
import { MongoError } from '../errors.ts';
import { findCollection } from '../store/catalog.ts';
import { formatIndexSpec } from '../store/index-spec.ts';
import { type Command, collectionName, countOption, documentOption } from './command.ts';

export const listIndexes: Command = {
  kind: 'read',
  options: new Set(['cursor']),
  run: ({ store, cursors }, request) => {
    const name = collectionName(request);
    const namespace = `${request.database}.${name}`;
    const collection = findCollection(store, request.database, name);
    if (!collection) throw new MongoError('NamespaceNotFound', `There is no collection ${namespace}`);
    const documents = collection.indexes.map(({ spec }) => encodeDocument(formatIndexSpec(spec)));
    const batchSize = countOption(documentOption(request.body, 'cursor'), 'batchSize', Infinity);
    const batch = openCursor(cursors, documents.values(), {
      namespace,
      batchSize,
      singleBatch: false,
      limit: documents.length,
    });
    return { cursor: { firstBatch: batch.documents, id: batch.id, ns: namespace } };
  },
};
