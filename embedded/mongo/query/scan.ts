import type { Collection } from '../store/catalog.ts';
import type { StoredRecord } from '../store/records.ts';
import { rowOf, rowsOf } from '../store/statements.ts';
import { bodyOf } from '../store/stored-form.ts';
import type { KeyRange } from './bounds.ts';
import type { IndexPlan, Plan } from './planner.ts';

/** The first rows are few, for many a reader needs no more. */
const firstChunkRows = 16;
const chunkRows = 256;

/** Counts changes to any document, so that a scan between two batches knows when what it read ahead is old. */
let changes = 0;

/** To be called whenever documents change. */
export function noteChange(): void {
  changes++;
}

/**
 * Reads the candidates of a plan in its order. Between two candidates the database may change. `wanted` says that
 * so many will do, if all of them match.
 */
export function* scanPlan(collection: Collection, plan: Plan, wanted = Infinity): Generator<StoredRecord> {
  const first = Math.min(firstChunkRows, wanted);
  if (plan.kind === 'collection') return yield* scanCollection(collection, plan.backward, first);
  if (plan.kind === 'union') return yield* withoutRepeats(scanUnion(collection, plan.plans));
  const records = scanIndex(plan, first);
  yield* plan.mayRepeat ? withoutRepeats(records) : records;
}

function* scanUnion(collection: Collection, plans: Plan[]): Generator<StoredRecord> {
  for (const plan of plans) yield* scanPlan(collection, plan);
}

function* withoutRepeats(records: Iterable<StoredRecord>): Generator<StoredRecord> {
  const seen = new Set<number>();
  for (const record of records) {
    if (seen.has(record.id)) continue;
    seen.add(record.id);
    yield record;
  }
}

function* scanCollection(collection: Collection, backward: boolean, first: number): Generator<StoredRecord> {
  const statement = backward ? collection.statements.backward : collection.statements.forward;
  let position = backward ? Number.MAX_SAFE_INTEGER : 0;
  let size = first;
  for (;;) {
    const rows = rowsOf<[number, Uint8Array]>(statement.all(position, size));
    const readAt = changes;
    for (const [id, body] of rows) {
      position = id;
      yield { id, body: bodyOf(body) };
      if (readAt !== changes) break;
    }
    if (readAt === changes && rows.length < size) return;
    size = size < firstChunkRows ? firstChunkRows : chunkRows;
  }
}

function* scanIndex(plan: IndexPlan, first: number): Generator<StoredRecord> {
  const ranges = plan.backward ? [...plan.ranges].reverse() : plan.ranges;
  for (const range of ranges) {
    if (plan.isUniquePoint) yield* readPoint(plan, range);
    else yield* scanRange(plan, range, first);
  }
}

function* readPoint(plan: IndexPlan, range: KeyRange): Generator<StoredRecord> {
  const row = rowOf<[number, Uint8Array]>(plan.index.statements.read.get(range.from));
  if (row) yield { id: row[0], body: bodyOf(row[1]) };
}

function* scanRange(plan: IndexPlan, range: KeyRange, first: number): Generator<StoredRecord> {
  const statement = plan.backward ? plan.index.statements.backward : plan.index.statements.forward;
  let position: [Buffer | Uint8Array, number] = plan.backward ? [range.to, -1] : [range.from, -1];
  const limit = plan.backward ? range.from : range.to;
  let size = first;
  for (;;) {
    const rows = rowsOf<[Uint8Array, number, Uint8Array]>(statement.all(position[0], position[1], limit, size));
    const readAt = changes;
    for (const [key, id, body] of rows) {
      position = [key, id];
      yield { id, body: bodyOf(body) };
      if (readAt !== changes) break;
    }
    if (readAt === changes && rows.length < size) return;
    size = size < firstChunkRows ? firstChunkRows : chunkRows;
  }
}
