import { Readable } from 'node:stream';
import type { ByteRange } from '../../../lib/content.ts';
import type { ObjectStore } from './object-store.ts';

/** In bytes. */
export type FileMemoryOptions = { maxTotal: number; maxFile: number };

/** A cache of small, recently read files. Files are immutable, so no entry can be stale. */
export type FileMemory = {
  /** Like {@link ObjectStore.open}, for a file of a known size in bytes. Throws UNAVAILABLE. */
  open: (
    store: ObjectStore,
    file: { name: string; size: number },
    range: ByteRange | null,
    signal: AbortSignal,
  ) => Promise<Readable | null>;
};

/** Creates an LRU cache of up to `maxTotal` bytes; larger files than `maxFile` bypass it. */
export function createFileMemory({ maxTotal, maxFile }: FileMemoryOptions): FileMemory {
  /** In order of last read, the least recent first. */
  const kept = new Map<string, Buffer>();
  let total = 0;

  function keep(name: string, bytes: Buffer): void {
    if (kept.has(name)) return;
    kept.set(name, bytes);
    total += bytes.length;
    for (const [oldest, { length }] of kept) {
      if (total <= maxTotal) return;
      kept.delete(oldest);
      total -= length;
    }
  }

  return {
    async open(store, { name, size }, range, signal) {
      if (size > maxFile) return await store.open(name, range, signal);
      const cached = kept.get(name);
      if (cached) {
        kept.delete(name);
        kept.set(name, cached);
        return partOf(cached, range);
      }
      const source = await store.open(name, null, signal);
      if (!source) return null;
      const bytes = Buffer.concat((await source.toArray()) as Buffer[]);
      // A cancelled request may have ended the source early.
      if (bytes.length === size) keep(name, bytes);
      return partOf(bytes, range);
    },
  };
}

/** Returns bytes, or a range of them, as a stream. */
export function partOf(bytes: Buffer, range: ByteRange | null): Readable {
  const part = range ? bytes.subarray(range.first, range.last + 1) : bytes;
  const source = new Readable({ read: () => undefined });
  source.push(part);
  source.push(null);
  return source;
}
