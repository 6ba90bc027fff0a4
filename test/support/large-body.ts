import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';

const mebibyte = 1024 * 1024;

/** A body of so many bytes that never is in memory as a whole, with the hash of what was sent of it. */
export function largeBody(size: number): { body: RequestInit; sent: Hash } {
  const sent = createHash('sha256');
  const body = Readable.toWeb(Readable.from(partsOf(size, sent)));
  return { body: { body, duplex: 'half' } as RequestInit, sent };
}

/** In parts of a mebibyte at most, each different from its neighbours. */
function* partsOf(size: number, hash: Hash): Generator<Buffer> {
  for (let at = 0; at < size; at += mebibyte) {
    const part = Buffer.alloc(Math.min(mebibyte, size - at), at / mebibyte);
    hash.update(part);
    yield part;
  }
}

/** The SHA-256 of a body as it arrives, in hexadecimal. */
export async function hashOf({ body }: Response): Promise<string> {
  const received = createHash('sha256');
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) received.update(chunk);
  return received.digest('hex');
}
