import { decodeDocument } from '../bson/decode.ts';
import type { Document } from '../bson/value.ts';
import { MongoError } from '../errors.ts';
import { isSliceOver, type Pause, pause } from '../slice.ts';
import type { Collection } from '../store/catalog.ts';
import { readRecord, type StoredRecord } from '../store/records.ts';
import { rowOf, rowsOf } from '../store/statements.ts';
import { bodyOf } from '../store/stored-form.ts';
import { beforeAllKeys, type KeyRange } from './bounds.ts';
import { type Filter, fieldsOf } from './filter.ts';
import { addId, type IdSet } from './id-set.ts';
import type { IndexPlan, Plan } from './plan.ts';

export type Records = Generator<StoredRecord | Pause>;

/** The first chunk is small, because many readers stop early. */
const firstChunkRows = 16;
const chunkRows = 128;
const chunkBytes = 1024 * 1024;

/**
 * Yields the candidates of a plan in its order. The database may change between two of them: each is yielded in its
 * current state. `maximum` is the number of documents the reader needs if all of them match.
 */
export function scanPlan(collection: Collection, plan: Plan, maximum = Infinity): Records {
  if (plan.kind === 'collection') return scanRows(collection, collectionRows(collection, plan.backward));
  if (plan.kind === 'union') return withoutRepeats(scanUnion(collection, plan.plans));
  const records = scanIndex(collection, plan, maximum);
  return plan.mayRepeat ? withoutRepeats(records) : records;
}

function scanIndex(collection: Collection, plan: IndexPlan, maximum: number): Records {
  if (plan.mergesFrom !== undefined) return mergeRanges(collection, plan, plan.mergesFrom);
  const [only] = plan.ranges;
  if (!only || plan.ranges.length > 1 || plan.isUniquePoint) return scanRanges(collection, plan, maximum);
  return scanRows(collection, indexRows(collection, plan, only, maximum));
}

function* scanUnion(collection: Collection, plans: Plan[]): Records {
  for (const plan of plans) yield* scanPlan(collection, plan);
}

function* withoutRepeats(records: Iterable<StoredRecord | Pause>): Records {
  const seen: IdSet = new Map();
  for (const record of records) if (record === pause || addId(seen, record.id)) yield record;
}

function* scanRanges(collection: Collection, plan: IndexPlan, maximum: number): Records {
  const ranges = plan.backward ? plan.ranges.toReversed() : plan.ranges;
  for (const range of ranges) {
    if (plan.isUniquePoint) {
      const record = readPoint(plan, range);
      if (record) yield record;
    } else yield* scanRows(collection, indexRows(collection, plan, range, maximum));
    if (isSliceOver()) yield pause;
  }
}

function* scanRows(collection: Collection, rows: Rows): Records {
  for (let row = nextRow(rows); row; row = nextRow(rows)) {
    const record = recordOf(collection, row);
    if (record) yield record;
    if (isSliceOver()) yield pause;
  }
}

/** Reads the document of a whole key of a unique index. */
export function readPoint({ index }: IndexPlan, range: KeyRange): StoredRecord | undefined {
  requirePresent(index);
  const row = rowOf<[number, Uint8Array]>(index.statements.read.get(range.from));
  return row && { id: row[0], body: bodyOf(row[1]) };
}

/** An index key or a record id; the id of the record; and its stored body, null when it is large. */
type Row = [key: Uint8Array | number, record: number, body: Uint8Array | null];

/** Row reader over a collection or a range of an index, with a prefetched chunk. */
type Rows = {
  collection: Collection;
  scanned: { isDropped?: boolean };
  /** Reads `size` rows after a row, or from the start. */
  read: (last: Row | undefined, size: number) => unknown;
  last: Row | undefined;
  ahead: Row[];
  at: number;
  readAt: number;
  size: number;
  isEnd: boolean;
};

function rowsFrom(collection: Collection, scanned: Rows['scanned'], read: Rows['read'], size: number): Rows {
  return { collection, scanned, read, last: undefined, ahead: [], at: 0, readAt: -1, size, isEnd: false };
}

