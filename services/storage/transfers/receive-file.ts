import { errorCatalogue, errorCode, fail, failInput } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import type { QuotaCaller } from '../../../lib/quota-commits.ts';
import { decideType, sniffedBytes } from '../content/sniff-type.ts';
import { fileOf, type Upload } from '../objects/change-object.ts';
import { type ByteReservation, reserveBytes } from '../quota/reserve-bytes.ts';
import { objectStore } from './running-store.ts';
import { giveUp, recordUpload, type UploadRecord } from './upload-record.ts';

export type Incoming = {
  orgId: string;
  objectId: string;
  source: AsyncIterable<Buffer>;
  /** In bytes, where it is known before. */
  length: number | null;
  /** The media type that the client declares; null for none. */
  declared: string | null;
  fileName: string | null;
  /** Of a signed URL, which is used once. */
  signature?: { id: string; until: Date };
  /** Called with the type as soon as it is known, and with the size once that is; throws to refuse it. */
  check: (type: string, size: number | null) => void;
};

/**
 * Receives the bytes of an upload into the object store, and hands them to `keep`, which makes them an object. When that
 * or anything before it fails, the file and its quota are given back.
 *
 * @throws INPUT_INVALID the type contradicts the bytes; the errors of a quota; STORE_FULL, UNAVAILABLE, SIGNATURE_USED
 */
export async function receiveFile<T>(
  ctx: QuotaCaller,
  incoming: Incoming,
  keep: (upload: Upload) => Promise<T>,
): Promise<T> {
  const { orgId, objectId, length, declared, fileName, signature = null } = incoming;
  const version = newId('ver');
  const file = fileOf(orgId, objectId, version);
  const source = await peek(incoming.source);
  const { type } = decideType({ head: source.head, declared, fileName }, 'body.file');
  incoming.check(type, length);
  const record = await recordUpload({ orgId, version, file, signature });
  const reservation = reserveBytes(ctx, orgId, version, length);
  let isKeeping = false;
  try {
    await reservation.cover(length ?? source.head.length);
    const stored = await store(file, metered(source.all(), reservation, record), length);
    incoming.check(type, stored.size);
    if (!reservation.isHeld()) throw fail('UNAVAILABLE');
    await record.claim();
    const charges = reservation.chargesFor(stored.size);
    const upload = { version, file: stored.size > 0 ? file : null, ...stored, charges, mimeType: type };
    isKeeping = true;
    const kept = await keep(upload);
    reservation.commit(charges);
    await record.complete();
    return kept;
  } catch (error) {
    // The object may have the version although that was not answered. The sweep finds out, and billing asks.
    if (isKeeping && !isRefusal(error)) reservation.leave();
    else {
      await giveUp(file, record);
      reservation.refund();
    }
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  const code = errorCode(error);
  return code !== null && errorCatalogue[code].status < 500;
}

/** The hash of no bytes. */
const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

async function store(file: string, source: AsyncGenerator<Buffer>, length: number | null) {
  const first = await source.next();
  if (first.done) return { size: 0, sha256: emptySha256 };
  const whole = (async function* () {
    yield first.value;
    yield* source;
  })();
  const stored = await objectStore().put(file, whole, length);
  if (length !== null && stored.size !== length) {
    const message = `${stored.size} bytes arrived, and ${length} were declared.`;
    throw failInput([{ path: 'body.file', message }]);
  }
  return stored;
}

async function* metered(
  source: AsyncIterable<Buffer>,
  reservation: ByteReservation,
  record: UploadRecord,
): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    await reservation.cover(size);
    await record.renew();
    if (chunk.length > 0) yield chunk;
  }
}

/** The first bytes of a stream, and all of them. */
async function peek(stream: AsyncIterable<Buffer>): Promise<{ head: Buffer; all: () => AsyncGenerator<Buffer> }> {
  const chunks: Buffer[] = [];
  let length = 0;
  const iterator = stream[Symbol.asyncIterator]();
  while (length < sniffedBytes) {
    const { done, value } = await iterator.next();
    if (done) break;
    chunks.push(value);
    length += value.length;
  }
  const begin = Buffer.concat(chunks);
  return {
    head: begin.subarray(0, sniffedBytes),
    async *all() {
      if (begin.length > 0) yield begin;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    },
  };
}
