import { decodeDocument, decodePartly } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import { depthLimit, documentSizeLimitBytes } from '../bson/layout.ts';
import type { Document, Maybe } from '../bson/value.ts';
import { MongoError } from '../errors.ts';
import type { Filter } from '../query/filter.ts';
import type { Collection, Store } from '../store/catalog.ts';
import { insertRecord, type StoredRecord, updateRecord } from '../store/records.ts';
import { applyUpdate, type Update } from '../update/update.ts';
import { upsertedDocument } from '../update/upsert.ts';
import { withId } from './insert.ts';

/** Applies an update to a stored document; `body` is the result, and the same bytes when nothing changed. */
export function changeRecord(
  store: Store,
  collection: Collection,
  record: StoredRecord,
  filter: Filter,
  update: Update,
): { body: Buffer; isModified: boolean } {
  const position = { element: -1 };
  const isPositional = needsPosition(update);
  const needsAll = isPositional || update.kind === 'pipeline';
  const document = needsAll ? decodeDocument(record.body) : decodePartly(record.body, fieldsChangedBy(update));
  if (isPositional) filter.test(document, position);
  const touched = update.kind === 'changes' ? [...update.touched] : undefined;
  const before = touched?.map((name) => document.get(name));
  const updated = applyUpdate(update, document, { element: position.element, isInsert: false });
  const body = encodeStorable(updated);
  if (body.equals(record.body)) return { body, isModified: false };
  const changed = touched?.filter((name, at) => mayDiffer(before?.[at], updated.get(name)));
  updateRecord(store, collection, record, body, changed);
  return { body, isModified: true };
}

/** Documents and arrays are changed in place, so identity does not show whether they changed. */
function mayDiffer(before: Maybe, after: Maybe): boolean {
  return before !== after || before instanceof Map || Array.isArray(before);
}

const idAlone: ReadonlySet<string> = new Set(['_id']);

/** Top-level fields that an update reads or writes; the rest of a document is copied verbatim. */
function fieldsChangedBy(update: Update): ReadonlySet<string> {
  return update.kind === 'changes' ? new Set([...update.touched, '_id']) : idAlone;
}

function needsPosition(update: Update): boolean {
  return update.kind === 'changes' && update.changes.some((change) => change.parts.includes('$'));
}

/** Inserts the document that an upsert builds from its filter and update. */
export function insertUpserted(
  store: Store,
  collection: Collection,
  filter: Filter,
  update: Update,
): { document: Document; body: Buffer } {
  const document = upsertedDocument(filter, update);
  const body = withId(encodeStorable(document));
  insertRecord(store, collection, body);
  return { document, body };
}

function encodeStorable(document: Document): Buffer {
  const body = encodeDocument(document, depthLimit);
  if (body.length <= documentSizeLimitBytes) return body;
  throw new MongoError(
    'ResultTooLarge',
    `The document would have ${body.length} bytes after the update and ${documentSizeLimitBytes} are allowed`,
  );
}
