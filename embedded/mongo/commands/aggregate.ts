import { type Pipeline, parsePipeline, runStages } from '../aggregate/pipeline.ts';
import type { Stage } from '../aggregate/stage.ts';
import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import { documentSizeLimitBytes } from '../bson/layout.ts';
import type { Document } from '../bson/value.ts';
import { openCursor } from '../cursors.ts';
import { MongoError, notSupported } from '../errors.ts';
import { findRecords } from '../query/find.ts';
import { parseHint } from '../query/hint.ts';
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
import { countRecords } from './count.ts';

export const aggregate: Command = {
  kind: 'read',
  options: new Set(['pipeline', 'cursor', 'hint', 'allowDiskUse', 'bypassDocumentValidation']),
  run: ({ store, cursors }, request) => {
    const name = aggregatedCollection(request);
    const namespace = `${request.database}.${name}`;
    if (!request.body.has('cursor')) throw new MongoError('FailedToParse', "The 'cursor' option is required");
    const batchSize = countOption(documentOption(request.body, 'cursor'), 'batchSize', firstBatchDocuments);
    const collection = findCollection(store, request.database, name);
    const pipeline = parseAggregate(request, collection);
    const options = { namespace, batchSize, singleBatch: false, limit: 0 };
    const batch = openCursor(cursors, bodiesOf(collection, pipeline), options);
    return { cursor: { firstBatch: batch.documents, id: batch.id, ns: namespace } };
  },
};

/** The collection of an aggregate command. */
export function aggregatedCollection(request: Request): string {
  if (typeof request.body.get(request.name) === 'number') throw notSupported('an aggregation over a whole database');
  return collectionName(request);
}

/** The pipeline of an aggregate command's body; also that of explain. */
export function parseAggregate(request: Pick<Request, 'body'>, collection: Collection | undefined): Pipeline {
  const pipeline = parsePipeline(request.body.get('pipeline') ?? null);
  pipeline.query.hint = parseHint(request.body.get('hint'), collection);
  return pipeline;
}

function* bodiesOf(collection: Collection | undefined, { query, stages }: Pipeline): Generator<Buffer> {
  const records = collection ? findRecords(collection, query) : [];
  if (stages.length === 0) {
    for (const { body } of records) yield body;
    return;
  }
  const [first, ...rest] = stages;
  const results =
    first?.ofCount && collection
      ? runStages(first.ofCount(countRecords(collection, query)), rest)
      : runStages(documentsFor(stages, records), stages);
  for (const document of results) yield encodeResult(document);
}

const collectedLimitBytes = 100 * 1024 * 1024;

/** The documents the first stage reads, up to 100 MiB of them when some stage holds them all. */
function* documentsFor(stages: Stage[], records: Iterable<StoredRecord>): Generator<Document> {
  const reads = stages[0]?.reads;
  const limitBytes = stages.some((stage) => stage.collects) ? collectedLimitBytes : Infinity;
  let sizeBytes = 0;
  for (const { body } of records) {
    sizeBytes += body.length;
    if (sizeBytes > limitBytes) throw tooMuch();
    yield decodeDocument(body, 0, reads);
  }
}

function tooMuch(): MongoError {
  return new MongoError(
    'QueryExceededMemoryLimitNoDiskUseAllowed',
    'The aggregation would hold more than 100 MiB of documents; let a $match or $limit before it select fewer',
  );
}

function encodeResult(document: Document): Buffer {
  const body = encodeDocument(document);
  if (body.length <= documentSizeLimitBytes) return body;
  throw new MongoError(
    'BSONObjectTooLarge',
    `A document of the result has ${body.length} bytes and ${documentSizeLimitBytes} are allowed`,
  );
}
