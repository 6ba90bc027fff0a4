import { type Pipeline, parsePipeline, runStages } from '../aggregate/pipeline.ts';
import type { Stage } from '../aggregate/stage.ts';
import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import { documentSizeLimitBytes } from '../bson/layout.ts';
import type { Document } from '../bson/value.ts';
import { openCursor } from '../cursors.ts';
import { MongoError, notSupported } from '../errors.ts';
import { createMemory, type Memory } from '../memory.ts';
import { countRecords } from '../query/count.ts';
import { findRecords } from '../query/find.ts';
import { parseHint } from '../query/hint.ts';
import { type Pause, pause } from '../slice.ts';
import { type Collection, findCollection } from '../store/catalog.ts';
import type { StoredRecord } from '../store/records.ts';
import {
  type Command,
  collectionName,
  countOption,
  documentOption,
  firstBatchDocuments,
  type Request,
} from './command.ts';

export const aggregate: Command = {
  kind: 'read',
  options: new Set(['pipeline', 'cursor', 'hint', 'allowDiskUse', 'bypassDocumentValidation']),
  run: function* ({ store, cursors }, request) {
    const name = aggregatedCollection(request);
    const namespace = `${request.database}.${name}`;
    if (!request.body.has('cursor')) throw new MongoError('FailedToParse', "The 'cursor' option is required");
    const batchSize = countOption(documentOption(request.body, 'cursor'), 'batchSize', firstBatchDocuments);
    const collection = findCollection(store, request.database, name);
    const pipeline = parseAggregate(request, collection);
    const memory = createMemory();
    const limits = { singleBatch: false, limit: 0, timeLeft: request.timeLimit, noTimeout: false };
    const options = { namespace, batchSize, memory, ...limits };
    const batch = yield* openCursor(cursors, bodiesOf(collection, pipeline, memory), options);
    return { cursor: { firstBatch: batch.documents, id: batch.id, ns: namespace } };
  },
};

/** The collection of an aggregate command. */
export function aggregatedCollection(request: Request): string {
  if (typeof request.body.get(request.name) === 'number') throw notSupported('an aggregation over a whole database');
  return collectionName(request);
}

/** Parses the pipeline in the body of an aggregate or explain command. */
export function parseAggregate(request: Pick<Request, 'body'>, collection: Collection | undefined): Pipeline {
  const pipeline = parsePipeline(request.body.get('pipeline') ?? null);
  pipeline.query.hint = parseHint(request.body.get('hint'), collection);
  return pipeline;
}

function* bodiesOf(
  collection: Collection | undefined,
  { query, stages }: Pipeline,
  memory: Memory,
): Generator<Buffer | Pause> {
  const records = collection ? findRecords(collection, query, memory) : [];
  const [first, ...rest] = stages;
  if (!first) {
    for (const record of records) yield record === pause ? pause : record.body;
    return;
  }
  const results =
    first.ofCount && collection
      ? runStages(first.ofCount(yield* countRecords(collection, query, memory)), rest, memory)
      : runStages(documentsFor(first, records), stages, memory);
  for (const document of results) yield document === pause ? pause : encodeResult(document);
}

/** Decodes the fields of each record that the first stage reads. */
function* documentsFor({ reads }: Stage, records: Iterable<StoredRecord | Pause>): Generator<Document | Pause> {
  for (const record of records) yield record === pause ? pause : decodeDocument(record.body, 0, reads);
}

function encodeResult(document: Document): Buffer {
  const body = encodeDocument(document);
  if (body.length <= documentSizeLimitBytes) return body;
  throw new MongoError(
    'BSONObjectTooLarge',
    `A document of the result has ${body.length} bytes and ${documentSizeLimitBytes} are allowed`,
  );
}
