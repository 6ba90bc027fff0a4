import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from 'moleculer';
import { batched } from '../../../lib/batched.ts';
import { insertTogether } from '../../../lib/insert-together.ts';
import { nativeCollection } from '../../../lib/native-collection.ts';
import { type DerivativeDocument, DerivativeModel } from '../../../models/storage/derivative.ts';
import { type ObjectDocument, ObjectModel } from '../../../models/storage/object.ts';
import { objectStore } from '../transfers/running-store.ts';
import { giveUp, recordUpload, type UploadRecord } from '../transfers/upload-record.ts';
import { discard, discardBeyondMost } from './discard.ts';

/** An image that was made of the present version of an object. */
export type MadeImage = {
  ctx: Pick<Context, 'broker'>;
  object: ObjectDocument;
  derivative: DerivativeDocument;
  bytes: Buffer;
};

type Recorded = MadeImage & { record: UploadRecord };

const maxTogether = 16;
/** In milliseconds: so long others may join those that are stored together, unless they are many already. */
const pause = 100;
const insertDerivative = insertTogether<DerivativeDocument>(DerivativeModel);

/**
 * Stores images, in the order in which they come; those that come while others are stored share the writes to the
 * database. An image that is not stored is made again. Never rejects.
 */
export const storeDerived = batched(maxTogether, async (images: MadeImage[]) => {
  if (images.length < maxTogether) await wait(pause);
  const recorded = await succeeding(images, record);
  const filed = await succeeding(recorded, storeFile);
  const inserted = await succeeding(filed, insert);
  const present = presentAmong(inserted);
  await succeeding(inserted, (image) => keepToLimits(image, present));
  return images.map(() => undefined);
});

/** Does a step for all at the same time, and returns the results of those for which it succeeded with one. */
async function succeeding<T extends MadeImage, R>(images: T[], step: (image: T) => Promise<R | null>): Promise<R[]> {
  const results = await Promise.all(
    images.map((image) =>
      step(image).catch((error: unknown) => {
        image.ctx.broker.logger.warn('A transformed image was not stored', { objectId: image.object._id, error });
        return null;
      }),
    ),
  );
  return results.filter((result) => result !== null);
}

/** Like an upload, so that a crash leaves no file that nothing names. */
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
    await giveUp(derivative.file, record);
    throw error;
  }
}

/** Null where another node has been faster. */
async function insert(image: Recorded): Promise<MadeImage | null> {
  const { ctx, derivative, record } = image;
  if (await insertDerivative(derivative)) {
    record.completeInBackground(ctx);
    return image;
  }
  await giveUp(derivative.file, record);
  return null;
}

/** The versions that are still the present ones of their objects. */
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

/** A version that ended meanwhile may have been cleaned up before its image was inserted. */
async function keepToLimits({ object, derivative }: MadeImage, present: Promise<Set<string>>): Promise<void> {
  const { orgId, source } = derivative;
  if ((await present).has(`${object.bucketId}:${source}`)) await discardBeyondMost(orgId, source);
  else await discard(derivative);
}
