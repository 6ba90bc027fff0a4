import type { Document, Fields } from '../bson/value.ts';
import { badValue, MongoError } from '../errors.ts';
import { parseFilter } from '../query/filter.ts';
import { findTarget, findTargets, type Query } from '../query/find.ts';
import { parseHint } from '../query/hint.ts';
import { parseSort } from '../query/sort.ts';
import { pause, type Work } from '../slice.ts';
import { type Collection, ensureCollection, findCollection, type Store } from '../store/catalog.ts';
import { arrayFilterDocuments, parseArrayFilters } from '../update/array-filters.ts';
import { parseUpdate, type Update } from '../update/update.ts';
import { changeRecord, insertUpserted } from './change-record.ts';
import {
  type Command,
  checkedStatementsOf,
  collectionName,
  documentOption,
  flagOption,
  type Request,
} from './command.ts';
import { runStatements, writeErrorsField } from './write-result.ts';

type Result = { matched: number; modified: number; upserted: Fields[] };

export const update: Command = {
  kind: 'write',
  options: new Set(['updates', 'ordered', 'bypassDocumentValidation']),
  run: function* ({ store }, request) {
    const result: Result = { matched: 0, modified: 0, upserted: [] };
    const statements = checkedStatementsOf(request, 'updates', shape);
    for (const statement of statements) arrayFiltersOf(statement);
    const writeErrors = yield* runStatements(
      statements,
      flagOption(request.body, 'ordered', true),
      (statement, index) => runUpdate(store, request, statement, index, result),
    );
    return {
      n: result.matched + result.upserted.length,
      nModified: result.modified,
      ...(result.upserted.length > 0 ? { upserted: result.upserted } : {}),
      ...writeErrorsField(writeErrors),
    };
  },
};

const shape = {
  known: new Set(['q', 'u', 'multi', 'upsert', 'hint', 'sort', 'arrayFilters']),
  required: ['q', 'u'],
  what: 'an update',
};

function arrayFiltersOf(statement: Document): Document[] {
  return arrayFilterDocuments(statement.get('arrayFilters'), 'update.updates.arrayFilters');
}

function* runUpdate(store: Store, request: Request, statement: Document, index: number, result: Result): Work<void> {
  const name = collectionName(request);
  const collection = findCollection(store, request.database, name);
  const isMulti = flagOption(statement, 'multi');
  const parsed = parseUpdate(statement.get('u'), parseArrayFilters(arrayFiltersOf(statement)));
  if (isMulti && parsed.kind === 'replacement') {
    throw new MongoError('FailedToParse', 'multi update is not supported for replacement-style update');
  }
  if (isMulti && statement.has('sort')) throw badValue('An update of many documents cannot have a sort');
  const query: Query = {
    filter: parseFilter(documentOption(statement, 'q')),
    sort: parseSort(documentOption(statement, 'sort')),
    skip: 0,
    limit: isMulti ? 0 : 1,
    hint: parseHint(statement.get('hint'), collection),
  };
  const matched = collection ? yield* updateMatches(store, collection, query, parsed, result) : 0;
  if (matched > 0 || !flagOption(statement, 'upsert')) return;
  const target = ensureCollection(store, request.database, name);
  const { document } = insertUpserted(store, target, query.filter, parsed);
  result.upserted.push({ index, _id: document.get('_id') });
}

function* updateMatches(
  store: Store,
  collection: Collection,
  query: Query,
  parsed: Update,
  result: Result,
): Work<number> {
  if (query.limit === 1) {
    const target = yield* findTarget(collection, query);
    if (!target) return 0;
    result.matched++;
    if (changeRecord(store, collection, target, query.filter, parsed).isModified) result.modified++;
    return 1;
  }
  let matched = 0;
  for (const record of findTargets(collection, query)) {
    if (record === pause) {
      yield pause;
      continue;
    }
    const { isModified } = changeRecord(store, collection, record, query.filter, parsed);
    matched++;
    result.matched++;
    if (isModified) result.modified++;
  }
  return matched;
}
