import { createHash, type Hash } from 'node:crypto';
import { Agent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { Client } from 'minio';
import { apiError } from '../../../lib/contract/errors.ts';
import { day } from '../../../lib/data/clock.ts';
import { detachReadBuffers } from '../../../lib/tuning/memory.ts';
import { endedBy, type ObjectStore, type PutOptions, requireName, type StoredFile } from './object-store.ts';

/** A bounded pool of equally sized buffers for the parts of uploads. */
export type PartBuffers = {
  partBytes: number;
  /** Waits for a free buffer; callers are served in order. */
  take: () => Promise<Buffer>;
  giveBack: (buffer: Buffer) => void;
};

/** Creates a pool. Buffers are allocated on demand and reused, because large allocations are slow. */
export function createPartBuffers(partBytes: number, maxBuffers: number): PartBuffers {
  const free: Buffer[] = [];
  const waiting: ((buffer: Buffer) => void)[] = [];
  let made = 0;
  return {
    partBytes,
    async take() {
      const buffer = free.pop();
      if (buffer) return buffer;
      if (made >= maxBuffers) return await new Promise((resolve) => waiting.push(resolve));
      made += 1;
      return Buffer.allocUnsafeSlow(partBytes);
    },
    giveBack(buffer) {
      const next = waiting.shift();
      if (next) next(buffer);
      else free.push(buffer);
    },
  };
}

export type S3Options = {
  url: string;
  accessKey: string;
  secretKey: string;
  bucket: string;
  region: string;
  /** The part buffers of this node, which all uploads share. */
  buffers: PartBuffers;
  /** A connection to the store counts as dead after this many milliseconds without a byte. */
  idleMilliseconds?: number;
};

type Upload = { client: Client; bucket: string; name: string; buffers: PartBuffers };

/** The maximum of names that S3 deletes or lists per request. */
const maxConcurrency = 1000;
const retryOptions = { disableRetry: false, maximumRetryCount: 3, baseDelayMs: 100, maximumDelayMs: 1000 };

/** Stores files in a bucket of an S3-compatible store, which it creates if missing. */
export async function createS3Store(options: S3Options): Promise<ObjectStore> {
  const { bucket, region, buffers } = options;
  const { client, close } = connect(options);
  await reach(async () => {
    if (!(await client.bucketExists(bucket))) await client.makeBucket(bucket, region);
  });

  return {
    async put(name, source, options = {}) {
      return await upload({ client, bucket, name: requireName(name), buffers }, source, options);
    },
    async open(name, range, signal) {
      requireName(name);
      const source = (await reach(() =>
        (range
          ? client.getPartialObject(bucket, name, range.first, range.last - range.first + 1)
          : client.getObject(bucket, name)
        ).catch(nullIfMissing),
      )) as IncomingMessage | null;
      if (!source) return null;
      // From here on the reader sets the pace.
      source.socket.setTimeout(0);
      detachReadBuffers(source);
      return endedBy(signal, source);
    },
    async remove(names) {
      const all = names.map(requireName);
      for (let at = 0; at < all.length; at += maxConcurrency) {
        const batch = all.slice(at, at + maxConcurrency);
        const outcomes = await reach(() => client.removeObjects(bucket, batch));
        const failed = outcomes.find((outcome) => outcome?.Error && outcome.Error.Code !== 'NoSuchKey');
        if (failed) throw apiError('UNAVAILABLE', { cause: failed.Error });
      }
    },
    list: (prefix, after) =>
      reach(async () => {
        const { objects } = await client.listObjectsV2Query(bucket, prefix, '', '', maxConcurrency, after);
        return objects.flatMap(({ name, size, lastModified }) =>
          name === undefined ? [] : [{ name, size, modifiedAt: lastModified }],
        );
      }),
    removeUnfinished: (at) =>
      reach(async () => {
        const uploads = client.listIncompleteUploads(bucket, '', true);
        for await (const { key, uploadId, initiated } of uploads as AsyncIterable<Unfinished>) {
          if (new Date(initiated).getTime() < at.getTime() - maxUploadTime)
            await client.abortMultipartUpload(bucket, key, uploadId);
        }
      }),
    close,
  };
}

/** S3 reports when an upload began, not its last part. Uploads take hours at most. */
const maxUploadTime = 2 * day;

type Unfinished = { key: string; uploadId: string; initiated: Date };

function connect(options: S3Options): { client: Client; close: () => void } {
  const { accessKey, secretKey, region, idleMilliseconds = 30_000 } = options;
  const { protocol, hostname, port } = new URL(options.url);
  const useSSL = protocol === 'https:';
  const transportAgent = new (useSSL ? HttpsAgent : Agent)({ keepAlive: true, timeout: idleMilliseconds });
  const { createConnection } = transportAgent;
  transportAgent.createConnection = (...connectArguments: Parameters<typeof createConnection>) => {
    const socket = createConnection.apply(transportAgent, connectArguments) as Duplex;
    return socket.on('timeout', () => socket.destroy(new Error('The object store does not respond.')));
  };
  const endPoint = hostname.replace(/^\[|\]$/g, '');
  const where = { endPoint, useSSL, ...(port !== '' && { port: Number(port) }) };
  const client = new Client({ ...where, accessKey, secretKey, region, pathStyle: true, transportAgent, retryOptions });
  return { client, close: () => transportAgent.destroy() };
}

/**
 * Uploads a file in parts, each read completely before it is sent, so that a failing source leaves no truncated file,
 * which the client library would accept. A file of one part is sent in a single request.
 */
async function upload(to: Upload, source: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredFile> {
  const { size = null, release = () => undefined, admitted } = options;
  const hash = createHash('sha256');
  const parts = readParts(to.buffers, hashed(releasing(source, release), hash), size);
  let total = 0;
  let multipart: Multipart | null = null;
  try {
    for await (const { bytes, isLast } of parts) {
      total += bytes.length;
      if (isLast) await admitted?.();
      if (isLast && !multipart) {
        await reach(() => to.client.putObject(to.bucket, to.name, bytes, bytes.length));
      } else {
        multipart ??= await begin(to);
        await multipart.add(bytes);
      }
    }
    await multipart?.complete();
  } catch (error) {
    await multipart?.abort();
    throw error;
  }
  return { size: total, sha256: hash.digest('hex') };
}

type Multipart = { add: (bytes: Buffer) => Promise<void>; complete: () => Promise<void>; abort: () => Promise<void> };

async function begin({ client, bucket, name }: Upload): Promise<Multipart> {
  const uploadID = await reach(() => client.initiateNewMultipartUpload(bucket, name, {}));
  const etags: { part: number; etag?: string }[] = [];
  return {
    async add(bytes) {
      const partNumber = etags.length + 1;
      const about = { bucketName: bucket, objectName: name, uploadID, partNumber, headers: {} };
      const { etag } = await reach(() => client.uploadPart(about, bytes));
      etags.push({ part: partNumber, etag });
    },
    async complete() {
      await reach(() => client.completeMultipartUpload(bucket, name, uploadID, etags));
    },
    // The sweep of unfinished uploads retries failures.
    abort: () => client.abortMultipartUpload(bucket, name, uploadID).catch(() => undefined),
  };
}

/** Releases each chunk when the next one is requested: chunks are copied to a part buffer. */
async function* releasing(
  source: AsyncIterable<Uint8Array>,
  release: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    yield chunk;
    release(chunk);
  }
}

/** Hashes chunk by chunk, because hashing a whole part would block for long. */
async function* hashed(source: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
}

type Part = { bytes: Buffer; isLast: boolean };

/**
 * Reads a source in parts of equal size; the last may be smaller, and empty if the source is. A part's memory is valid
 * until the next part is requested. A file that is known to fit uses no part buffer.
 */
async function* readParts(
  buffers: PartBuffers,
  source: AsyncIterable<Uint8Array>,
  size: number | null,
): AsyncGenerator<Part> {
  const { partBytes } = buffers;
  const isSmall = size !== null && size <= partBytes / 16;
  const buffer = isSmall ? Buffer.allocUnsafe(partBytes / 16) : await buffers.take();
  let filled = 0;
  try {
    for await (const chunk of source) {
      for (let read = 0; read < chunk.length; ) {
        if (filled === buffer.length) {
          if (isSmall) throw new RangeError(`The source has more than the ${size} bytes that were announced.`);
          yield { bytes: buffer, isLast: false };
          filled = 0;
        }
        const piece = chunk.subarray(read, read + buffer.length - filled);
        buffer.set(piece, filled);
        filled += piece.length;
        read += piece.length;
      }
    }
    yield { bytes: buffer.subarray(0, filled), isLast: true };
  } finally {
    if (!isSmall) buffers.giveBack(buffer);
  }
}

/** Calls the store; maps failures to catalogued errors. */
function reach<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((error) => Promise.reject(failureOf(error)));
}

type S3Failure = { code?: string; statusCode?: number };

function nullIfMissing(error: S3Failure): null {
  if (error.code === 'NoSuchKey' || error.code === 'NotFound') return null;
  throw error;
}

const insufficientStorage = 507;
const full = new Set(['InsufficientStorage', 'QuotaExceeded', 'XMinioStorageFull']);

function failureOf(error: S3Failure): Error {
  const isFull = error.statusCode === insufficientStorage || full.has(error.code ?? '');
  return apiError(isFull ? 'STORE_FULL' : 'UNAVAILABLE', { cause: error });
}
