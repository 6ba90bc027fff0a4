import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { ByteRange } from '../../../lib/contract/contract.ts';

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
  const cache = new LRUCache<string, Buffer>({ maxSize: maxTotal, sizeCalculation: ({ length }) => length });
  return {
    async open(store, { name, size }, range, signal) {
      if (size > maxFile) return await store.open(name, range, signal);
      const cached = cache.get(name);
      if (cached) return partOf(cached, range);
      const source = await store.open(name, null, signal);
      if (!source) return null;
      const bytes = Buffer.concat((await source.toArray()) as Buffer[]);
      // A cancelled request may have ended the source early.
      if (bytes.length === size && size > 0) cache.set(name, bytes);
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

/** A stored file: its size in bytes, and the SHA-256 of its bytes in hexadecimal. */
export type StoredFile = { size: number; sha256: string };

export type ListedFile = { name: string; size: number; modifiedAt: Date };

export type PutOptions = {
  /** The number of bytes if known in advance; bounds the memory used. */
  size?: number | null;
  /** Called with each chunk of the source once the store no longer needs it. */
  release?: (chunk: Uint8Array) => void;
  /** Awaited before the file gets its name, while its bytes are being written; its rejection ends the upload. */
  admitted?: () => Promise<unknown>;
};

/**
 * A store for the bytes of objects. A name is created by the platform ({@link requireName}), is never reused, and
 * contains nothing that a client chose. So files are immutable and need no locks.
 */
export type ObjectStore = {
  /**
   * Stores a file, durably when this resolves. If it rejects, no file has the name; partial data is deleted now or by
   * {@link ObjectStore.removeUnfinished}.
   *
   * @param source - its error ends the upload and is thrown.
   * @throws STORE_FULL, UNAVAILABLE, and the error of the source.
   */
  put: (name: string, source: AsyncIterable<Uint8Array>, options?: PutOptions) => Promise<StoredFile>;
  /**
   * Opens a file, or a range that it must contain; null if the file does not exist. The stream ends when the signal
   * aborts.
   *
   * @throws UNAVAILABLE
   */
  open: (name: string, range: ByteRange | null, signal: AbortSignal) => Promise<Readable | null>;
  /** Deletes files; missing ones count as deleted. Throws UNAVAILABLE. */
  remove: (names: readonly string[]) => Promise<void>;
  /** Lists up to 1,000 files with a name prefix, in name order, after a name. Throws UNAVAILABLE. */
  list: (prefix: string, after: string) => Promise<ListedFile[]>;
  /**
   * Deletes unfinished uploads that were idle, or began, too long before `at`; the store decides which of the two it
   * can observe. Throws UNAVAILABLE.
   */
  removeUnfinished: (at: Date) => Promise<void>;
  close: () => void;
};

/** Segments of lower-case letters, digits and underscores, so that names sort alike as texts and as paths. */
const namePattern = /^[a-z0-9_]{1,80}(?:\/[a-z0-9_]{1,80}){1,7}$/;

/** Returns the name; throws a RangeError for a name that the platform does not create. */
export function requireName(name: string): string {
  if (namePattern.test(name)) return name;
  throw new RangeError(`${JSON.stringify(name.slice(0, 200))} is not a valid name of a stored file.`);
}

/** Returns the source and destroys it when the signal aborts. */
export function endedBy<S extends Readable>(signal: AbortSignal, source: S): S {
  if (signal.aborted) source.destroy();
  else signal.addEventListener('abort', () => source.destroy(), { once: true });
  return source;
}
