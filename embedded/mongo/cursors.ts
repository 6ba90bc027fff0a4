import { randomBytes } from 'node:crypto';
import { MongoError } from './errors.ts';
import type { Memory } from './memory.ts';
import { type Pause, pause, type Work } from './slice.ts';

/** Encoded documents for a client, produced on demand. */
export type DocumentSource = Iterator<Buffer | Pause>;

export type CursorOptions = {
  namespace: string;
  /** Memory that the query uses. */
  memory: Memory;
  /** Remaining maxTimeMS of the query, or Infinity. */
  timeLeft: number;
  /** Exempt from the idle timeout. */
  noTimeout: boolean;
};

type Cursor = CursorOptions & {
  id: bigint;
  source: DocumentSource;
  remaining: number;
  usedAt: number;
  /** Set while a request reads from the cursor; a cursor that is killed during that ends with the request. */
  isInUse: boolean;
};

export type Cursors = Map<bigint, Cursor>;

export type Batch = { id: bigint; documents: Buffer[] };

const idleLimitMilliseconds = 10 * 60_000;
const openLimit = 1000;
const memoryLimitBytes = 256 * 1024 * 1024;
const batchLimitBytes = 16 * 1024 * 1024;

/** `limit` is the maximum number of documents of the source, 0 for no limit: a cursor that reached it is closed. */
export type BatchOptions = CursorOptions & { batchSize: number; singleBatch: boolean; limit: number };

/** Returns the first batch of a source and opens a cursor for the rest; its id is 0 when nothing remains. */
export function* openCursor(cursors: Cursors, source: DocumentSource, options: BatchOptions): Work<Batch> {
  const limit = options.limit > 0 ? options.limit : Infinity;
  const startedAt = performance.now();
  const { documents, isDone } = yield* takeBatch(source, options.batchSize);
  const remaining = limit - documents.length;
  if (isDone || remaining <= 0 || options.singleBatch) return { id: 0n, documents };
  closeIdleCursors(cursors);
  const id = newId(cursors);
  const { namespace, memory, noTimeout } = options;
  const timeLeft = options.timeLeft - (performance.now() - startedAt);
  const cursor = { id, source, remaining, namespace, memory, noTimeout, timeLeft, usedAt: Date.now(), isInUse: false };
  cursors.set(id, cursor);
  return { id, documents };
}

/** Finds the cursor of a getMore. Throws CursorNotFound, CursorInUse, and Unauthorized when its namespace differs. */
export function requireCursor(cursors: Cursors, id: bigint, namespace: string): Cursor {
  const cursor = cursors.get(id);
  if (!cursor) throw new MongoError('CursorNotFound', `The cursor ${id} is not open`);
  if (cursor.namespace !== namespace) throw new MongoError('Unauthorized', `The cursor ${id} is not over ${namespace}`);
  if (cursor.isInUse) throw new MongoError('CursorInUse', `The cursor ${id} is already in use`);
  return cursor;
}

/** Returns the next batch. Closes a cursor that fails or that was killed during the read. */
export function* continueCursor(cursors: Cursors, cursor: Cursor, batchSize: number): Work<Batch> {
  const { id } = cursor;
  const startedAt = performance.now();
  cursor.isInUse = true;
  let isOpen = false;
  try {
    const { documents, isDone } = yield* takeBatch(cursor.source, batchSize);
    cursor.remaining -= documents.length;
    isOpen = !isDone && cursor.remaining > 0 && cursors.has(id);
    return { id: isOpen ? id : 0n, documents };
  } finally {
    cursors.delete(id);
    cursor.isInUse = false;
    cursor.usedAt = Date.now();
    cursor.timeLeft -= performance.now() - startedAt;
    // Reinserted, so that the map stays ordered by last use.
    if (isOpen) cursors.set(id, cursor);
  }
}

export function killCursor(cursors: Cursors, id: bigint): boolean {
  return cursors.delete(id);
}

/** Closes the cursors over a dropped collection or database. */
export function killCursorsOf(cursors: Cursors, matches: (namespace: string) => boolean): void {
  for (const cursor of cursors.values()) if (matches(cursor.namespace)) cursors.delete(cursor.id);
}

/**
 * Closes cursors that were idle for ten minutes. Above a thousand open cursors, or 256 MiB of memory for all, also
 * closes the least recently used ones.
 */
export function closeIdleCursors(cursors: Cursors): void {
  const oldest = Date.now() - idleLimitMilliseconds;
  let heldBytes = 0;
  for (const { memory } of cursors.values()) heldBytes += memory.usedBytes;
  for (const cursor of cursors.values()) {
    const isSpare = cursors.size >= openLimit || heldBytes > memoryLimitBytes;
    if (cursor.usedAt >= oldest && !isSpare) return;
    if (cursor.isInUse || (cursor.noTimeout && !isSpare)) continue;
    heldBytes -= cursor.memory.usedBytes;
    cursors.delete(cursor.id);
  }
}

function* takeBatch(source: DocumentSource, batchSize: number): Work<{ documents: Buffer[]; isDone: boolean }> {
  const documents: Buffer[] = [];
  let sizeBytes = 0;
  while (documents.length < batchSize && sizeBytes < batchLimitBytes) {
    const next = source.next();
    if (next.done) return { documents, isDone: true };
    if (next.value === pause) {
      yield pause;
      continue;
    }
    documents.push(next.value);
    sizeBytes += next.value.length;
  }
  return { documents, isDone: false };
}

function newId(cursors: Cursors): bigint {
  for (;;) {
    const id = randomBytes(8).readBigUInt64LE() >> 2n;
    if (id !== 0n && !cursors.has(id)) return id;
  }
}
