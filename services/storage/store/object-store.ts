import type { Readable } from 'node:stream';
import type { ByteRange } from '../../../lib/content.ts';

/** A file as it was stored: its size in bytes, and the SHA-256 of its bytes in hexadecimal. */
export type StoredFile = { size: number; sha256: string };

export type ListedFile = { name: string; size: number; modifiedAt: Date };

export type PutOptions = {
  /** The number of bytes, where it is known before; it bounds the memory that is used. */
  size?: number | null;
  /** Called with each chunk of the source when the store has no more use for it. */
  release?: (chunk: Uint8Array) => void;
  /** Awaited before the file gets its name, while its bytes are on their way to the disk; its error ends the upload. */
  admitted?: () => Promise<unknown>;
};

/**
 * Where the bytes of objects are kept. A name is made by the platform ({@link requireName}), is never used for a second
 * file, and contains nothing that a client chose. So a file never changes, and files need no locks.
 */
export type ObjectStore = {
  /**
   * Stores a file. It is durable when this resolves. When this rejects there is no file of the name; what was written
   * is removed now or by {@link ObjectStore.removeUnfinished}.
   *
   * @param source - whose error ends the upload, and is thrown.
   * @throws STORE_FULL, UNAVAILABLE, and the error of the source.
   */
  put: (name: string, source: AsyncIterable<Uint8Array>, options?: PutOptions) => Promise<StoredFile>;
  /**
   * Opens a file, or a range of it that it must have; null when there is no such file. The stream ends when the signal
   * is aborted.
   *
   * @throws UNAVAILABLE
   */
  open: (name: string, range: ByteRange | null, signal: AbortSignal) => Promise<Readable | null>;
  /** Removes files. One that is not there counts as removed. Throws UNAVAILABLE. */
  remove: (names: readonly string[]) => Promise<void>;
  /** Up to 1,000 files whose names begin with a prefix, in the order of names, after a name. Throws UNAVAILABLE. */
  list: (prefix: string, after: string) => Promise<ListedFile[]>;
  /**
   * Removes unfinished uploads that were idle, or began, too long before `at`; the store decides which of both it can
   * see. Throws UNAVAILABLE.
   */
  removeUnfinished: (at: Date) => Promise<void>;
  close: () => void;
};

/** Segments of lower-case letters, digits and underscores. So names sort alike as texts and as paths. */
const namePattern = /^[a-z0-9_]{1,80}(?:\/[a-z0-9_]{1,80}){1,7}$/;

/** The name itself; throws a RangeError for a name that the platform does not make. */
export function requireName(name: string): string {
  if (namePattern.test(name)) return name;
  throw new RangeError(`${JSON.stringify(name.slice(0, 200))} is no name of a stored file.`);
}

/** The source itself, which ends when the signal is aborted. */
export function endedBy<S extends Readable>(signal: AbortSignal, source: S): S {
  if (signal.aborted) source.destroy();
  else signal.addEventListener('abort', () => source.destroy(), { once: true });
  return source;
}
