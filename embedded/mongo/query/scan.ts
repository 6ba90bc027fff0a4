import { MongoError } from '../errors.ts';
import { isSliceOver, type Pause, pause } from '../slice.ts';
import type { Collection } from '../store/catalog.ts';
import { readRecord, type StoredRecord } from '../store/records.ts';
import { rowOf, rowsOf } from '../store/statements.ts';
import { bodyOf } from '../store/stored-form.ts';
import { beforeAllKeys, type KeyRange } from './bounds.ts';
import { addId, type IdSet } from './id-set.ts';
import type { IndexPlan, Plan } from './plan.ts';

export type Records = Generator<StoredRecord | Pause>;

/** The first keys are few, for many a reader needs no more. */
const firstChunkKeys = 16;
const chunkKeys = 256;
const chunkBytes = 1024 * 1024;

/** Counts changes to any document, so that a scan knows after a pause or a batch when the keys it read ahead are old. */
let changes = 0;

/** To be called whenever documents change. */
export function noteChange(): void {
  changes++;
}

/**
 * Reads the candidates of a plan in its order. Between two candidates the database may change: each is as it stands
 * at the moment when it is yielded. `wanted` says that so many will do, if all of them match.
 */
export function scanPlan(collection: Collection, plan: Plan, wanted = Infinity): Records {
  if (plan.kind === 'collection') return scanCollection(collection, plan.backward);
  if (plan.kind === 'union') return withoutRepeats(scanUnion(collection, plan.plans));
  const records =
    plan.mergesFrom === undefined
      ? scanIndex(collection, plan, wanted)
      : mergeRanges(collection, plan, plan.mergesFrom);
  return plan.mayRepeat ? withoutRepeats(records) : records;
}

function* scanUnion(collection: Collection, plans: Plan[]): Records {
  for (const plan of plans) yield* scanPlan(collection, plan);
}

function* withoutRepeats(records: Iterable<StoredRecord | Pause>): Records {
  const seen: IdSet = new Map();
  for (const record of records) if (record === pause || addId(seen, record.id)) yield record;
}

function* scanCollection(collection: Collection, backward: boolean): Records {
  const statement = backward ? collection.statements.backward : collection.statements.forward;
  for (let position = backward ? Number.MAX_SAFE_INTEGER : 0; ; ) {
    requirePresent(collection);
    const row = rowOf<[number, Uint8Array]>(statement.get(position));
    if (!row) return;
    position = row[0];
    yield { id: position, body: bodyOf(row[1]) };
    if (isSliceOver()) yield pause;
  }
}

function* scanIndex(collection: Collection, plan: IndexPlan, wanted: number): Records {
  const ranges = plan.backward ? plan.ranges.toReversed() : plan.ranges;
  for (const range of ranges) {
    if (plan.isUniquePoint) {
      const record = readPoint(plan, range);
      if (record) yield record;
    } else {
      const keys = openKeys(plan, range, wanted);
      for (let key = nextKey(keys); key; key = nextKey(keys)) {
        const record = readRecord(collection, key[1]);
        if (record) yield record;
        if (isSliceOver()) yield pause;
      }
    }
    if (isSliceOver()) yield pause;
  }
}

/** The document under a whole key of a unique index. */
export function readPoint({ index }: IndexPlan, range: KeyRange): StoredRecord | undefined {
  requirePresent(index);
  const row = rowOf<[number, Uint8Array]>(index.statements.read.get(range.from));
  return row && { id: row[0], body: bodyOf(row[1]) };
}

/** A key of an index and the record that has it. */
type Key = [Uint8Array, number];

/** The keys of a range, some of them read ahead. */
type Keys = {
  plan: IndexPlan;
  /** The end of the range. */
  limit: Buffer;
  position: Key;
  ahead: Key[];
  at: number;
  readAt: number;
  size: number;
  isEnd: boolean;
};

function openKeys(plan: IndexPlan, range: KeyRange, wanted: number): Keys {
  const [from, limit] = plan.backward ? [range.to, range.from] : [range.from, range.to];
  const size = wanted === Infinity ? firstChunkKeys : Math.min(wanted, chunkKeys);
  return { plan, limit, position: [from, -1], ahead: [], at: 0, readAt: -1, size, isEnd: false };
}

/** The next key. What was read ahead is read again when documents have changed since. */
function nextKey(keys: Keys): Key | undefined {
  if (keys.at === keys.ahead.length || keys.readAt !== changes) readAhead(keys);
  else requirePresent(keys.plan.index);
  const key = keys.ahead[keys.at++];
  if (key) keys.position = key;
  return key;
}

function readAhead(keys: Keys): void {
  const { index, backward } = keys.plan;
  requirePresent(index);
  if (keys.isEnd && keys.readAt === changes) return;
  const statement = backward ? index.statements.backward : index.statements.forward;
  keys.readAt = changes;
  keys.ahead = rowsOf<Key>(statement.all(...keys.position, keys.limit, keys.size));
  keys.at = 0;
  keys.isEnd = keys.ahead.length < keys.size;
  const bytes = keys.ahead.reduce((sum, [key]) => sum + key.length, 1);
  keys.size = Math.max(1, Math.min(chunkKeys, 4 * keys.size, Math.floor((keys.size * chunkBytes) / bytes)));
}

type Source = { keys: Keys; prefixBytes: number; next: Key | undefined };

/** Reads several ranges at once in the order of what follows in their keys behind the first `prefixBytes` of each. */
function* mergeRanges(collection: Collection, plan: IndexPlan, prefixBytes: number[]): Records {
  const sources: Source[] = [];
  for (const [at, range] of plan.ranges.entries()) {
    const keys = openKeys(plan, range, 1);
    sources.push({ keys, prefixBytes: prefixBytes[at] ?? 0, next: nextKey(keys) });
  }
  for (;;) {
    let best: Source | undefined;
    for (const source of sources) if (source.next && (!best || isBefore(source, best, plan.backward))) best = source;
    if (!best?.next) return;
    requirePresent(collection);
    const record = readRecord(collection, best.next[1]);
    if (record) yield record;
    if (isSliceOver()) yield pause;
    best.next = nextKey(best.keys);
  }
}

function isBefore(one: Source, other: Source, backward: boolean): boolean {
  const [left, right] = [one, other].map(({ next, prefixBytes }) => next?.[0].subarray(prefixBytes) ?? beforeAllKeys);
  const order = Buffer.compare(left ?? beforeAllKeys, right ?? beforeAllKeys);
  return backward ? order > 0 : order < 0;
}

/** Throws QueryPlanKilled when what a scan reads was dropped while it waited. */
export function requirePresent(scanned: { isDropped?: boolean }): void {
  if (scanned.isDropped)
    throw new MongoError('QueryPlanKilled', 'The collection or index was dropped during the query');
}
