import type { Document } from '../bson/value.ts';
import { type BatchOptions, type DocumentSource, openCursor } from '../cursors.ts';
import { createMemory, type Memory } from '../memory.ts';
import { parseFilter } from '../query/filter.ts';
import { findRecords, type Query } from '../query/find.ts';
import { parseHint } from '../query/hint.ts';
import { type Projection, parseProjection } from '../query/projection.ts';
import { parseSort } from '../query/sort.ts';
import { type Pause, pause } from '../slice.ts';
import { type Collection, findCollection } from '../store/catalog.ts';
import type { StoredRecord } from '../store/records.ts';
import {
  type Command,
  collectionName,
  countOption,
  documentOption,
  firstBatchDocuments,
  flagOption,
  type Request,
} from './command.ts';

const findOptions = new Set([
  'filter',
  'sort',
  'projection',
  'skip',
  'limit',
  'batchSize',
  'singleBatch',
  'hint',
  'noCursorTimeout',
  'allowPartialResults',
  'allowDiskUse',
]);

export const find: Command = {
  kind: 'read',
  options: findOptions,
  run: function* ({ store, cursors }, request) {
    const name = collectionName(request);
    const namespace = `${request.database}.${name}`;
    const collection = findCollection(store, request.database, name);
    const query = parseQuery(request, collection);
    const projection = documentOption(request.body, 'projection');
    const memory = createMemory();
    const documents = foundDocuments(collection, query, projection, memory);
    const options: BatchOptions = {
      namespace,
      batchSize: countOption(request.body, 'batchSize', firstBatchDocuments),
      singleBatch: flagOption(request.body, 'singleBatch'),
      limit: query.limit,
      memory,
      timeLeft: request.timeLimit,
      noTimeout: flagOption(request.body, 'noCursorTimeout'),
    };
    const batch = yield* openCursor(cursors, documents, options);
    return { cursor: { firstBatch: batch.documents, id: batch.id, ns: namespace } };
  },
};

/** Parses the query in the body of a find or explain command. */
export function parseQuery(request: Pick<Request, 'body'>, collection: Collection | undefined): Query {
  return {
    filter: parseFilter(documentOption(request.body, 'filter')),
    sort: parseSort(documentOption(request.body, 'sort')),
    skip: countOption(request.body, 'skip', 0),
    limit: countOption(request.body, 'limit', 0),
    hint: parseHint(request.body.get('hint'), collection),
  };
}

function foundDocuments(
  collection: Collection | undefined,
  query: Query,
  projection: Document,
  memory: Memory,
): DocumentSource {
  const parsed = parseProjection(projection, query.filter);
  return bodiesOf(collection ? findRecords(collection, query, memory) : [], parsed);
}

function* bodiesOf(
  records: Iterable<StoredRecord | Pause>,
  projection: Projection | undefined,
): Generator<Buffer | Pause> {
  for (const record of records) {
    if (record === pause) yield pause;
    else yield projection ? projection.ofStored(record.body) : record.body;
  }
}
