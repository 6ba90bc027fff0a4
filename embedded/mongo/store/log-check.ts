import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { damagedFile, shortenedLog } from './damage.ts';
import {
  frameHeaderBytes,
  isFileBehind,
  logHeaderBytes,
  type RecordedPosition,
  readDurableRecord,
} from './durable-record.ts';

const magic = 0x377f0682;
const pageSizes = new Set(Array.from({ length: 8 }, (_, power) => 512 << power));
/** The log is read in chunks, because it may exceed the maximum buffer size. */
const chunkBytes = 1024 * 1024;

type Sum = [number, number];
type Chunk = { words: Uint32Array; bytes: Buffer; firstFrame: number; frames: number };
type Log = {
  descriptor: number;
  header: Buffer;
  isSwapped: boolean;
  frameBytes: number;
  frames: number;
  chunk: Chunk;
};

/**
 * Throws DATABASE_DAMAGED when the log lacks an acknowledged transaction, or has a damaged frame before a transaction
 * that was written after it. SQLite ends its recovery at the first frame with a wrong checksum, as after a power loss
 * in the middle of a transaction, and would drop all transactions after it. The durable record names the last
 * acknowledged transaction. At most two transactions are not on disk at any time (`LogSync`), so that without a record
 * a frame of the second transaction after a damaged frame proves that the damaged frame was on disk.
 */
export function verifyLog(path: string): void {
  const required = readDurableRecord(path);
  const logPath = `${path}-wal`;
  const log = openLog(logPath);
  try {
    const end = log ? firstBadFrame(log) : 0;
    if (required && !hasAcknowledged(path, required, log, end)) throw shortenedLog(logPath);
    if (log && end < log.frames && hasLaterTransactions(log, end)) throw damagedFile(logPath);
  } finally {
    if (log) closeSync(log.descriptor);
  }
}

/**
 * SQLite ignores a log with another salt or with an invalid header. Either it was copied into the data file, or it is
 * lost; an unchanged data file proves the latter.
 */
function hasAcknowledged(path: string, required: RecordedPosition, log: Log | undefined, end: number): boolean {
  if (required.frames === 0) return true;
  if (log && isHeaderSound(log) && log.header.subarray(16, 24).equals(required.salt)) return end >= required.frames;
  return !isFileBehind(path, required);
}

function openLog(path: string): Log | undefined {
  if (!existsSync(path)) return undefined;
  const descriptor = openSync(path, 'r');
  const { size } = fstatSync(descriptor);
  if (size < logHeaderBytes + frameHeaderBytes) {
    closeSync(descriptor);
    return undefined;
  }
  const header = Buffer.alloc(logHeaderBytes);
  readSync(descriptor, header, 0, logHeaderBytes, 0);
  const pageBytes = header.readUInt32BE(8);
  // SQLite treats a log with an unknown page size as empty, unless its frames show otherwise.
  const frameBytes = frameHeaderBytes + (pageSizes.has(pageBytes) ? pageBytes : 4096);
  const frames = Math.floor((size - logHeaderBytes) / frameBytes);
  const isBigEndian = (header.readUInt32BE(0) & 1) === 1;
  const isSwapped = isBigEndian !== (endianness() === 'BE');
  const words = new Uint32Array((Math.max(1, Math.floor(chunkBytes / frameBytes)) * frameBytes) >> 2);
  const chunk = { words, bytes: Buffer.from(words.buffer), firstFrame: 0, frames: 0 };
  return { descriptor, header, frameBytes, frames, isSwapped, chunk };
}

/** Offset of a frame within the chunk; reads the chunk that contains the frame when needed. */
function offsetOf({ descriptor, frameBytes, chunk }: Log, frame: number): number {
  if (frame < chunk.firstFrame || frame >= chunk.firstFrame + chunk.frames) {
    const read = readSync(descriptor, chunk.bytes, 0, chunk.bytes.length, logHeaderBytes + frame * frameBytes);
    chunk.firstFrame = frame;
    chunk.frames = Math.floor(read / frameBytes);
  }
  return (frame - chunk.firstFrame) * frameBytes;
}

