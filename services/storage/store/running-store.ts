import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger, Service, ServiceSchema } from 'moleculer';
import type { ByteRange } from '../../../lib/contract/contract.ts';
import { apiError, isError } from '../../../lib/contract/errors.ts';
import { mebibyte } from '../../../lib/format/bytes.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { createDiskStore } from './disk-store.ts';
import { createFileMemory, type ObjectStore } from './object-store.ts';

const partBytes = 8 * mebibyte;
const maxPartBuffers = 32;

const pauseBetweenAttempts = 500;

let running: ObjectStore | null = null;

/**
 * Opens the object store when the service starts, waiting until the store responds, and closes it when the service
 * stops.
 */
export function objectStoreLifecycle(): Partial<ServiceSchema> {
  let isWanted = false;
  return {
    async started(this: Service) {
      isWanted = true;
      while (isWanted && !running) running = await attempt(this.logger);
    },
    stopped() {
      isWanted = false;
      running?.close();
      running = null;
    },
  };
}

async function attempt(logger: Logger): Promise<ObjectStore | null> {
  try {
    return await open();
  } catch (error) {
    if (!isError(error, 'UNAVAILABLE')) throw error;
    logger.warn('The object store does not respond yet; retrying', { error });
    await wait(pauseBetweenAttempts);
    return null;
  }
}

/** Opens the object store of the settings: a folder of DATA_DIR, or S3_URL. Throws UNAVAILABLE. */
async function open(): Promise<ObjectStore> {
  const { S3_URL, S3_ACCESS_KEY, S3_SECRET_KEY, S3_BUCKET, S3_REGION, DATA_DIR } = settings;
  if (S3_URL === undefined || S3_ACCESS_KEY === undefined || S3_SECRET_KEY === undefined) {
    const folder = join(DATA_DIR, 'objects');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return createDiskStore(folder, settings.DISK_RESERVE_MIB * mebibyte);
  }
  // Imported on demand: the client takes memory and time to load.
  const { createPartBuffers, createS3Store } = await import('./s3-store.ts');
  return await createS3Store({
    url: S3_URL,
    accessKey: S3_ACCESS_KEY,
    secretKey: S3_SECRET_KEY.reveal(),
    bucket: S3_BUCKET,
    region: S3_REGION,
    buffers: createPartBuffers(partBytes, maxPartBuffers),
  });
}

const maxFileInMemory = mebibyte / 4;
const memory = createFileMemory({ maxTotal: 32 * mebibyte, maxFile: maxFileInMemory });

/** Whether a file of this size is streamed from disk, so that its chunks belong to the reader alone. */
export const isStreamedFromDisk = (size: number): boolean => size > maxFileInMemory;

/** Opens a file of a given size for sending, small ones from the cache; null if it is missing. Throws UNAVAILABLE. */
export function openToSend(
  file: { name: string; size: number },
  range: ByteRange | null,
  signal: AbortSignal,
): Promise<Readable | null> {
  return memory.open(objectStore(), file, range, signal);
}

/** Returns the object store of this process; throws UNAVAILABLE while it is not open. */
export function objectStore(): ObjectStore {
  if (!running) throw apiError('UNAVAILABLE');
  return running;
}
