import { MongoError } from '../errors.ts';
import { isSliceOver, type Pause, pause } from '../slice.ts';
import type { Collection } from '../store/catalog.ts';
import { readRecord, type StoredRecord } from '../store/records.ts';
import { readRows, rowOf } from '../store/statements.ts';
import { bodyOf } from '../store/stored-form.ts';
import { beforeAllKeys, type KeyRange } from './bounds.ts';
import { addId, type IdSet } from './id-set.ts';
import type { IndexPlan, Plan } from './plan.ts';

export type Records = Generator<StoredRecord | Pause>;

/** The first rows are few, for many a reader needs no more. */
const firstChunkRows = 16;
const chunkRows = 256;

/** Counts changes to any document, so that a scan knows after a pause or a batch when what it read ahead is old. */
let changes = 0;

/** To be called whenever documents change. */
export function noteChange(): void {
  changes++;
}

/**
 * Reads the candidates of a plan in its order. Between two candidates the database may change: each is as it stands
 * at the moment when it is yielded. `wanted` says that so many will do, if all of them match.
 */
export function* scanPlan(collection: Collection, plan: Plan, wanted = Infinity): Records {
  const first = Math.min(firstChunkRows, wanted);
  if (plan.kind === 'collection') return yield* scanCollection(collection, plan.backward, first);
  if (plan.kind === 'union') return yield* withoutRepeats(scanUnion(collection, plan.plans));
  const records =
    plan.mergesFrom === undefined ? scanIndex(plan, first) : mergeRanges(collection, plan, plan.mergesFrom);
  yield* plan.mayRepeat ? withoutRepeats(records) : records;
}

function* scanUnion(collection: Collection, plans: Plan[]): Records {
  for (const plan of plans) yield* scanPlan(collection, plan);
}

function* withoutRepeats(records: Iterable<StoredRecord | Pause>): Records {
  const seen: IdSet = new Map();
  for (const record of records) if (record === pause || addId(seen, record.id)) yield record;
}

function* scanCollection(collection: Collection, backward: boolean, first: number): Records {
  const statement = backward ? collection.statements.backward : collection.statements.forward;
  let position = backward ? Number.MAX_SAFE_INTEGER : 0;
  for (let size = first; ; size = nextSize(size)) {
    requirePresent(collection);
    const { rows, isEnd } = readRows<[number, Uint8Array]>(statement, [position], size, 1);
    const readAt = changes;
    for (const [id, body] of rows) {
      position = id;
      yield { id, body: bodyOf(body) };
      if (isSliceOver()) yield pause;
      if (readAt !== changes) break;
    }
    if (readAt === changes && isEnd) return;
  }
}

function* scanIndex(plan: IndexPlan, first: number): Records {
  const ranges = plan.backward ? [...plan.ranges].reverse() : plan.ranges;
  for (const range of ranges) {
    if (plan.isUniquePoint) yield* readPoint(plan, range);
    else for (const entry of scanRange(plan, range, first)) yield entry === pause ? pause : entry.record;
    if (isSliceOver()) yield pause;
  }
}

function* readPoint(plan: IndexPlan, range: KeyRange): Records {
  requirePresent(plan.index);
  const row = rowOf<[number, Uint8Array]>(plan.index.statements.read.get(range.from));
  if (row) yield { id: row[0], body: bodyOf(row[1]) };
}

type Entry = { key: Uint8Array; record: StoredRecord };

function* scanRange(plan: IndexPlan, range: KeyRange, first: number): Generator<Entry | Pause, undefined> {
  const statement = plan.backward ? plan.index.statements.backward : plan.index.statements.forward;
  let position: [Buffer | Uint8Array, number] = plan.backward ? [range.to, -1] : [range.from, -1];
  const limit = plan.backward ? range.from : range.to;
  for (let size = first; ; size = nextSize(size)) {
    requirePresent(plan.index);
    const { rows, isEnd } = readRows<[Uint8Array, number, Uint8Array]>(statement, [...position, limit], size, 2);
    const readAt = changes;
    for (const [key, id, body] of rows) {
      position = [key, id];
      yield { key, record: { id, body: bodyOf(body) } };
      if (isSliceOver()) yield pause;
      if (readAt !== changes) break;
    }
    if (readAt === changes && isEnd) return undefined;
  }
}

type Source = {
  entries: Iterator<Entry | Pause, undefined>;
  prefixBytes: number;
  next?: Entry | undefined;
  readAt: number;
};

/** Reads several ranges at once in the order of what follows in their keys behind the first `prefixBytes` of each. */
function* mergeRanges(collection: Collection, plan: IndexPlan, prefixBytes: number[]): Records {
  const sources = plan.ranges.map((range, at): Source => {
    return { entries: scanRange(plan, range, 1), prefixBytes: prefixBytes[at] ?? 0, readAt: changes };
  });
  for (const source of sources) yield* advance(source);
  for (;;) {
    let best: Source | undefined;
    for (const source of sources) if (source.next && (!best || isBefore(source, best, plan.backward))) best = source;
    if (!best?.next) return;
    const { record } = best.next;
    const present = best.readAt === changes ? record : readRecord(collection, record.id);
    if (present) yield present;
    yield* advance(best);
  }
}

function* advance(source: Source): Generator<Pause> {
  for (;;) {
    const { value } = source.entries.next();
    if (value === pause) {
      yield pause;
      continue;
    }
    source.next = value;
    source.readAt = changes;
    return;
  }
}

function isBefore(one: Source, other: Source, backward: boolean): boolean {
  const [left, right] = [one, other].map(({ next, prefixBytes }) => next?.key.subarray(prefixBytes) ?? beforeAllKeys);
  const order = Buffer.compare(left ?? beforeAllKeys, right ?? beforeAllKeys);
  return backward ? order > 0 : order < 0;
}

function nextSize(size: number): number {
  return size < firstChunkRows ? firstChunkRows : chunkRows;
}

/** Throws QueryPlanKilled when what a scan reads was dropped while it waited. */
export function requirePresent(scanned: { isDropped?: boolean }): void {
  if (scanned.isDropped)
    throw new MongoError('QueryPlanKilled', 'The collection or index was dropped during the query');
}
