import { Readable } from 'node:stream';
import type { ByteRange } from '../../../lib/content.ts';
import type { ObjectStore } from './object-store.ts';

/** In bytes. */
export type FileMemoryOptions = { maxTotal: number; maxFile: number };

/** Small files that were read lately. A name never has other bytes, so nothing here can be out of date. */
export type FileMemory = {
  /** Like {@link ObjectStore.open}, for a file of a known size in bytes. Throws UNAVAILABLE. */
  open: (
    store: ObjectStore,
    file: { name: string; size: number },
    range: ByteRange | null,
    signal: AbortSignal,
  ) => Promise<Readable | null>;
};

/** Keeps the files that were read last, up to so many bytes; larger files are passed through. */
export function createFileMemory({ maxTotal, maxFile }: FileMemoryOptions): FileMemory {
  /** The least recently read comes first. */
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
      const known = kept.get(name);
      if (known) {
        kept.delete(name);
        kept.set(name, known);
        return partOf(known, range);
      }
      const source = await store.open(name, null, signal);
      if (!source) return null;
      const bytes = Buffer.concat((await source.toArray()) as Buffer[]);
      // A request that was given up may have ended the source early.
      if (bytes.length === size) keep(name, bytes);
      return partOf(bytes, range);
    },
  };
}

/** Bytes, or a range of them, as a stream. */
export function partOf(bytes: Buffer, range: ByteRange | null): Readable {
  const part = range ? bytes.subarray(range.first, range.last + 1) : bytes;
  const source = new Readable({ read: () => undefined });
  source.push(part);
  source.push(null);
  return source;
}