function collectionRows(collection: Collection, backward: boolean): Rows {
  const statement = backward ? collection.statements.backward : collection.statements.forward;
  const start = backward ? Number.MAX_SAFE_INTEGER : 0;
  return rowsFrom(collection, collection, (last, size) => statement.all(last ? last[1] : start, size), firstChunkRows);
}

function indexRows(collection: Collection, { index, backward }: IndexPlan, range: KeyRange, maximum: number): Rows {
  const statement = backward ? index.statements.backward : index.statements.forward;
  const [start, limit] = backward ? [range.to, range.from] : [range.from, range.to];
  const size = maximum === Infinity ? firstChunkRows : Math.min(maximum, chunkRows);
  const read: Rows['read'] = (last, maxRows) =>
    statement.all(last ? last[0] : start, last ? last[1] : -1, limit, maxRows);
  return rowsFrom(collection, index, read, size);
}

/** Returns the next row. Reads the prefetched rows again when documents have changed since. */
function nextRow(rows: Rows): Row | undefined {
  if (rows.at === rows.ahead.length || rows.readAt !== rows.collection.changes) readAhead(rows);
  else requirePresent(rows.scanned);
  const row = rows.ahead[rows.at++];
  if (row) rows.last = row;
  return row;
}

function readAhead(rows: Rows): void {
  requirePresent(rows.scanned);
  const { changes } = rows.collection;
  if (rows.isEnd && rows.readAt === changes) return;
  rows.readAt = changes;
  rows.ahead = rowsOf<Row>(rows.read(rows.last, rows.size));
  rows.at = 0;
  rows.isEnd = rows.ahead.length < rows.size;
  let bytes = 1;
  for (const [key, , body] of rows.ahead) bytes += (typeof key === 'number' ? 0 : key.length) + (body?.length ?? 0);
  rows.size = Math.max(1, Math.min(chunkRows, 4 * rows.size, Math.floor((rows.size * chunkBytes) / bytes)));
}

/** Returns the document of a row; reads a large one now. */
function recordOf(collection: Collection, [, id, body]: Row): StoredRecord | undefined {
  return body ? { id, body: bodyOf(body) } : readRecord(collection, id);
}

type Source = { rows: Rows; prefixBytes: number; next: Row | undefined };

/** Merges several ranges, ordered by the key bytes after the first `prefixBytes` of each range. */
function* mergeRanges(collection: Collection, plan: IndexPlan, prefixBytes: number[]): Records {
  const sources: Source[] = [];
  for (const [at, range] of plan.ranges.entries()) {
    const rows = indexRows(collection, plan, range, 1);
    sources.push({ rows, prefixBytes: prefixBytes[at] ?? 0, next: nextRow(rows) });
  }
  for (;;) {
    let best: Source | undefined;
    for (const source of sources) if (source.next && (!best || isBefore(source, best, plan.backward))) best = source;
    if (!best?.next) return;
    requirePresent(collection);
    const isCurrent = best.rows.readAt === collection.changes;
    const record = isCurrent ? recordOf(collection, best.next) : readRecord(collection, best.next[1]);
    if (record) yield record;
    if (isSliceOver()) yield pause;
    best.next = nextRow(best.rows);
  }
}

function isBefore(one: Source, other: Source, backward: boolean): boolean {
  const order = Buffer.compare(behindPrefix(one), behindPrefix(other));
  return backward ? order > 0 : order < 0;
}

function behindPrefix({ next, prefixBytes }: Source): Uint8Array {
  const key = next?.[0];
  return key instanceof Uint8Array ? key.subarray(prefixBytes) : beforeAllKeys;
}

/** Throws QueryPlanKilled when the scanned collection or index was dropped during a pause. */
export function requirePresent(scanned: { isDropped?: boolean }): void {
  if (scanned.isDropped)
    throw new MongoError('QueryPlanKilled', 'The collection or index was dropped during the query');
}

/** Returns the test of a stored document; decodes only the fields that the filter names. */
export function recordTest(filter: Filter): (record: StoredRecord) => boolean {
  const names = fieldsOf(filter);
  return names.size === 0 ? () => filter.test(noFields) : ({ body }) => filter.test(decodeDocument(body, 0, names));
}

const noFields: Document = new Map();
