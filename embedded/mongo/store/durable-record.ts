import { createHash } from 'node:crypto';
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
 * End of a transaction in the log: the salt of the log, its number of frames, and the page of the last frame with its
 * checksum. A position without frames requires nothing of the log.
 */
export type LogPosition = { salt: Buffer; frames: number; page: number; pageSum: number };

/**
 * State of the data file when the position was recorded: the checksums of the position's page and of the first page. A
 * file that still has both has not received the log. Any other content is newer: a program that copies the log also
 * copies transactions that were committed after the recorded one, and these may have changed its page again.
 */
type FileState = { pageSum: number; firstPageSum: number };

/** The file state is missing in records of earlier versions. */
export type RecordedPosition = LogPosition & { file?: FileState | undefined };

/** A file next to the database that names the last acknowledged transaction. */
export type DurableRecord = {
  /** Writes a position, which survives a kill of the process, and begins to sync it unless a sync is in flight. */
  write: (position: LogPosition) => void;
  /** Writes a position and syncs it. */
  writeNow: (position: LogPosition) => void;
  /** Writes the last position again, with the state of the data file after a copy of the log. */
  noteCopy: () => void;
  /** Calls `listener` when the last position written before the call, or a later one, is on disk. */
  whenSynced: (listener: () => void) => void;
  /** Called after the database was closed: closing a descriptor earlier would release SQLite's locks on the file. */
  close: () => void;
};

export type Sync = (descriptor: number, done: (error: Error | null) => void) => void;

// The format of SQLite's write-ahead log: https://sqlite.org/fileformat2.html#the_write_ahead_log
export const logHeaderBytes = 32;
export const frameHeaderBytes = 24;

const magic = Buffer.from('EMGODUR1');
/**
 * Size of the position with its checksum, which is all that earlier versions wrote; the file state and a checksum of
 * both follow.
 */
const positionBytes = 40;
const recordBytes = 52;
const slotBytes = 4096;
/** One slot is on disk, one is being synced, and one is free. */
const slots = 3;

export const recordPath = (databasePath: string): string => `${databasePath}-durable`;

/** Returns undefined for a database without a record. Throws DATABASE_DAMAGED when no slot can be read. */
export function readDurableRecord(databasePath: string): RecordedPosition | undefined {
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
  const dataFile = openSync(databasePath, 'r');
  let last = start;
  let { sequence = 0n, slot: written = 0 } = latestSlot(path) ?? {};
  let synced = { slot: written, sequence };
  let inFlight: { slot: number; sequence: bigint } | undefined;
  let isClosed = false;
  let waiting: { sequence: bigint; listener: () => void }[] = [];

  const put = (position: LogPosition) => {
    last = position;
    sequence += 1n;
    written = [0, 1, 2].find((slot) => slot !== synced.slot && slot !== inFlight?.slot) ?? 0;
    writeSync(
      descriptor,
      encode(sequence, position, fileState(dataFile, position.page)),
      0,
      recordBytes,
      written * slotBytes,
    );
  };
  const begin = () => {
    const current = { slot: written, sequence };
    inFlight = current;
    sync(descriptor, (error) => {
      if (isClosed) return closeSync(descriptor);
      // Throwing here ends the process: the disk may have dropped the write, and would not report it again.
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
  const write = (position: LogPosition) => {
    put(position);
    if (!inFlight) begin();
  };
  writeNow(start);
  return {
    write,
    writeNow,
    noteCopy: () => write(last),
    whenSynced: (listener) => {
      if (sequence <= synced.sequence) listener();
      else waiting.push({ sequence, listener });
    },
    close: () => {
      isClosed = true;
      closeSync(dataFile);
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
  writeSync(descriptor, encode(0n, start, { pageSum: 0, firstPageSum: 0 }), 0, recordBytes, 0);
  closeSync(descriptor);
  flushFile(unfinished);
  renameSync(unfinished, path);
  flushFolder(dirname(path));
}

function encode(sequence: bigint, { salt, frames, page, pageSum }: LogPosition, file: FileState): Buffer {
  const bytes = Buffer.alloc(recordBytes);
  magic.copy(bytes);
  bytes.writeBigUInt64BE(sequence, 8);
  salt.copy(bytes, 16, 0, 8);
  bytes.writeUInt32BE(frames, 24);
  bytes.writeUInt32BE(page, 28);
  bytes.writeUInt32BE(pageSum, 32);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 36)), 36);
  bytes.writeUInt32BE(file.pageSum, 40);
  bytes.writeUInt32BE(file.firstPageSum, 44);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 48)), 48);
  return bytes;
}

type Slot = { slot: number; sequence: bigint; position: RecordedPosition };

function latestSlot(path: string): Slot | undefined {
  const found = withFile(path, (descriptor) =>
    Array.from({ length: slots }, (_, slot) => decode(slot, readAt(descriptor, slot * slotBytes, recordBytes))),
  );
  return found.reduce((latest, slot) => (!latest || (slot && slot.sequence > latest.sequence) ? slot : latest));
}

function decode(slot: number, bytes: Buffer): Slot | undefined {
  if (bytes.length < positionBytes || !bytes.subarray(0, 8).equals(magic)) return undefined;
  if (crc32(bytes.subarray(0, 36)) !== bytes.readUInt32BE(36)) return undefined;
  const hasFileState = bytes.length === recordBytes && crc32(bytes.subarray(0, 48)) === bytes.readUInt32BE(48);
  const position = {
    salt: bytes.subarray(16, 24),
    frames: bytes.readUInt32BE(24),
    page: bytes.readUInt32BE(28),
    pageSum: bytes.readUInt32BE(32),
    file: hasFileState ? { pageSum: bytes.readUInt32BE(40), firstPageSum: bytes.readUInt32BE(44) } : undefined,
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
    const pageSum = sumOf(frame.subarray(frameHeaderBytes));
    return { salt: frame.subarray(8, 16), frames, page: frame.readUInt32BE(0), pageSum };
  };
}

export const nothingRequired: LogPosition = { salt: Buffer.alloc(8), frames: 0, page: 0, pageSum: 0 };

/**
 * Whether the data file has not received the log: it is unchanged since a position was recorded whose page it did not
 * have. False without a recorded file state.
 */
export function isFileBehind(databasePath: string, { page, pageSum, file }: RecordedPosition): boolean {
  if (!file || file.pageSum === pageSum) return false;
  const current = withFile(databasePath, (descriptor) => fileState(descriptor, page));
  return current.pageSum === file.pageSum && current.firstPageSum === file.firstPageSum;
}

/** A page after the end of the file is empty. */
function fileState(descriptor: number, page: number): FileState {
  const head = readAt(descriptor, 16, 2);
  const pageBytes = head.length === 2 ? head.readUInt16BE(0) : 0;
  // The format encodes 65,536, which does not fit, as 1.
  const size = pageBytes === 1 ? 65_536 : pageBytes;
  const sumAt = (one: number) => sumOf(readAt(descriptor, (one - 1) * size, size));
  return { pageSum: page === 0 ? 0 : sumAt(page), firstPageSum: sumAt(1) };
}

/** Not a CRC: documents are stored with their CRC, and a page of them has the same CRC for any content. */
function sumOf(page: Buffer): number {
  return createHash('sha256').update(page).digest().readUInt32BE(0);
}

/** Reads at a position; returns fewer bytes at the end of the file. */
function readAt(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
}

function withFile<T>(path: string, read: (descriptor: number) => T): T {
  const descriptor = openSync(path, 'r');
  try {
    return read(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
