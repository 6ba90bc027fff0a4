import { decodeDocument } from '../bson/decode.ts';
import type { Document, Maybe } from '../bson/value.ts';
import { MongoError } from '../errors.ts';
import type { Collection } from '../store/catalog.ts';
import type { StoredRecord } from '../store/records.ts';
import { type Filter, fieldsOf } from './filter.ts';
import { type Hint, type Plan, planQuery } from './planner.ts';
import { scanPlan } from './scan.ts';
import { compareSortKeys, type SortField, sortKey } from './sort.ts';

export type Query = {
  filter: Filter;
  sort: SortField[];
  skip: number;
  /** 0 for no limit. */
  limit: number;
  hint?: Hint | undefined;
};

/** The documents a query selects, in its order; read as they are asked for when an index gives the order. */
export function findRecords(collection: Collection, query: Query): Generator<StoredRecord> {
  const plan = planQuery(collection, query.filter, query.sort, query.hint);
  const wanted = plan.providesSort && query.limit > 0 ? query.skip + query.limit : Infinity;
  const matches = matchingRecords(collection, query.filter, plan, wanted);
  return page(plan.providesSort ? matches : sorted(matches, query), query.skip, query.limit);
}

function* matchingRecords(collection: Collection, filter: Filter, plan: Plan, wanted: number): Generator<StoredRecord> {
  const names = fieldsOf(filter);
  for (const record of scanPlan(collection, plan, wanted)) {
    if (names.size === 0 ? filter.test(noFields) : filter.test(decodeDocument(record.body, 0, names))) yield record;
  }
}

const noFields: Document = new Map();

function* page(records: Iterable<StoredRecord>, skip: number, limit: number): Generator<StoredRecord> {
  let at = 0;
  for (const record of records) {
    if (at++ < skip) continue;
    yield record;
    if (limit > 0 && at === skip + limit) return;
  }
}

type SortEntry = { key: Maybe[]; order: number; record: StoredRecord };

const sortLimitBytes = 100 * 1024 * 1024;
const trimSlack = 1000;

/** Sorts in memory, up to 100 MiB as MongoDB does; with a limit only as many as that are kept. */
function* sorted(records: Iterable<StoredRecord>, query: Query): Generator<StoredRecord> {
  const { sort, skip, limit } = query;
  const names = new Set(sort.map((field) => field.parts[0] ?? ''));
  const wanted = limit > 0 ? skip + limit : Infinity;
  let entries: SortEntry[] = [];
  let sizeBytes = 0;
  const compare = (a: SortEntry, b: SortEntry) => compareSortKeys(sort, a.key, b.key) || a.order - b.order;
  let order = 0;
  for (const record of records) {
    entries.push({ key: sortKey(sort, decodeDocument(record.body, 0, names)), order: order++, record });
    sizeBytes += record.body.length;
    if (entries.length >= 2 * wanted + trimSlack) {
      entries = entries.sort(compare).slice(0, wanted);
      sizeBytes = entries.reduce((sum, entry) => sum + entry.record.body.length, 0);
    }
    if (sizeBytes > sortLimitBytes) throw sortTooLarge();
  }
  for (const entry of entries.sort(compare)) yield entry.record;
}

function sortTooLarge(): MongoError {
  return new MongoError(
    'QueryExceededMemoryLimitNoDiskUseAllowed',
    'A sort without an index needs more than 100 MiB; add an index that gives the order, or a limit',
  );
}
