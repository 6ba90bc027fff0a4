import type { Document } from '../bson/value.ts';
import { MongoError } from '../errors.ts';
import { parseFilter } from '../query/filter.ts';
import { findRecords } from '../query/find.ts';
import { parseHint } from '../query/hint.ts';
import { toNumber } from '../query/operators.ts';
import { noteChange } from '../query/scan.ts';
import { findCollection, type Store } from '../store/catalog.ts';
import { readRecord, removeRecord } from '../store/records.ts';
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
  run: ({ store }, request) => {
    let removed = 0;
    const statements = checkedStatementsOf(request, 'deletes', shape);
    const writeErrors = runStatements(statements, flagOption(request.body, 'ordered', true), (statement) => {
      removed += runDelete(store, request, statement);
    });
    return { n: removed, ...writeErrorsField(writeErrors) };
  },
};

const shape = { known: new Set(['q', 'limit', 'hint']), required: ['q', 'limit'], what: 'a delete' };

function runDelete(store: Store, request: Request, statement: Document): number {
  const limit = toNumber(statement.get('limit'));
  if (limit !== 0 && limit !== 1) {
    throw new MongoError('FailedToParse', 'The limit of a delete must be 0 or 1');
  }
  const filter = parseFilter(documentOption(statement, 'q'));
  const collection = findCollection(store, request.database, collectionName(request));
  if (!collection) return 0;
  const hint = parseHint(statement.get('hint'), collection);
  const ids = Array.from(findRecords(collection, { filter, sort: [], skip: 0, limit, hint }), (record) => record.id);
  for (const id of ids) {
    const record = readRecord(collection, id);
    if (record) removeRecord(store, collection, record);
  }
  if (ids.length > 0) noteChange();
  return ids.length;
}
