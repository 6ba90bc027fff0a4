import { statfs } from 'node:fs/promises';
import { apiError } from '../contract/errors.ts';
import { mebibyte } from '../format/bytes.ts';
import { second } from './clock.ts';

/**
 * The bytes that this process can still write to the disk of a folder; Infinity where the system does not report it.
 */
export async function freeBytesOf(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

const watchInterval = second;
let isFull = false;
let watching: NodeJS.Timeout | undefined;

/**
 * Watches the disk of the embedded database for as long as the process runs. `reserve`: the free bytes that uploads
 * must not use; below an eighth of them the next write of the database may fail.
 */
export function watchDisk(folder: string, reserve: number): void {
  if (watching) return;
  const look = async () => {
    isFull = (await freeBytesOf(folder)) < Math.max(mebibyte, reserve / 8);
  };
  void look();
  watching = setInterval(() => void look(), watchInterval).unref();
}

/** Whether the disk of the embedded database has too little room for it; false in a process without that database. */
export const isDiskFull = (): boolean => isFull;

/** How long a reading of the free space is used, in milliseconds, unless the estimate comes near the reserve. */
const trustedFor = 200;
const nearReserve = 64 * mebibyte;

export type DiskRoom = {
  /** Throws STORE_FULL unless this many bytes can be written and the reserve remains. */
  require: (bytes: number) => Promise<void>;
  /** Subtracts bytes that are about to be written. Throws STORE_FULL like {@link DiskRoom.require}. */
  take: (bytes: number) => Promise<void>;
};

/** Creates the space accounting of a folder, of which `reserve` bytes stay free. 0 turns the check off. */
export function createDiskRoom(folder: string, reserve: number, read = freeBytesOf): DiskRoom {
  let estimate = 0;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  async function refresh(): Promise<void> {
    reading ??= read(folder).then((free) => {
      [estimate, readAt, reading] = [free, performance.now(), null];
    });
    await reading;
  }

  async function refreshFor(bytes: number): Promise<void> {
    const isOld = performance.now() - readAt > trustedFor;
    if (isOld || estimate - bytes < reserve + nearReserve) await refresh();
  }

  function requireReserve(bytes: number): void {
    if (estimate - bytes < reserve) throw apiError('STORE_FULL');
  }

  return {
    async require(bytes) {
      if (reserve === 0) return;
      await refreshFor(bytes);
      requireReserve(bytes);
    },
    async take(bytes) {
      if (reserve === 0) return;
      await refreshFor(bytes);
      // Checked in the same turn as the subtraction, because other callers may have awaited the same refresh.
      requireReserve(bytes);
      estimate -= bytes;
    },
  };
}

/** Whether an error message reports a full disk, as the operating system or SQLite words it. */
export function saysDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /\bENOSPC\b|\bEDQUOT\b|database or disk is full/.test(error.message) || saysDiskFull(error.cause);
}
