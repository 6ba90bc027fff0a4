import { randomBytes } from 'node:crypto';
import { MongoError } from './errors.ts';

/** Encoded documents on their way to a client; produced as they are asked for. */
export type DocumentSource = Iterator<Buffer>;

type Cursor = { id: bigint; namespace: string; source: DocumentSource; remaining: number; usedAt: number };

export type Cursors = Map<bigint, Cursor>;

export type Batch = { id: bigint; documents: Buffer[] };

const idleLimitMilliseconds = 10 * 60_000;
const openLimit = 1000;
const batchLimitBytes = 16 * 1024 * 1024;

/** `limit` is the most documents the source yields, 0 for no limit: a cursor that reached it need not be asked again. */
export type BatchOptions = { namespace: string; batchSize: number; singleBatch: boolean; limit: number };

/** The first batch of a source; what is left stays open under the batch's id, which is 0 when nothing is. */
export function openCursor(cursors: Cursors, source: DocumentSource, options: BatchOptions): Batch {
  const limit = options.limit > 0 ? options.limit : Infinity;
  const { documents, isDone } = takeBatch(source, options.batchSize);
  const remaining = limit - documents.length;
  if (isDone || remaining <= 0 || options.singleBatch) return { id: 0n, documents };
  closeIdleCursors(cursors);
  const id = newId(cursors);
  cursors.set(id, { id, namespace: options.namespace, source, remaining, usedAt: Date.now() });
  return { id, documents };
}

/**
 * The next batch. Throws CursorNotFound when the cursor ended, was killed, or was idle for ten
 * minutes, and Unauthorized when it is over another collection.
 */
export function continueCursor(cursors: Cursors, id: bigint, namespace: string, batchSize: number): Batch {
  const cursor = cursors.get(id);
  if (!cursor) throw new MongoError('CursorNotFound', `The cursor ${id} is not open`);
  if (cursor.namespace !== namespace) throw new MongoError('Unauthorized', `The cursor ${id} is not over ${namespace}`);
  cursors.delete(id);
  const { documents, isDone } = takeBatch(cursor.source, batchSize);
  const remaining = cursor.remaining - documents.length;
  if (isDone || remaining <= 0) return { id: 0n, documents };
  // Set anew, so that the map stays in the order of last use.
  cursors.set(id, { ...cursor, remaining, usedAt: Date.now() });
  return { id, documents };
}

export function killCursor(cursors: Cursors, id: bigint): boolean {
  return cursors.delete(id);
}

/** Ends the cursors over a collection, or a whole database, that is dropped. */
export function killCursorsOf(cursors: Cursors, matches: (namespace: string) => boolean): void {
  for (const cursor of cursors.values()) if (matches(cursor.namespace)) cursors.delete(cursor.id);
}

/** Closes what was idle for ten minutes and, past a thousand open ones, what was idle longest. */
export function closeIdleCursors(cursors: Cursors): void {
  const oldest = Date.now() - idleLimitMilliseconds;
  for (const cursor of cursors.values()) {
    if (cursor.usedAt >= oldest && cursors.size < openLimit) return;
    cursors.delete(cursor.id);
  }
}

function takeBatch(source: DocumentSource, batchSize: number): { documents: Buffer[]; isDone: boolean } {
  const documents: Buffer[] = [];
  let sizeBytes = 0;
  while (documents.length < batchSize && sizeBytes < batchLimitBytes) {
    const next = source.next();
    if (next.done) return { documents, isDone: true };
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
