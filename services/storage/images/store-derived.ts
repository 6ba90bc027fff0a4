import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from 'moleculer';
import { Counter } from 'prom-client';
import { createBatcher } from '../../../lib/batched.ts';
import { createInsertBatcher } from '../../../lib/insert-together.ts';
import { nativeCollection } from '../../../lib/native-collection.ts';
import { type DerivativeDocument, DerivativeModel } from '../../../models/storage/derivative.ts';
import { type ObjectDocument, ObjectModel } from '../../../models/storage/object.ts';
import { objectStore } from '../transfers/running-store.ts';
import { abandonUpload, recordUpload, type UploadRecord } from '../transfers/upload-record.ts';
import { discard, evictBeyondLimit, evictFor, totalSizeOf } from './discard.ts';
import { maxBytesOf, releaseRoom, reserveRoom } from './usage.ts';

/** An image that was created from the current version of an object. */
export type MadeImage = {
  ctx: Pick<Context, 'broker'>;
  object: ObjectDocument;
  derivative: DerivativeDocument;
  bytes: Buffer;
};

const unstored = new Counter({
  name: 'storage_image_variants_unstored_total',
  help: 'Image variants that were sent but not stored, because the organization had no storage left.',
});

type Recorded = MadeImage & { record: UploadRecord };

const maxBatchSize = 16;
/** The coalescing window in milliseconds: images that arrive within it join the batch, unless it is already large. */
const pause = 100;
const insertDerivative = createInsertBatcher<DerivativeDocument>(DerivativeModel);

/**
 * Stores images in order of arrival; images that arrive while others are stored share the database writes. An image
 * that is not stored is recreated on demand. Never rejects.
 */
export const storeDerived = createBatcher(maxBatchSize, async (images: MadeImage[]) => {
  if (images.length < maxBatchSize) await wait(pause);
  const admitted = await admittedAmong(images);
  const recorded = await succeeding(admitted, record);
  const filed = await succeeding(recorded, storeFile);
  const inserted = await succeeding(filed, insert);
  const present = presentAmong(inserted);
  await succeeding(inserted, (image) => keepToLimits(image, present));
  await succeeding(without(admitted, inserted), ({ derivative: { orgId, size } }) => releaseRoom(orgId, size));
  return images.map(() => undefined);
});

/**
 * Returns the images that fit the limits of their organizations, after an eviction if one is due. The others are sent
 * but not stored.
 */
async function admittedAmong(images: MadeImage[]): Promise<MadeImage[]> {
  const byOrganization = Map.groupBy(images, ({ derivative }) => derivative.orgId);
  const admitted = await Promise.all(
    [...byOrganization].map(async ([orgId, own]) => {
      const bytes = totalSizeOf(own.map(({ derivative }) => derivative));
      const [isAdmitted = false] = await succeeding(own.slice(0, 1), ({ ctx }) => hasRoom(ctx, orgId, bytes));
      if (isAdmitted) return own;
      unstored.inc(own.length);
      return [];
    }),
  );
  return admitted.flat();
}

async function hasRoom(ctx: MadeImage['ctx'], orgId: string, bytes: number): Promise<boolean> {
  const max = await maxBytesOf(ctx, orgId);
  if (await reserveRoom(orgId, bytes, max)) return true;
  if (bytes > max) return false;
  await evictFor(orgId, bytes, max);
  return await reserveRoom(orgId, bytes, max);
}

/** Returns the images whose derivative is not among the others. */
function without(images: MadeImage[], others: MadeImage[]): MadeImage[] {
  const versions = new Set(others.map(({ derivative }) => derivative.version));
  return images.filter(({ derivative }) => !versions.has(derivative.version));
}

/** Runs a step for all images concurrently; returns the results other than null of those that succeeded. */
async function succeeding<T extends MadeImage, R>(images: T[], step: (image: T) => Promise<R | null>): Promise<R[]> {
  const results = await Promise.all(
    images.map((image) =>
      step(image).catch((error: unknown) => {
        image.ctx.broker.logger.warn('Transformed image could not be stored', { objectId: image.object._id, error });
        return null;
      }),
    ),
  );
  return results.filter((result) => result !== null);
}

/** Records the file like an upload, so that a crash leaves no unreferenced file. */
async function record(image: MadeImage): Promise<Recorded> {
  const { orgId, version, file } = image.derivative;
  return { ...image, record: await recordUpload({ orgId, version, file, signature: null }) };
}

async function storeFile(image: Recorded): Promise<Recorded> {
  const { derivative, bytes, record } = image;
  try {
    await objectStore().put(derivative.file, Readable.from([bytes]), { size: bytes.length });
    await record.claim();
    return image;
  } catch (error) {
    await abandonUpload(derivative.file, record);
    throw error;
  }
}

/** Null if another node stored it first. */
async function insert(image: Recorded): Promise<MadeImage | null> {
  const { ctx, derivative, record } = image;
  if (await insertDerivative(derivative)) {
    record.completeInBackground(ctx);
    return image;
  }
  await abandonUpload(derivative.file, record);
  return null;
}

/** Returns the versions that are still current. */
async function presentAmong(images: MadeImage[]): Promise<Set<string>> {
  if (images.length === 0) return new Set();
  const objects = nativeCollection<ObjectDocument>(ObjectModel).find(
    {
      orgId: { $in: [...new Set(images.map(({ object }) => object.orgId))] },
      _id: { $in: [...new Set(images.map(({ object }) => object._id))] },
    },
    { projection: { version: 1, bucketId: 1 } },
  );
  const present = await objects.toArray();
  return new Set(present.map(({ version, bucketId }) => `${bucketId}:${version}`));
}

/** A version that ended concurrently may have been cleaned up before its image was inserted. */
async function keepToLimits({ object, derivative }: MadeImage, present: Promise<Set<string>>): Promise<void> {
  const { orgId, source } = derivative;
  if ((await present).has(`${object.bucketId}:${source}`)) await evictBeyondLimit(orgId, source);
  else await discard(derivative);
}
