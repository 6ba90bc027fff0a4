import type { Collection } from '../store/catalog.ts';
import type { StoredRecord } from '../store/records.ts';
import { rowOf, rowsOf } from '../store/statements.ts';
import { bodyOf } from '../store/stored-form.ts';
import type { KeyRange } from './bounds.ts';
import type { IndexPlan, Plan } from './planner.ts';

const firstChunkRows = 16;
const chunkRows = 256;

/** Counts changes to any document, so that a scan between two batches knows when what it read ahead is old. */
let changes = 0;

/** To be called whenever documents change. */
export function noteChange(): void {
  changes++;
}

/** Reads the candidates of a plan in its order. Between two candidates the database may change. */
export function* scanPlan(collection: Collection, plan: Plan): Generator<StoredRecord> {
  if (plan.kind === 'collection') return yield* scanCollection(collection, plan.backward);
  if (plan.kind === 'union') return yield* withoutRepeats(scanUnion(collection, plan.plans));
  const records = scanIndex(plan);
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

function* scanCollection(collection: Collection, backward: boolean): Generator<StoredRecord> {
  const statement = backward ? collection.statements.backward : collection.statements.forward;
  let position = backward ? Number.MAX_SAFE_INTEGER : 0;
  let size = firstChunkRows;
  for (;;) {
    const rows = rowsOf<[number, Uint8Array]>(statement.all(position, size));
    const readAt = changes;
    for (const [id, body] of rows) {
      position = id;
      yield { id, body: bodyOf(body) };
      if (readAt !== changes) break;
    }
    if (readAt === changes && rows.length < size) return;
    size = chunkRows;
  }
}

function* scanIndex(plan: IndexPlan): Generator<StoredRecord> {
  const ranges = plan.backward ? [...plan.ranges].reverse() : plan.ranges;
  for (const range of ranges) {
    if (plan.isUniquePoint) yield* readPoint(plan, range);
    else yield* scanRange(plan, range);
  }
}

function* readPoint(plan: IndexPlan, range: KeyRange): Generator<StoredRecord> {
  const row = rowOf<[number, Uint8Array]>(plan.index.statements.read.get(range.from));
  if (row) yield { id: row[0], body: bodyOf(row[1]) };
}

function* scanRange(plan: IndexPlan, range: KeyRange): Generator<StoredRecord> {
  const statement = plan.backward ? plan.index.statements.backward : plan.index.statements.forward;
  let position: [Buffer | Uint8Array, number] = plan.backward ? [range.to, -1] : [range.from, -1];
  const limit = plan.backward ? range.from : range.to;
  let size = firstChunkRows;
  for (;;) {
    const rows = rowsOf<[Uint8Array, number, Uint8Array]>(statement.all(position[0], position[1], limit, size));
    const readAt = changes;
    for (const [key, id, body] of rows) {
      position = [key, id];
      yield { id, body: bodyOf(body) };
      if (readAt !== changes) break;
    }
    if (readAt === changes && rows.length < size) return;
    size = chunkRows;
  }
}
