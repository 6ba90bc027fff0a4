import type { Document } from '../bson/value.ts';
import { MongoError } from '../errors.ts';
import { parseFilter } from '../query/filter.ts';
import { findTarget, findTargets, type Query } from '../query/find.ts';
import { parseHint } from '../query/hint.ts';
import { toNumber } from '../query/operators.ts';
import { pause, type Work } from '../slice.ts';
import { type Collection, findCollection, type Store } from '../store/catalog.ts';
import { removeRecord, type StoredRecord } from '../store/records.ts';
import {
  type Command,
  checkedStatementsOf,
  collectionName,
  documentOption,
  flagOption,
  type Request,
} from './command.ts';
import { runStatements, writeErrorsField } from './write-result.ts';

export const deleteCommand: Command = {
  kind: 'write',
  options: new Set(['deletes', 'ordered']),
  run: function* ({ store }, request) {
    const result = { removed: 0 };
    const statements = checkedStatementsOf(request, 'deletes', shape);
    const writeErrors = yield* runStatements(statements, flagOption(request.body, 'ordered', true), (statement) =>
      runDelete(store, request, statement, result),
    );
    return { n: result.removed, ...writeErrorsField(writeErrors) };
  },
};

const shape = { known: new Set(['q', 'limit', 'hint']), required: ['q', 'limit'], what: 'a delete' };

type Result = { removed: number };

function* runDelete(store: Store, request: Request, statement: Document, result: Result): Work<void> {
  const limit = toNumber(statement.get('limit'));
  if (limit !== 0 && limit !== 1) {
    throw new MongoError('FailedToParse', 'The limit of a delete must be 0 or 1');
  }
  const filter = parseFilter(documentOption(statement, 'q'));
  const collection = findCollection(store, request.database, collectionName(request));
  if (!collection) return;
  const query: Query = { filter, sort: [], skip: 0, limit, hint: parseHint(statement.get('hint'), collection) };
  if (limit === 0) return yield* deleteAll(store, collection, query, result);
  const target = yield* findTarget(collection, query);
  if (target) remove(store, collection, target, result);
}

function* deleteAll(store: Store, collection: Collection, query: Query, result: Result): Work<void> {
  for (const record of findTargets(collection, query)) {
    if (record === pause) yield pause;
    else remove(store, collection, record, result);
  }
}

function remove(store: Store, collection: Collection, record: StoredRecord, result: Result): void {
  removeRecord(store, collection, record);
  result.removed++;
}
