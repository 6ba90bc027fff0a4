import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import type { Fields } from '../bson/value.ts';
import { type Cursors, openCursor } from '../cursors.ts';
import { MongoError } from '../errors.ts';
import { createMemory } from '../memory.ts';
import { parseFilter } from '../query/filter.ts';
import type { Work } from '../slice.ts';
import { findCollection } from '../store/catalog.ts';
import { formatIndexSpec } from '../store/index-spec.ts';
import { type Command, collectionName, countOption, documentOption, flagOption, type Request } from './command.ts';

export const listCollections: Command = {
  kind: 'read',
  options: new Set(['filter', 'nameOnly', 'cursor', 'authorizedCollections']),
  run: ({ store, cursors }, request) => {
    const namespace = `${request.database}.$cmd.listCollections`;
    const filter = parseFilter(documentOption(request.body, 'filter'));
    const nameOnly = flagOption(request.body, 'nameOnly');
    const documents = [...store.collections.values()]
      .filter((collection) => collection.database === request.database)
      .map(({ name, idIndex }) => {
        const details = { options: {}, info: { readOnly: false }, idIndex: formatIndexSpec(idIndex.spec) };
        return encodeDocument({ name, type: 'collection', ...(nameOnly ? {} : details) });
      })
      .filter((document) => filter.test(decodeDocument(document)));
    return listReply(cursors, request, namespace, documents);
  },
};

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

/** Builds the reply of a command that lists the catalog: a cursor over the encoded documents. */
function* listReply(cursors: Cursors, request: Request, namespace: string, documents: Buffer[]): Work<Fields> {
  const batchSize = countOption(documentOption(request.body, 'cursor'), 'batchSize', Infinity);
  const limits = { singleBatch: false, limit: documents.length, timeLeft: Infinity, noTimeout: false };
  const options = { namespace, batchSize, memory: createMemory(), ...limits };
  const batch = yield* openCursor(cursors, documents.values(), options);
  return { cursor: { firstBatch: batch.documents, id: batch.id, ns: namespace } };
}
