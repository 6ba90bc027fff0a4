import type { QuotaCaller } from '../../../lib/clients/quota.ts';
import { apiError, errorCatalogue, errorCode, inputError } from '../../../lib/contract/errors.ts';
import { newId } from '../../../lib/data/ids.ts';
import { mebibyte } from '../../../lib/format/bytes.ts';
import { detachBuffer } from '../../../lib/tuning/memory.ts';
import { type CharsetFinder, findCharset } from '../content/charset.ts';
import { decideType, sniffedBytes } from '../content/sniff-type.ts';
import { fileOf, type Upload } from '../objects/change-object.ts';
import { type ByteReservation, reserveBytes } from '../quota.ts';
import { objectStore } from '../store/running-store.ts';
import { abandonUpload, recordUpload, type UploadRecord } from './upload-record.ts';

type Incoming = {
  orgId: string;
  objectId: string;
  source: AsyncIterable<Buffer>;
  /** In bytes; null if unknown in advance. */
  length: number | null;
  /** The declared media type; null if none. */
  declared: string | null;
  fileName: string | null;
  /** Whether it is the file of a form. */
  isForm?: boolean;
  /** The signature of a single-use signed URL. */
  signature?: { id: string; until: Date };
  /** Throws when the number of received bytes exceeds the limit. */
  checkSize?: (arrived: number) => void;
  /** Called with the type once it is known, and with the size once that is known; throws to reject. */
  check: (type: string, size: number | null) => void;
};

/**
 * Receives the bytes of an upload into the object store, and passes the file to `keep`, which publishes it as an
 * object. On failure the file is deleted and its quota released.
 *
 * @throws INPUT_INVALID the type contradicts the bytes; the errors of a quota; STORE_FULL, UNAVAILABLE, SIGNATURE_USED
 */
export async function receiveFile<T>(
  ctx: QuotaCaller,
  incoming: Incoming,
  keep: (upload: Upload) => Promise<T>,
): Promise<T> {
  const { orgId, objectId, length, declared, fileName, isForm = false, signature = null } = incoming;
  const version = newId('ver');
  const file = fileOf(orgId, objectId, version);
  const source = await peek(incoming.source);
  const { type } = decideType({ head: source.head, declared, fileName, isForm }, 'body.file');
  incoming.check(type, length);
  const encoding = findCharset({ type, declared, head: source.head });
  const reservation = reserveBytes(ctx, orgId, version, length);
  const admission = admit(
    recordUpload({ orgId, version, file, signature }),
    reservation.cover(length ?? source.head.length),
  );
  let isKeeping = false;
  try {
    const { checkSize } = incoming;
    const bytes = metered(source.all(), {
      admission,
      reservation,
      encoding,
      checkSize,
      isLengthKnown: length !== null,
    });
    const stored = await store(file, bytes, length, admission);
    incoming.check(type, stored.size);
    const record = await admission.record();
    if (!reservation.isHeld()) throw apiError('UNAVAILABLE');
    await record.claim();
    const charges = reservation.chargesFor(stored.size);
    const about = { charges, mimeType: type, charset: encoding.charset() };
    const upload = { version, file: stored.size > 0 ? file : null, ...stored, ...about };
    isKeeping = true;
    const kept = await keep(upload);
    reservation.commit(charges);
    record.completeInBackground(ctx);
    return kept;
  } catch (error) {
    // The object may have the version although the call failed. The sweep finds out, and billing queries it.
    if (isKeeping && !isRefusal(error)) reservation.leave();
    else {
      await abandonUpload(file, await admission.ended());
      reservation.refund();
    }
    throw error;
  }
}

/** The preconditions of an upload before its file gets a name: a record, and the bytes of the quota. */
type UploadPreconditions = {
  /** Throws if one of them failed. */
  check: () => void;
  /** Call while bytes arrive. */
  renew: () => Promise<void>;
  /** Resolves when both succeeded; throws the first failure. */
  record: () => Promise<UploadRecord>;
  /** Resolves when both have settled, with the record if there is one. */
  ended: () => Promise<UploadRecord | null>;
};

/** Runs both while the first bytes are already written, which use no quota until the file has a name. */
function admit(recording: Promise<UploadRecord>, covering: Promise<void>): UploadPreconditions {
  const both = Promise.all([recording, covering]);
  let refusal: { error: unknown } | null = null;
  let made: UploadRecord | null = null;
  both.then(
    ([record]) => {
      made = record;
    },
    (error: unknown) => {
      refusal = { error };
    },
  );
  return {
    check() {
      if (refusal) throw refusal.error;
    },
    renew: async () => await made?.renew(),
    record: async () => (await both)[0],
    async ended() {
      await Promise.allSettled([recording, covering]);
      return await recording.catch(() => null);
    },
  };
}

function isRefusal(error: unknown): boolean {
  const code = errorCode(error);
  return code !== null && errorCatalogue[code].status < 500;
}

/** The hash of an empty file. */
const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

async function store(
  file: string,
  source: AsyncGenerator<Buffer>,
  length: number | null,
  admission: UploadPreconditions,
) {
  const first = await source.next();
  if (first.done) return { size: 0, sha256: emptySha256 };
  const whole = (async function* () {
    yield first.value;
    yield* source;
  })();
  // The chunks belong to the connection, and nothing else reads them.
  const options = { size: length, release: detachBuffer, admitted: admission.record };
  const stored = await objectStore().put(file, whole, options);
  if (length !== null && stored.size !== length) {
    const message = `${stored.size} bytes were received, but ${length} were declared.`;
    throw inputError([{ path: 'body.file', message }]);
  }
  return stored;
}

type Meter = Pick<Incoming, 'checkSize'> & {
  admission: UploadPreconditions;
  reservation: ByteReservation;
  encoding: CharsetFinder;
  isLengthKnown: boolean;
};

/**
 * Yields the bytes of an upload, and throws when a precondition fails. Waits for the preconditions after the first
 * bytes.
 */
async function* metered(
  source: AsyncIterable<Buffer>,
  { admission, reservation, encoding, checkSize, isLengthKnown }: Meter,
): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    checkSize?.(size);
    admission.check();
    if (size > firstBytes || !isLengthKnown) await admission.record();
    // The first bytes are covered by the preconditions.
    if (!isLengthKnown) await reservation.cover(size);
    await admission.renew();
    encoding.push(chunk);
    if (chunk.length > 0) yield chunk;
  }
}

/** The bytes of a file of known length that are written before its preconditions are settled. */
const firstBytes = 8 * mebibyte;

/** Reads the first bytes of a stream; returns them, and an iterator over all bytes. */
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
  return {
    head: Buffer.concat(chunks, Math.min(length, sniffedBytes)),
    async *all() {
      yield* chunks;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    },
  };
}
