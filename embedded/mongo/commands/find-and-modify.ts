import { decodeField } from '../bson/decode.ts';
import type { Fields } from '../bson/value.ts';
import { badValue, MongoError } from '../errors.ts';
import { type Filter, parseFilter } from '../query/filter.ts';
import { findTarget, type Query } from '../query/find.ts';
import { parseHint } from '../query/hint.ts';
import { type Projection, parseProjection } from '../query/projection.ts';
import { parseSort } from '../query/sort.ts';
import { type Collection, ensureCollection, findCollection, type Store } from '../store/catalog.ts';
import { removeRecord, type StoredRecord } from '../store/records.ts';
import { arrayFilterDocuments, parseArrayFilters } from '../update/array-filters.ts';
import { parseUpdate } from '../update/update.ts';
import { changeRecord, insertUpserted } from './change-record.ts';
import { type Command, collectionName, documentOption, flagOption, type Request } from './command.ts';

export const findAndModify: Command = {
  kind: 'write',
  options: new Set([
    'query',
    'sort',
    'remove',
    'update',
    'new',
    'fields',
    'upsert',
    'hint',
    'bypassDocumentValidation',
    'arrayFilters',
  ]),
  run: function* ({ store }, request) {
    const collection = findCollection(store, request.database, collectionName(request));
    const query: Query = {
      filter: parseFilter(documentOption(request.body, 'query')),
      sort: parseSort(documentOption(request.body, 'sort')),
      skip: 0,
      limit: 1,
      hint: parseHint(request.body.get('hint'), collection),
    };
    const projection = projectionOf(request, query.filter);
    const record = collection && (yield* findTarget(collection, query));
    const target = record && collection ? { collection, record } : undefined;
    return flagOption(request.body, 'remove')
      ? remove(store, request, projection, target)
      : modify(store, request, query, projection, target);
  },
};

type Target = { collection: Collection; record: StoredRecord };

/** Parsed before the first write, so that an invalid projection changes nothing. */
function projectionOf(request: Request, filter: Filter): Projection | undefined {
  const fields = documentOption(request.body, 'fields');
  if (flagOption(request.body, 'new') && [...fields.keys()].some((path) => path.endsWith('.$'))) {
    throw badValue('A positional projection needs the document as it was, not the new one');
  }
  return parseProjection(fields, filter);
}

function remove(
  store: Store,
  request: Request,
  projection: Projection | undefined,
  target: Target | undefined,
): Fields {
  if (request.body.has('update') || flagOption(request.body, 'new') || flagOption(request.body, 'upsert')) {
    throw new MongoError('FailedToParse', 'findAndModify cannot have remove together with update, new or upsert');
  }
  if (request.body.has('arrayFilters')) {
    throw new MongoError('FailedToParse', 'Cannot specify arrayFilters and remove=true');
  }
  if (!target) return { lastErrorObject: { n: 0 }, value: null };
  const value = projected(projection, target.record.body);
  removeRecord(store, target.collection, target.record);
  return { lastErrorObject: { n: 1 }, value };
}

function modify(
  store: Store,
  request: Request,
  query: Query,
  projection: Projection | undefined,
  target: Target | undefined,
): Fields {
  if (!request.body.has('update')) throw new MongoError('FailedToParse', 'findAndModify needs an update or remove');
  const arrayFilters = arrayFilterDocuments(request.body.get('arrayFilters'), 'findAndModify.arrayFilters');
  const update = parseUpdate(request.body.get('update'), parseArrayFilters(arrayFilters));
  const wantsNew = flagOption(request.body, 'new');
  if (target) {
    const { record, collection } = target;
    const before = wantsNew ? undefined : projected(projection, record.body);
    const { body } = changeRecord(store, collection, record, query.filter, update);
    const value = before ?? projected(projection, body);
    return { lastErrorObject: { n: 1, updatedExisting: true }, value };
  }
  if (!flagOption(request.body, 'upsert')) return { lastErrorObject: { n: 0, updatedExisting: false }, value: null };
  const collection = ensureCollection(store, request.database, collectionName(request));
  const { body } = insertUpserted(store, collection, query.filter, update);
  const upserted = decodeField(body, '_id');
  const value = wantsNew ? projected(projection, body) : null;
  return { lastErrorObject: { n: 1, updatedExisting: false, upserted }, value };
}

function projected(projection: Projection | undefined, body: Buffer): Buffer {
  return projection ? projection.ofStored(body) : body;
}
