import type { Memory } from '../memory.ts';
import { isSliceOver, pause, type Work } from '../slice.ts';
import type { Collection, Index } from '../store/catalog.ts';
import { rowOf } from '../store/statements.ts';
import { afterAllKeys, beforeAllKeys, type KeyRange } from './bounds.ts';
import type { Filter } from './filter.ts';
import { findRecords, type Query } from './find.ts';
import { planQuery } from './planner.ts';
import { requirePresent } from './scan.ts';

/** Counts the documents that a query selects. */
export function* countRecords(collection: Collection, query: Query, memory: Memory): Work<number> {
  const all = yield* countByIndex(collection, query);
  if (all !== undefined) return Math.min(Math.max(0, all - query.skip), query.limit || Infinity);
  let count = 0;
  for (const record of findRecords(collection, { ...query, sort: [] }, memory)) {
    if (record === pause) yield pause;
    else count++;
  }
  return count;
}

/** Counts index keys when their number equals the number of documents; undefined otherwise. */
function* countByIndex(collection: Collection, query: Query): Work<number | undefined> {
  if (isEverything(query.filter)) return yield* countAll(collection);
  const plan = planQuery(collection, { ...query, sort: [] });
  if (plan.kind !== 'index' || !plan.isExact) return undefined;
  let count = 0;
  for (const range of plan.ranges) count += yield* countKeys(collection, plan.index, range);
  return count;
}

function isEverything(filter: Filter): boolean {
  return filter.kind === 'and' && filter.filters.length === 0;
}

const chunkKeys = 4096;

/** Maximum number of keys that one statement counts; takes about half a slice. */
const smallRecords = 100_000;

function* countKeys(collection: Collection, index: Index, range: KeyRange): Work<number> {
  // Record ids only grow, and a plan is exact only if each record has one key.
  if (collection.lastRecordId <= smallRecords) {
    requirePresent(index);
    return rowOf<[number]>(index.statements.countAll.get(range.from, range.to))?.[0] ?? 0;
  }
  let position: Position = [range.from, -1];
  for (let count = 0; ; ) {
    requirePresent(index);
    const next = countChunk(index, position, range.to);
    count += next.count;
    if (!next.position) return count;
    position = next.position;
    if (isSliceOver()) yield pause;
  }
}

/** A key and its record id; the record id is -1 at the start of a range. */
type Position = [Uint8Array, number];
type CountedChunk = { count: number; position?: Position | undefined };

/** Counts the next chunk of keys after a position; returns no position at the end of the range. */
function countChunk(index: Index, position: Position, to: Buffer): CountedChunk {
  const { statements } = index;
  const [from, record] = position;
  const row =
    record < 0 ? statements.count.get(from, to, chunkKeys) : statements.countBehind.get(...position, to, chunkKeys);
  const count = rowOf<[number]>(row)?.[0] ?? 0;
  if (count < chunkKeys) return { count };
  return { count, position: rowOf<Position>(statements.keyBehind.get(...position, to, chunkKeys - 1)) };
}

/**
 * Counts all documents of a collection by the keys of _id, one per document. Counted once; after that, inserts and
 * deletes up to the last counted key maintain the count.
 */
function* countAll(collection: Collection): Work<number> {
  for (;;) {
    requirePresent(collection);
    collection.counter ??= { count: 0, position: [beforeAllKeys, -1] };
    const { counter } = collection;
    if (!counter.position) return counter.count;
    const next = countChunk(collection.idIndex, counter.position, afterAllKeys);
    counter.count += next.count;
    counter.position = next.position;
    if (isSliceOver()) yield pause;
  }
}
