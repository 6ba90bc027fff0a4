import { crc32 } from 'node:zlib';
import { damage } from './damage.ts';

const checksumBytes = 4;

/** Appends a CRC-32 to an encoded document, because SQLite does not detect bit flips. */
export function storedForm(body: Buffer): Buffer {
  const stored = Buffer.allocUnsafe(body.length + checksumBytes);
  body.copy(stored);
  stored.writeUInt32LE(crc32(body), body.length);
  return stored;
}

/** Extracts the encoded document. Throws an error that isDamage accepts when the checksum does not match. */
export function bodyOf(stored: Uint8Array): Buffer {
  const length = stored.byteLength - checksumBytes;
  if (length < 0) throw damage('a stored document is not what was written');
  const body = Buffer.from(stored.buffer, stored.byteOffset, length);
  if (crc32(body) !== checksumAt(stored, length)) throw damage('a stored document is not what was written');
  return body;
}

function checksumAt(stored: Uint8Array, at: number): number {
  const [low = 0, second = 0] = [stored[at], stored[at + 1]];
  const [third = 0, high = 0] = [stored[at + 2], stored[at + 3]];
  return (low | (second << 8) | (third << 16) | (high << 24)) >>> 0;
}
