import { describe, expect, test } from '@jest/globals';
import {
  type BatchOptions,
  type Cursors,
  closeIdleCursors,
  continueCursor as continueInSlices,
  killCursor,
  killCursorsOf,
  openCursor as openInSlices,
  requireCursor,
} from '../../../embedded/mongo/cursors.ts';
import { createMemory } from '../../../embedded/mongo/memory.ts';
import type { Work } from '../../../embedded/mongo/slice.ts';

const namespace = 'test.items';

function documents(count: number): IterableIterator<Buffer> {
  return Array.from({ length: count }, (_, number) => Buffer.from(String(number))).values();
}

function finished<Result>(work: Work<Result>): Result {
  for (;;) {
    const next = work.next();
    if (next.done) return next.value;
  }
}

type Options = Pick<BatchOptions, 'namespace' | 'batchSize' | 'singleBatch' | 'limit'> & Partial<BatchOptions>;

const openCursor = (cursors: Cursors, source: IterableIterator<Buffer>, options: Options) =>
  finished(openInSlices(cursors, source, { memory: createMemory(), timeLeft: Infinity, noTimeout: false, ...options }));

const continueCursor = (cursors: Cursors, id: bigint, over: string, batchSize: number) =>
  finished(continueInSlices(cursors, requireCursor(cursors, id, over), batchSize));

const texts = (batch: { documents: Buffer[] }) => batch.documents.map(String);

function open(count: number, options: { batchSize?: number; singleBatch?: boolean; limit?: number } = {}) {
  const cursors = new Map();
  const batch = openCursor(cursors, documents(count), {
    namespace,
    batchSize: 2,
    singleBatch: false,
    limit: 0,
    ...options,
  });
  return { cursors, batch };
}

describe('a cursor', () => {
  test('yields batches until nothing is left, and then has the id 0', () => {
    const { cursors, batch } = open(5);
    expect(texts(batch)).toEqual(['0', '1']);
    expect(texts(continueCursor(cursors, batch.id, namespace, 2))).toEqual(['2', '3']);
    expect(continueCursor(cursors, batch.id, namespace, 2)).toMatchObject({ id: 0n, documents: [Buffer.from('4')] });
    expect(cursors.size).toBe(0);
  });

  test('is not opened for what fits the first batch, for a single batch, or once the limit is reached', () => {
    for (const { batch, cursors } of [open(1), open(5, { singleBatch: true }), open(5, { limit: 2 })]) {
      expect(batch.id).toBe(0n);
      expect(cursors.size).toBe(0);
    }
  });

  test('may begin with an empty batch', () => {
    const { cursors, batch } = open(3, { batchSize: 0 });
    expect(batch.documents).toEqual([]);
    expect(texts(continueCursor(cursors, batch.id, namespace, 10))).toEqual(['0', '1', '2']);
  });

  test('is not continued after it was killed, or with its collection', () => {
    const killed = open(5);
    expect(killCursor(killed.cursors, killed.batch.id)).toBe(true);
    expect(() => continueCursor(killed.cursors, killed.batch.id, namespace, 2)).toThrow('is not open');

    const dropped = open(5);
    killCursorsOf(dropped.cursors, (name) => name === namespace);
    expect(() => continueCursor(dropped.cursors, dropped.batch.id, namespace, 2)).toThrow('is not open');
  });

  test('is not continued for another collection', () => {
    const { cursors, batch } = open(5);
    expect(() => continueCursor(cursors, batch.id, 'test.others', 2)).toThrow('test.others');
  });

  test('that was idle for ten minutes is closed, one in use is not', () => {
    const { cursors, batch } = open(5);
    const entry = cursors.get(batch.id);
    cursors.set(batch.id, { ...entry, usedAt: Date.now() - 9 * 60_000 });
    closeIdleCursors(cursors);
    expect(cursors.size).toBe(1);
    cursors.set(batch.id, { ...entry, usedAt: Date.now() - 11 * 60_000 });
    closeIdleCursors(cursors);
    expect(cursors.size).toBe(0);
  });

  test('makes room for a newer one past a thousand', () => {
    const cursors = new Map();
    const options = { namespace, batchSize: 1, singleBatch: false, limit: 0 };
    const ids = Array.from({ length: 1001 }, () => openCursor(cursors, documents(3), options).id);
    expect(cursors.size).toBeLessThanOrEqual(1000);
    expect(cursors.has(ids[0])).toBe(false);
    expect(cursors.has(ids[1000])).toBe(true);
  });
});
