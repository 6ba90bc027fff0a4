import { createHash, randomUUID } from 'node:crypto';
import { constants, realpathSync } from 'node:fs';
import {
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rm,
  rmdir,
  unlink,
} from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { createBatcher } from '../../../lib/concurrency/batcher.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { day, hour } from '../../../lib/data/clock.ts';
import { createDiskRoom, type DiskRoom } from '../../../lib/data/disk-space.ts';
import {
  endedBy,
  type ListedFile,
  type ObjectStore,
  type PutOptions,
  requireName,
  type StoredFile,
} from './object-store.ts';

const maxSyncsPerBatch = 1000;
/** The maximum of attempts to move a file whose folder was concurrently removed as empty. */
const maxMoves = 10;

/** Creates a folder and syncs the changed parent folders, without which a file could be lost. */
export async function makeFolder(folder: string, root: string): Promise<void> {
  const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (firstMade === undefined) return;
  const highest = Math.max(dirname(firstMade).length, root.length);
  const changed: string[] = [];
  for (let each = dirname(folder); each.length >= highest; each = dirname(each)) changed.push(each);
  await Promise.all(changed.map((each) => syncBatched(each, null)));
}

/** The final and the temporary path of a file, and their common root. */
export type Places = { path: string; temporary: string; root: string };

/** Moves a file to its final path; `making` resolves when the folder exists. */
export async function moveTo({ path, temporary, root }: Places, making: Promise<void>): Promise<void> {
  const folder = dirname(path);
  for (let [made, moves] = [making, 1]; ; made = makeFolder(folder, root), moves += 1) {
    try {
      await made;
      await requireOwn(folder);
      await rename(temporary, path);
      return await syncBatched(folder, null);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || moves >= maxMoves) throw error;
    }
  }
}

/** Rejects a folder behind a symbolic link, which the platform does not own. */
async function requireOwn(folder: string): Promise<void> {
  if ((await realpath(folder)) !== folder) throw new Error(`${folder} is or contains a symbolic link.`);
}

/** Concurrent files of a folder share a sync, which begins after all of them were moved. */
const syncBatched = createBatcher(maxSyncsPerBatch, async (files: null[], folder) => {
  await syncFolder(folder);
  return files.map(() => undefined);
});

async function syncFolder(path: string): Promise<void> {
  // Windows syncs folders itself and offers no handle for one.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** If another file arrives concurrently, the folder is not empty and stays. */
export async function removeEmptyFolders(from: string, files: string): Promise<void> {
  for (let folder = from; folder.startsWith(files + sep); folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch {
      return;
    }
  }
}

const maxListed = 1000;
/** In bytes. */
const readChunkSize = 256 * 1024;
/** In bytes: every write occupies a pool thread, regardless of its size. */
const writeChunkSize = 512 * 1024;
/** Bounds memory: a client that sends byte by byte creates chunks that take far more memory than their bytes. */
const maxChunksPerWrite = 256;
/**
 * In milliseconds: a stalled transfer ends after a minute, so an unfinished file without writes for this time has no
 * writer.
 */
const maxIdle = hour;
/** In milliseconds: a backup that has run for longer is considered dead, and its held files are deleted. */
const maxBackupTime = 2 * day;
const missing = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);
const tooManyFiles = new Set(['EMFILE', 'ENFILE']);
const noSpace = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * Stores files in a folder, which must exist and belong to the platform alone. A file is written to a temporary path,
 * synced and renamed, so that a name has a complete file or none, even after a crash. A backup in progress has a folder
 * in `held`, which receives deleted files until the backup has saved them. Keeps `reserve` bytes of the disk free.
 */
export function createDiskStore(folder: string, reserve = 0): ObjectStore {
  const root = realpathSync(folder);
  const room = createDiskRoom(root, reserve);
  const [files, unfinished, held] = [join(root, 'files'), join(root, 'unfinished'), join(root, 'held')];
  const pathOf = (name: string): string => join(files, ...requireName(name).split('/'));

  return {
    async put(name, source, options = {}) {
      const path = pathOf(name);
      const temporary = join(unfinished, randomUUID());
      try {
        await room.require(options.size ?? 0);
        return await putFile({ path, temporary, root }, source, room, options);
      } catch (error) {
        await unlinkIfPresent(temporary);
        await removeEmptyFolders(dirname(path), files);
        if (tooManyFiles.has(codeOf(error))) throw apiError('UNAVAILABLE', { cause: error });
        throw noSpace.has(codeOf(error)) ? apiError('STORE_FULL', { cause: error }) : error;
      }
    },
    async open(name, range, signal) {
      const opened = await openFile(pathOf(name));
      if (!opened) return null;
      const { handle, size } = opened;
      if (size === 0) {
        await handle.close();
        return Readable.from([]);
      }
      const { first: start, last: end } = range ?? { first: 0, last: size - 1 };
      // Sets the end and limits the buffer to the range, so that nothing is read after it.
      const highWaterMark = Math.min(readChunkSize, end - start + 1);
      return endedBy(signal, handle.createReadStream({ start, end, highWaterMark }));
    },
    async remove(names) {
      const backups = await entriesOf(held);
      for (const path of names.map(pathOf)) {
        for (const { name } of backups) await holdFile(path, join(held, name, relative(files, path)));
        await unlinkIfPresent(path);
        await removeEmptyFolders(dirname(path), files);
      }
    },
    async list(prefix, after) {
      const found: ListedFile[] = [];
      await collect({ files, prefix, after, found }, files);
      return found;
    },
    async removeUnfinished(at) {
      await removeOlder(unfinished, new Date(at.getTime() - maxIdle));
      await removeOlder(held, new Date(at.getTime() - maxBackupTime));
    },
    close: () => undefined,
  };
}