/** Continues the checksum `before` over `words`. */
function checksum(words: Uint32Array, isSwapped: boolean, before: Sum): Sum {
  let [a, b] = before;
  for (let at = 0; at < words.length; at += 2) {
    const [x, y] = [words[at] ?? 0, words[at + 1] ?? 0];
    a = (a + (isSwapped ? swapped(x) : x) + b) >>> 0;
    b = (b + (isSwapped ? swapped(y) : y) + a) >>> 0;
  }
  return [a, b];
}

function swapped(word: number): number {
  return ((word >>> 24) | ((word >>> 8) & 0xff00) | ((word << 8) & 0xff0000) | (word << 24)) >>> 0;
}

/** The checksum stored in a frame. */
function sumOf(log: Log, frame: number): Sum {
  const at = offsetOf(log, frame) + 16;
  return [log.chunk.bytes.readUInt32BE(at), log.chunk.bytes.readUInt32BE(at + 4)];
}

/** Whether a frame is intact, given the stored checksum of the previous frame or the header. */
function isSound(log: Log, frame: number, before: Sum): boolean {
  const start = offsetOf(log, frame);
  const { words } = log.chunk;
  const head = checksum(words.subarray(start >> 2, (start + 8) >> 2), log.isSwapped, before);
  const page = words.subarray((start + frameHeaderBytes) >> 2, (start + log.frameBytes) >> 2);
  const [a, b] = checksum(page, log.isSwapped, head);
  const [storedA, storedB] = sumOf(log, frame);
  return a === storedA && b === storedB;
}

function saltOfFrame(log: Log, frame: number): Buffer {
  const start = offsetOf(log, frame);
  return log.chunk.bytes.subarray(start + 8, start + 16);
}

function sumOfHeader({ header }: Log): Sum {
  return [header.readUInt32BE(24), header.readUInt32BE(28)];
}

function isHeaderSound(log: Log): boolean {
  const [storedA, storedB] = sumOfHeader(log);
  const words = new Uint32Array(log.header.buffer, log.header.byteOffset, 6);
  const [a, b] = checksum(words, log.isSwapped, [0, 0]);
  return (log.header.readUInt32BE(0) & ~1) === magic && a === storedA && b === storedB;
}

function firstBadFrame(log: Log): number {
  if (!isHeaderSound(log)) return 0;
  const salt = log.header.subarray(16, 24);
  let before = sumOfHeader(log);
  for (let frame = 0; frame < log.frames; frame++) {
    if (!saltOfFrame(log, frame).equals(salt) || !isSound(log, frame, before)) return frame;
    before = sumOf(log, frame);
  }
  return log.frames;
}

/**
 * Whether at least two transactions began after the transaction of frame `bad`. The proof is, after two commit frames,
 * a valid frame directly after a commit frame, or a valid commit frame, in case the damage is in the commit frame
 * before it. Other valid frames prove nothing: they may belong to a rolled-back transaction that later ones have partly
 * overwritten. Frames of an earlier generation of the log have another salt.
 */
function hasLaterTransactions(log: Log, bad: number): boolean {
  const salt = saltOf(log);
  let seen = 0;
  for (let frame = bad; frame + 1 < log.frames; frame++) {
    const before = sumOf(log, frame);
    // A frame of an earlier generation, where a power loss kept the new frame from the disk, does not end a
    // transaction.
    const ends = saltOfFrame(log, frame).equals(salt) && isEnd(log, frame);
    if (!saltOfFrame(log, frame + 1).equals(salt)) return false;
    if (ends) seen += 1;
    const isProof = seen >= 2 && (ends || isEnd(log, frame + 1));
    if (isProof && isSound(log, frame + 1, before)) return true;
  }
  return false;
}

/** Whether a frame is the commit frame of its transaction. */
function isEnd(log: Log, frame: number): boolean {
  return log.chunk.bytes.readUInt32BE(offsetOf(log, frame) + 4) !== 0;
}

/**
 * Salt of the header, or of the frames when the header is damaged. A log that restarts has a valid header before it has
 * a frame: frames after it with another salt are of the previous generation, which is copied into the file.
 */
function saltOf(log: Log): Buffer {
  if (log.frames < 2 || isHeaderSound(log)) return log.header.subarray(16, 24);
  return Buffer.from(saltOfFrame(log, 1));
}
