import { Readable } from 'node:stream';
import { newId } from '../../../lib/data/ids.ts';
import type { ListedFile, ObjectStore } from '../../../services/storage/store/object-store.ts';

/** A signal that is never aborted. */
export const never = new AbortController().signal;

/** A name that no other test uses. */
export const newName = (): string => `${newId('org')}/${newId('bkt')}/${newId('obj')}/${newId('ver')}`;

/** Bytes in chunks of any sizes. */
export function inChunks(bytes: Uint8Array, chunkBytes = 65_536): AsyncIterable<Uint8Array> {
  return Readable.from(chunksOf(bytes, chunkBytes));
}

function* chunksOf(bytes: Uint8Array, chunkBytes: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

export async function* failingAfter(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* inChunks(bytes);
  throw new Error('The client left.');
}

export async function readAll(store: ObjectStore, name: string, range?: [number, number]): Promise<Buffer | null> {
  const bounds = range ? { first: range[0], last: range[1] } : null;
  const source = await store.open(name, bounds, never);
  return source && Buffer.concat((await source.toArray()) as Buffer[]);
}

/** All files below a prefix, page by page. */
export async function listAll(store: ObjectStore, prefix: string): Promise<ListedFile[]> {
  const all: ListedFile[] = [];
  for (;;) {
    const page = await store.list(prefix, all.at(-1)?.name ?? '');
    if (page.length === 0) return all;
    all.push(...page);
  }
}
