import { crc32 } from 'node:zlib';
import { damage } from './damage.ts';
import { bufferOf } from './statements.ts';

const checksumBytes = 4;

/** An encoded document as it is stored: with its CRC-32 behind it, for SQLite does not notice bits that flip. */
export function storedForm(body: Buffer): Buffer {
  const stored = Buffer.allocUnsafe(body.length + checksumBytes);
  body.copy(stored);
  stored.writeUInt32LE(crc32(body), body.length);
  return stored;
}

/** The encoded document of a stored form. Throws what isDamage tells when it is not what was written. */
export function bodyOf(stored: Uint8Array): Buffer {
  const bytes = bufferOf(stored);
  const body = bytes.subarray(0, Math.max(0, bytes.length - checksumBytes));
  if (bytes.length < checksumBytes || crc32(body) !== bytes.readUInt32LE(body.length)) {
    throw damage('a stored document is not what was written');
  }
  return body;
}
