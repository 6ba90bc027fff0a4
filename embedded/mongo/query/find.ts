import { decodeDocument } from '../bson/decode.ts';
import type { Maybe } from '../bson/value.ts';
import { createMemory, type Memory, objectBytes, sizeOf, take } from '../memory.ts';
import { isSliceOver, type Pause, pause, sortInSlices, type Work } from '../slice.ts';
import type { Collection } from '../store/catalog.ts';
import { readRecord, type StoredRecord } from '../store/records.ts';
import type { Filter } from './filter.ts';
import type { Hint, IndexPlan, Plan } from './plan.ts';
import { planQuery } from './planner.ts';
import { type Records, readPoint, recordTest, requirePresent, scanPlan } from './scan.ts';
import { compareSortKeys, type SortField, sortKey } from './sort.ts';

export type Query = {
  filter: Filter;
  sort: SortField[];
  skip: number;
  /** 0 for no limit. */
  limit: number;
  hint?: Hint | undefined;
};

/** Yields the documents of a query in its order; reads them on demand when an index yields the sort order. */
export function findRecords(collection: Collection, query: Query, memory: Memory): Records {
  const plan = planQuery(collection, query);
  if (plan.kind === 'index' && plan.isUniquePoint && plan.ranges.length === 1 && query.skip === 0) {
    return matchingPoint(plan, query.filter);
  }
  const requiredCount = plan.providesSort && query.limit > 0 ? query.skip + query.limit : Infinity;
  const matches = matchingRecords(collection, query.filter, plan, requiredCount);
  const ordered = plan.providesSort ? matches : sorted(matches, query, memory);
  return query.skip === 0 && query.limit === 0 ? ordered : page(ordered, query.skip, query.limit);
}

/** Fast path for the most common query, one document by its unique key. */
function* matchingPoint(plan: IndexPlan, filter: Filter): Records {
  const [range] = plan.ranges;
  const record = range && readPoint(plan, range);
  if (record && recordTest(filter)(record)) yield record;
}

function* matchingRecords(collection: Collection, filter: Filter, plan: Plan, requiredCount: number): Records {
  const matches = recordTest(filter);
  for (const record of scanPlan(collection, plan, requiredCount)) if (record === pause || matches(record)) yield record;
}

function* page(records: Iterable<StoredRecord | Pause>, skip: number, limit: number): Records {
  let at = 0;
  for (const record of records) {
    if (record !== pause && at++ < skip) continue;
    yield record;
    if (limit > 0 && at === skip + limit) return;
  }
}

/**
 * Finds the first document of a query, in its current state, to be changed in this slice. A document found before a
 * pause is read again; when it no longer matches, the next one is used.
 */
export function* findTarget(collection: Collection, query: Query): Work<StoredRecord | undefined> {
  for (;;) {
    let wasPaused = false;
    let wasChanged = false;
    for (const found of findRecords(collection, query, createMemory())) {
      if (found === pause) {
        wasPaused = true;
        yield pause;
        continue;
      }
      requirePresent(collection);
      const record = wasPaused ? readRecord(collection, found.id) : found;
      if (record && (!wasPaused || recordTest(query.filter)(record))) return record;
      wasChanged = true;
    }
    if (!wasChanged) return undefined;
  }
}

const keptBytes = 1024 * 1024;

/**
 * Yields the documents of a query, to be changed. Finds all before it yields the first, so that a document that moves
 * in an index is not visited twice. Yields each in its current state and skips one that no longer matches.
 */
export function* findTargets(collection: Collection, query: Query): Records {
  const memory = createMemory();
  const ids: number[] = [];
  /** Documents that need not be read again, because the collection has not changed during a pause. */
  const kept = new Map<number, StoredRecord>();
  let bytes = 0;
  for (const record of findRecords(collection, query, memory)) {
    if (record === pause) {
      yield* pauseWith(collection, kept);
      if (kept.size === 0) bytes = 0;
      continue;
    }
    take(memory, 8);
    ids.push(record.id);
    bytes += record.body.length;
    if (bytes <= keptBytes) kept.set(record.id, record);
  }
  const matches = recordTest(query.filter);
  for (const id of ids) {
    if (isSliceOver()) yield* pauseWith(collection, kept);
    requirePresent(collection);
    const record = kept.get(id) ?? readMatch(collection, id, matches);
    if (record) yield record;
  }
}

/** Pauses, and clears the kept documents when the collection has changed since. */
function* pauseWith(collection: Collection, kept: Map<number, StoredRecord>): Generator<Pause> {
  const { changes } = collection;
  yield pause;
  if (collection.changes !== changes) kept.clear();
}

function readMatch(
  collection: Collection,
  id: number,
  matches: (record: StoredRecord) => boolean,
): StoredRecord | undefined {
  const record = readRecord(collection, id);
  return record && matches(record) ? record : undefined;
}

type SortEntry = { key: Maybe[]; order: number; record: StoredRecord; bytes: number };

const trimSlack = 1000;
const trimBytes = 16 * 1024 * 1024;

/** Sorts in memory; with a limit it keeps only that number of documents. */
function* sorted(records: Records, query: Query, memory: Memory): Records {
  const { sort, skip, limit } = query;
  const names = new Set(sort.map((field) => field.parts[0] ?? ''));
  const requiredCount = limit > 0 ? skip + limit : Infinity;
  let entries: SortEntry[] = [];
  const compare = (a: SortEntry, b: SortEntry) => compareSortKeys(sort, a.key, b.key) || a.order - b.order;
  let order = 0;
  let untrimmedBytes = 0;
  for (const record of records) {
    if (record === pause) {
      yield pause;
      continue;
    }
    const key = sortKey(sort, decodeDocument(record.body, 0, names));
    const bytes = record.body.length + key.reduce<number>((sum, value) => sum + sizeOf(value), 2 * objectBytes);
    take(memory, bytes);
    entries.push({ key, order: order++, record, bytes });
    untrimmedBytes += bytes;
    if (
      entries.length < 2 * requiredCount + trimSlack &&
      (untrimmedBytes < trimBytes || entries.length <= requiredCount)
    )
      continue;
    entries = yield* sortInSlices(entries, compare);
    for (const { bytes: spare } of entries.splice(requiredCount)) take(memory, -spare);
    untrimmedBytes = 0;
  }
  for (const { record } of yield* sortInSlices(entries, compare)) yield record;
}