/** Creates the folder and syncs its parents while bytes arrive. */
async function putFile(
  places: Places,
  source: AsyncIterable<Uint8Array>,
  room: DiskRoom,
  options: PutOptions,
): Promise<StoredFile> {
  const { release = () => undefined, admitted } = options;
  const making = makeFolder(dirname(places.path), places.root);
  const ended = Promise.allSettled([making]);
  try {
    const stored = await write(await create(places.temporary), source, room, release);
    await admitted?.();
    await moveTo(places, making);
    return stored;
  } finally {
    // Ensures that no folder is created after this ends.
    await ended;
  }
}

/** Creates a file, and its folder if it is missing. */
async function create(path: string): Promise<FileHandle> {
  const handle = await open(path, 'wx', 0o600).catch(ignoreMissing);
  if (handle) return handle;
  await mkdir(dirname(path), { recursive: true });
  return await open(path, 'wx', 0o600);
}

/** Throws STORE_FULL if the next bytes would use the reserve. */
async function write(
  handle: FileHandle,
  source: AsyncIterable<Uint8Array>,
  room: DiskRoom,
  release: (chunk: Uint8Array) => void,
): Promise<StoredFile> {
  const hash = createHash('sha256');
  let size = 0;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const flush = async () => {
    await room.take(waitingBytes);
    await writeAll(handle, waiting);
    for (const chunk of waiting) release(chunk);
    waiting = [];
    waitingBytes = 0;
  };
  try {
    for await (const chunk of source) {
      hash.update(chunk);
      size += chunk.length;
      waiting.push(chunk);
      waitingBytes += chunk.length;
      if (waitingBytes >= writeChunkSize || waiting.length >= maxChunksPerWrite) await flush();
    }
    if (waitingBytes > 0) await flush();
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { size, sha256: hash.digest('hex') };
}

/** A write may be partial, for example before the disk is full; the next one then fails. */
async function writeAll(handle: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  for (let remaining = chunks; remaining.length > 0; ) {
    let { bytesWritten } = await handle.writev(remaining);
    remaining = remaining.flatMap((chunk) => {
      const written = Math.min(bytesWritten, chunk.length);
      bytesWritten -= written;
      return written < chunk.length ? [chunk.subarray(written)] : [];
    });
  }
}

/** Opens a regular file of the store; null for anything else, such as a symbolic link. */
async function openFile(path: string): Promise<{ handle: FileHandle; size: number } | null> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(ignoreMissing);
  if (!handle) return null;
  try {
    const state = await handle.stat();
    const isOwn = state.isFile() && (await realpath(path)) === path;
    if (isOwn) return { handle, size: state.size };
  } catch (error) {
    if (!missing.has(codeOf(error))) throw error;
  }
  await handle.close();
  return null;
}

type Listing = { files: string; prefix: string; after: string; found: ListedFile[] };

/** Adds the files below a folder, in name order. Skips folders that cannot contain one. */
async function collect(listing: Listing, folder: string): Promise<void> {
  const { files, prefix, after, found } = listing;
  const entries = await entriesOf(folder);
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    if (found.length >= maxListed) return;
    const path = join(folder, entry.name);
    const name = relative(files, path).replaceAll(sep, '/');
    if (entry.isDirectory()) {
      const below = `${name}/`;
      const mayMatch = below.startsWith(prefix) || prefix.startsWith(below);
      const mayFollow = below > after || after.startsWith(below);
      if (mayMatch && mayFollow) await collect(listing, path);
    } else if (entry.isFile() && name.startsWith(prefix) && name > after) {
      const state = await lstat(path).catch(ignoreMissing);
      if (state) found.push({ name, size: state.size, modifiedAt: state.mtime });
    }
  }
}

async function entriesOf(folder: string) {
  return (await readdir(folder, { withFileTypes: true }).catch(ignoreMissing)) ?? [];
}

/** Holds a file for a backup before its deletion. The backup may have ended since its folder was listed. */
async function holdFile(path: string, target: string): Promise<void> {
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await link(path, target);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') ignoreMissing(error);
  }
}

async function removeOlder(folder: string, before: Date): Promise<void> {
  for (const { name } of await entriesOf(folder)) {
    const path = join(folder, name);
    const state = await lstat(path).catch(ignoreMissing);
    if (state && state.mtime < before) await rm(path, { recursive: true, force: true });
  }
}

async function unlinkIfPresent(path: string): Promise<void> {
  await unlink(path).catch(ignoreMissing);
}

function ignoreMissing(error: unknown): undefined {
  if (!missing.has(codeOf(error))) throw error;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | null)?.code ?? '';
}
