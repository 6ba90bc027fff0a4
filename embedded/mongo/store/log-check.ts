import { existsSync, readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { damagedFile } from './damage.ts';

// The format of SQLite's write-ahead log: https://sqlite.org/fileformat2.html#the_write_ahead_log
const headerBytes = 32;
const frameHeaderBytes = 24;
const magic = 0x377f0682;
const pageSizes = new Set(Array.from({ length: 8 }, (_, power) => 512 << power));

type Sum = [number, number];
type Log = { words: Uint32Array; bytes: Buffer; isSwapped: boolean; frameBytes: number; frames: number };

/**
 * Throws DATABASE_DAMAGED when the log of a database has a damaged frame before a transaction that was written after
 * it. SQLite ends its recovery at the first frame whose checksum is wrong, as after a power cut in the middle of a
 * transaction, and would forget all transactions behind it. At most two transactions are not on disk at any time
 * (`LogSync`), so that a frame of the second one after it proves that the damaged frame was.
 */
export function requireSoundLog(path: string): void {
  const log = readLog(`${path}-wal`);
  if (!log) return;
  const end = firstBadFrame(log);
  if (end < log.frames && hasLaterTransactions(log, end)) throw damagedFile(`${path}-wal`);
}

function readLog(path: string): Log | undefined {
  if (!existsSync(path)) return undefined;
  const bytes = readFileSync(path);
  if (bytes.length < headerBytes + frameHeaderBytes) return undefined;
  const pageBytes = bytes.readUInt32BE(8);
  // A header that says nonsense is left to SQLite, which takes the log for empty, unless frames show otherwise.
  const frameBytes = frameHeaderBytes + (pageSizes.has(pageBytes) ? pageBytes : 4096);
  const frames = Math.floor((bytes.length - headerBytes) / frameBytes);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  const isBigEndian = (bytes.readUInt32BE(0) & 1) === 1;
  return { words, bytes, frameBytes, frames, isSwapped: isBigEndian !== (endianness() === 'BE') };
}

const offsetOf = ({ frameBytes }: Log, frame: number) => headerBytes + frame * frameBytes;

/** The checksum over a part of the log, continued from the one before it. */
function checksum({ words, isSwapped }: Log, from: number, to: number, [one, two]: Sum): Sum {
  let [a, b] = [one, two];
  for (let at = from >> 2; at < to >> 2; at += 2) {
    const [x, y] = [words[at] ?? 0, words[at + 1] ?? 0];
    a = (a + (isSwapped ? swapped(x) : x) + b) >>> 0;
    b = (b + (isSwapped ? swapped(y) : y) + a) >>> 0;
  }
  return [a, b];
}

function swapped(word: number): number {
  return ((word >>> 24) | ((word >>> 8) & 0xff00) | ((word << 8) & 0xff0000) | (word << 24)) >>> 0;
}

function storedSum({ bytes }: Log, at: number): Sum {
  return [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
}

/** Whether a frame is what was written, given the checksum that the frame before it, or the header, ends with. */
function isSound(log: Log, frame: number, before: Sum): boolean {
  const start = offsetOf(log, frame);
  const head = checksum(log, start, start + 8, before);
  const [a, b] = checksum(log, start + frameHeaderBytes, start + log.frameBytes, head);
  const [storedA, storedB] = storedSum(log, start + 16);
  return a === storedA && b === storedB;
}

function hasSalt({ bytes }: Log, frame: { start: number }, salt: Buffer): boolean {
  return bytes.subarray(frame.start + 8, frame.start + 16).equals(salt);
}

function isHeaderSound(log: Log): boolean {
  const [storedA, storedB] = storedSum(log, 24);
  const [a, b] = checksum(log, 0, 24, [0, 0]);
  return (log.bytes.readUInt32BE(0) & ~1) === magic && a === storedA && b === storedB;
}

function firstBadFrame(log: Log): number {
  if (!isHeaderSound(log)) return 0;
  const salt = log.bytes.subarray(16, 24);
  let before = storedSum(log, 24);
  for (let frame = 0; frame < log.frames; frame++) {
    const start = offsetOf(log, frame);
    if (!hasSalt(log, { start }, salt) || !isSound(log, frame, before)) return frame;
    before = storedSum(log, start + 16);
  }
  return log.frames;
}

/**
 * Whether at least two transactions were begun after that of `bad`: behind two ends a frame that is sound behind an end, or
 * is a sound end itself, should the damage be in the end before it. Other sound frames prove nothing: they may be of a
 * transaction that was undone, which later ones have partly overwritten. What an earlier run of the log left has another
 * salt.
 */
function hasLaterTransactions(log: Log, bad: number): boolean {
  const salt = saltOf(log);
  let seen = 0;
  for (let frame = bad; frame + 1 < log.frames; frame++) {
    const start = offsetOf(log, frame);
    const next = start + log.frameBytes;
    if (!hasSalt(log, { start: next }, salt)) return false;
    // A frame of an earlier run of the log, where a power cut kept the new one from the disk, ends no transaction.
    const ends = hasSalt(log, { start }, salt) && isEnd(log, start);
    if (ends) seen += 1;
    const isProof = seen >= 2 && (ends || isEnd(log, next));
    if (isProof && isSound(log, frame + 1, storedSum(log, start + 16))) return true;
  }
  return false;
}

/** Whether the frame that starts there is the last of its transaction. */
function isEnd({ bytes }: Log, start: number): boolean {
  return bytes.readUInt32BE(start + 4) !== 0;
}

/**
 * The salt of the header, or of the frames when damage makes the header doubtful. A log that begins again has a header that
 * is sound before it has a frame: those behind it are of the run before, which are copied into the file.
 */
function saltOf(log: Log): Buffer {
  if (log.frames < 2 || isHeaderSound(log)) return log.bytes.subarray(16, 24);
  const second = offsetOf(log, 1);
  return log.bytes.subarray(second + 8, second + 16);
}
