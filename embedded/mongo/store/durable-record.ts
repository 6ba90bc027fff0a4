import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { damagedFile } from './damage.ts';
import { flushFile, flushFolder } from './flush.ts';

/**
 * The end of a transaction in the log: the salt of the log, its number of frames, and the page of the last frame with its
 * checksum. By the page the data file shows that it has the whole log. A position without frames requires nothing.
 */
export type LogPosition = { salt: Buffer; frames: number; page: number; pageSum: number };

/** A file next to the database that names the last transaction that was acknowledged. */
export type DurableRecord = {
  /** Writes a position, which a kill of the process keeps, and begins to sync it unless a sync is in flight. */
  write: (position: LogPosition) => void;
  /** Writes a position and syncs it. */
  writeNow: (position: LogPosition) => void;
  /** Calls `listener` when the position that was written last before the call, or a later one, is on disk. */
  whenSynced: (listener: () => void) => void;
  close: () => void;
};

export type Sync = (descriptor: number, done: (error: Error | null) => void) => void;

// The format of SQLite's write-ahead log: https://sqlite.org/fileformat2.html#the_write_ahead_log
export const logHeaderBytes = 32;
export const frameHeaderBytes = 24;

const magic = Buffer.from('EMGODUR1');
const recordBytes = 40;
const slotBytes = 4096;
/** One slot is on disk, one is being synced, and one is free. */
const slots = 3;

export const recordPath = (databasePath: string): string => `${databasePath}-durable`;

/** Returns undefined for a database without a record. Throws DATABASE_DAMAGED when no slot can be read. */
export function readDurableRecord(databasePath: string): LogPosition | undefined {
  const path = recordPath(databasePath);
  if (!existsSync(path)) return undefined;
  const latest = latestSlot(path);
  if (!latest) throw damagedFile(path);
  return latest.position;
}

/** Opens the record, and creates it at `start` under another name first, so that it is never empty. */
export function openDurableRecord(databasePath: string, start: LogPosition, sync: Sync = fdatasync): DurableRecord {
  const path = recordPath(databasePath);
  if (!existsSync(path)) createRecord(path, start);
  const descriptor = openSync(path, 'r+');
  let { sequence = 0n, slot: written = 0 } = latestSlot(path) ?? {};
  let synced = { slot: written, sequence };
  let inFlight: { slot: number; sequence: bigint } | undefined;
  let isClosed = false;
  let waiting: { sequence: bigint; listener: () => void }[] = [];

  const put = (position: LogPosition) => {
    sequence += 1n;
    written = [0, 1, 2].find((slot) => slot !== synced.slot && slot !== inFlight?.slot) ?? 0;
    writeSync(descriptor, encode(sequence, position), 0, recordBytes, written * slotBytes);
  };
  const begin = () => {
    const current = { slot: written, sequence };
    inFlight = current;
    sync(descriptor, (error) => {
      if (isClosed) return closeSync(descriptor);
      // Thrown, it ends the process: the disk may have dropped the write, and would not report it again.
      if (error) throw error;
      inFlight = undefined;
      synced = current;
      if (sequence > synced.sequence) begin();
      const ready = waiting.filter((one) => one.sequence <= current.sequence);
      waiting = waiting.filter((one) => one.sequence > current.sequence);
      for (const { listener } of ready) listener();
    });
  };
  const writeNow = (position: LogPosition) => {
    put(position);
    fdatasyncSync(descriptor);
    if (!inFlight) synced = { slot: written, sequence };
  };
  writeNow(start);
  return {
    write: (position) => {
      put(position);
      if (!inFlight) begin();
    },
    writeNow,
    whenSynced: (listener) => {
      if (sequence <= synced.sequence) listener();
      else waiting.push({ sequence, listener });
    },
    close: () => {
      isClosed = true;
      // A sync in flight uses the descriptor.
      if (!inFlight) closeSync(descriptor);
    },
  };
}

function createRecord(path: string, start: LogPosition): void {
  const unfinished = `${path}.new`;
  rmSync(unfinished, { force: true });
  const descriptor = openSync(unfinished, 'wx', 0o600);
  writeSync(descriptor, Buffer.alloc(slots * slotBytes));
  writeSync(descriptor, encode(0n, start), 0, recordBytes, 0);
  closeSync(descriptor);
  flushFile(unfinished);
  renameSync(unfinished, path);
  flushFolder(dirname(path));
}

function encode(sequence: bigint, { salt, frames, page, pageSum }: LogPosition): Buffer {
  const bytes = Buffer.alloc(recordBytes);
  magic.copy(bytes);
  bytes.writeBigUInt64BE(sequence, 8);
  salt.copy(bytes, 16, 0, 8);
  bytes.writeUInt32BE(frames, 24);
  bytes.writeUInt32BE(page, 28);
  bytes.writeUInt32BE(pageSum, 32);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 36)), 36);
  return bytes;
}

type Slot = { slot: number; sequence: bigint; position: LogPosition };

function latestSlot(path: string): Slot | undefined {
  const found = Array.from({ length: slots }, (_, slot) => decode(slot, readAt(path, slot * slotBytes, recordBytes)));
  return found.reduce((latest, slot) => (!latest || (slot && slot.sequence > latest.sequence) ? slot : latest));
}

function decode(slot: number, bytes: Buffer): Slot | undefined {
  if (bytes.length < recordBytes || !bytes.subarray(0, 8).equals(magic)) return undefined;
  if (crc32(bytes.subarray(0, 36)) !== bytes.readUInt32BE(36)) return undefined;
  const position = {
    salt: bytes.subarray(16, 24),
    frames: bytes.readUInt32BE(24),
    page: bytes.readUInt32BE(28),
    pageSum: bytes.readUInt32BE(32),
  };
  return { slot, sequence: bytes.readBigUInt64BE(8), position };
}

/** Reads the position of the last commit of an open database, whose only writer is the caller. */
export function createPositionReader(database: DatabaseSync, logDescriptor: number): () => LogPosition {
  const size = database.prepare('PRAGMA wal_checkpoint(NOOP)');
  const pageBytes = Number(database.prepare('PRAGMA page_size').get()?.page_size);
  const frameBytes = frameHeaderBytes + pageBytes;
  return () => {
    const frames = Math.max(0, Number(size.get()?.log ?? 0));
    if (frames === 0) return nothingRequired;
    const frame = Buffer.allocUnsafe(frameBytes);
    readSync(logDescriptor, frame, 0, frameBytes, logHeaderBytes + (frames - 1) * frameBytes);
    const pageSum = crc32(frame.subarray(frameHeaderBytes));
    return { salt: frame.subarray(8, 16), frames, page: frame.readUInt32BE(0), pageSum };
  };
}

export const nothingRequired: LogPosition = { salt: Buffer.alloc(8), frames: 0, page: 0, pageSum: 0 };

/** Whether the data file has the page as the last frame at `position` has it: SQLite had copied the log. */
export function isInDataFile(databasePath: string, { page, pageSum }: LogPosition): boolean {
  const head = readAt(databasePath, 16, 2);
  const pageBytes = head.length === 2 ? head.readUInt16BE(0) : 0;
  // The format has 1 for 65,536, which does not fit.
  const size = pageBytes === 1 ? 65_536 : pageBytes;
  const bytes = readAt(databasePath, (page - 1) * size, size);
  return bytes.length === size && crc32(bytes) === pageSum;
}

/** Returns fewer bytes where the file ends. */
function readAt(path: string, position: number, length: number): Buffer {
  const descriptor = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
  } finally {
    closeSync(descriptor);
  }
}
