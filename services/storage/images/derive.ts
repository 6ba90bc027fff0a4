import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';
import type { QuotaCaller } from '../../../lib/clients/quota.ts';
import { createBatcher } from '../../../lib/concurrency/batcher.ts';
import { createTtlCache, expireAfter } from '../../../lib/concurrency/ttl-cache.ts';
import type { BrokerContext } from '../../../lib/contract/context.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { createInsertBatcher } from '../../../lib/data/batched-access.ts';
import { fromNow, hour, minute, now } from '../../../lib/data/clock.ts';
import { insertIfAbsent, nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { type DerivativeDocument, DerivativeModel } from '../../../models/storage/derivative.ts';
import { type ObjectDocument, ObjectModel } from '../../../models/storage/object.ts';
import { type UploadDocument, UploadModel } from '../../../models/storage/upload.ts';
import { withBandwidthFor } from '../quota/bandwidth.ts';
import { objectStore, openToSend } from '../store/running-store.ts';
import { abandonUpload, recordUpload, type UploadRecord } from '../transfers/upload-record.ts';
import { TransformError } from './transform-error.ts';
import type { CanonicalTransformation } from './transform-query.ts';
import { imageTransformer } from './transformer.ts';
import { beginEviction, maxBytesOf, releaseRoom, reserveRoom } from './usage.ts';

/** Caches for a minute that an image cannot be transformed, so that repeated requests cost no process time. */
const failures = new LRUCache<string, TransformError>({ max: 1000, ...expireAfter(minute) });

/** A grace period for readers that looked up a derivative before its deletion and have not opened its file yet. */
const readersTime = minute;
/** The maximum of derivatives of one version. */
const maxPerVersion = 200;
const keptOfMost = 160;
const batch = 500;
/** The share of an organization's maximum that remains after an eviction. */
const keptAfterEviction = 0.8;
const evictionBatchSize = 100;

/**
 * Deletes a derivative, unless it was used since it was read. An upload record marked as given up references its file
 * until the sweep deletes it.
 */
export async function discard({ orgId, _id, version, file, size, usedAt }: DerivativeDocument): Promise<void> {
  const ended = { state: 'givenUp' as const, signedUntil: null, dueAt: fromNow(readersTime) };
  await insertIfAbsent<UploadDocument>(UploadModel, { _id: version, orgId, version, file, ...ended });
  const { deletedCount } = await DerivativeModel.deleteOne({ orgId, _id, version, usedAt });
  if (deletedCount === 1) await releaseRoom(orgId, size);
}

/** Evicts the least recently used derivatives of an organization until these bytes fit below a share of its maximum. */
async function evictFor(orgId: string, bytes: number, max: number): Promise<void> {
  const stored = await beginEviction(orgId);
  if (stored === null) return;
  for (let excess = stored + bytes - max * keptAfterEviction; excess > 0; ) {
    const least = await DerivativeModel.find({ orgId })
      .sort({ usedAt: 1 })
      .limit(evictionBatchSize)
      .lean<DerivativeDocument[]>();
    for (const derivative of least) {
      if (excess <= 0) return;
      await discard(derivative);
      excess -= derivative.size;
    }
    if (least.length < evictionBatchSize) return;
  }
}

/** The number of derivatives per version when last counted, and the number stored since. */
const counts = new LRUCache<string, { present: number; since: number }>({ max: 1000 });
/** Counts again after this many, because other nodes store derivatives too. */
const countedEvery = 16;

/** Call after each stored derivative: deletes the least recently used ones of a version beyond the maximum. */
async function evictBeyondLimit(orgId: string, source: string): Promise<void> {
  const counted = counts.get(source);
  if (counted) counted.since += 1;
  if (counted && counted.since < countedEvery && counted.present + counted.since <= maxPerVersion) return;
  const present = await DerivativeModel.countDocuments({ orgId, source });
  counts.set(source, { present: Math.min(present, maxPerVersion), since: 0 });
  if (present <= maxPerVersion) return;
  const least = await DerivativeModel.find({ orgId, source })
    .sort({ usedAt: 1 })
    .limit(present - keptOfMost)
    .lean<DerivativeDocument[]>();
  for (const derivative of least) await discard(derivative);
}

/** Deletes the derivatives of versions that are no longer read, with their files. Repeatable. */
export async function removeDerivatives(orgId: string, sources: readonly string[]): Promise<void> {
  await removeAll({ orgId, source: { $in: [...sources] } });
}

/** Deletes up to 500 derivatives of an organization; returns whether none remain. */
export async function removeSomeDerivatives(orgId: string): Promise<boolean> {
  return (await removeSome({ orgId })) < batch;
}

type Filter = { orgId: string; source?: { $in: string[] } };

async function removeAll(filter: Filter): Promise<void> {
  while ((await removeSome(filter)) === batch);
}

async function removeSome(filter: Filter): Promise<number> {
  const { orgId } = filter;
  const batchOfDerivatives = await DerivativeModel.find(filter).limit(batch).lean<DerivativeDocument[]>();
  if (batchOfDerivatives.length === 0) return 0;
  await objectStore().remove(batchOfDerivatives.map(({ file }) => file));
  const { deletedCount } = await DerivativeModel.deleteMany({
    orgId,
    _id: { $in: batchOfDerivatives.map(({ _id }) => _id) },
  });
  if (deletedCount === batchOfDerivatives.length) await releaseRoom(orgId, totalSizeOf(batchOfDerivatives));
  return batchOfDerivatives.length;
}

const totalSizeOf = (some: readonly { size: number }[]): number => some.reduce((sum, { size }) => sum + size, 0);

/** An image that was created from the current version of an object. */
type MadeImage = {
  ctx: BrokerContext;
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
const storeDerived = createBatcher(maxBatchSize, async (images: MadeImage[]) => {
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

const transforms = new Counter({
  name: 'storage_image_transforms_total',
  help: 'Image transformations by result.',
  labelNames: ['outcome'],
});

/** Caches derivatives, which are immutable; a deleted one stays readable for another minute. */
const cache = createTtlCache<DerivativeDocument | null>();

/** A derivative, with its bytes until the store has them. */
type Derived = DerivativeDocument & { bytes: Buffer | null };

/** Derivatives being created, by id, until the store has them. */
const making = new Map<string, Promise<Derived>>();
const storing = new Set<Promise<undefined>>();
/** The maximum of images being stored, so that images are not created faster than they are stored. */
const maxStoring = 32;

/**
 * Returns the image of a transformation of an object's current version: from the store, or newly created and then
 * stored, unless the organization has no bandwidth left. Concurrent requests in this process for the same image are
 * coalesced.
 *
 * @throws TransformError, UNAVAILABLE, and the errors of a quota
 */
export async function derive(
  ctx: QuotaCaller,
  object: ObjectDocument,
  transformation: CanonicalTransformation,
): Promise<Derived> {
  const found = await findDerived(object, transformation);
  if (found) return found;
  const _id = idOf(object, transformation);
  return await (making.get(_id) ?? begin(ctx, _id, object, transformation));
}

/** Finds a stored or pending image of a transformation; null if none. Throws TransformError. */
export async function findDerived(
  object: ObjectDocument,
  transformation: CanonicalTransformation,
): Promise<Derived | null> {
  const _id = idOf(object, transformation);
  const present = making.get(_id);
  if (present !== undefined) return await present;
  const found = await cache.find(_id, () => lookUp(object.orgId, _id));
  if (found) return { ...found, bytes: null };
  const failure = failures.get(_id);
  if (failure) throw failure;
  return null;
}

const idOf = ({ version }: ObjectDocument, { key }: CanonicalTransformation): string => `${version}:${key}`;

function begin(
  ctx: QuotaCaller,
  _id: string,
  object: ObjectDocument,
  transformation: CanonicalTransformation,
): Promise<Derived> {
  const made = withBandwidthFor(ctx, object.orgId, () => make(ctx, _id, object, transformation));
  making.set(_id, made);
  const end = () => {
    making.delete(_id);
    cache.forget(_id);
  };
  void made.then((derived) => keep(ctx, object, derived)).then(end, end);
  return made;
}

/** Reads a derivative; records its use at most once an hour, so that most reads write nothing. */
async function lookUp(orgId: string, _id: string): Promise<DerivativeDocument | null> {
  const found = await nativeCollection<DerivativeDocument>(DerivativeModel).findOne({ orgId, _id });
  const isUsedAgain = found !== null && found.usedAt <= fromNow(-hour);
  if (isUsedAgain) await DerivativeModel.updateOne({ orgId, _id }, { $set: { usedAt: now() } });
  return found;
}

/** Deletes the record of a derivative whose file is missing, so that the next request recreates it. */
export async function evictDerivative({ orgId, _id, version, size }: DerivativeDocument): Promise<void> {
  cache.forget(_id);
  const { deletedCount } = await DerivativeModel.deleteOne({ orgId, _id, version });
  if (deletedCount === 1) await releaseRoom(orgId, size);
}

async function make(
  ctx: QuotaCaller,
  _id: string,
  object: ObjectDocument,
  transformation: CanonicalTransformation,
): Promise<Derived> {
  const { orgId, version: source } = object;
  try {
    const open = async (signal: AbortSignal) => {
      while (storing.size >= maxStoring) await Promise.race(storing);
      return await openSource(object, signal);
    };
    const about = { owner: orgId, sourceName: source };
    const { bytes, type } = await imageTransformer().transform(open, transformation, about);
    transforms.inc({ outcome: 'made' });
    const [version, at] = [newId('ver'), now()];
    const stored = { file: `${orgId}/derived/${version}`, size: bytes.length, sha256: hash('sha256', bytes) };
    return { _id, orgId, source, version, ...stored, mimeType: type, madeAt: at, usedAt: at, bytes };
  } catch (error) {
    if (error instanceof TransformError) {
      transforms.inc({ outcome: error.reason });
      if (error.reason !== 'busy') failures.set(_id, error);
      const about = { objectId: object._id, transformation: transformation.key, reason: error.reason, error };
      if (error.reason === 'failed') ctx.broker.logger.error('Image transformation failed', about);
    }
    throw error;
  }
}

async function openSource({ file, size }: ObjectDocument, signal: AbortSignal): Promise<Readable> {
  if (file === null) return Readable.from([]);
  const source = await openToSend({ name: file, size }, null, signal);
  // The object was replaced or deleted since the lookup; a retry finds out which.
  if (!source) throw apiError('UNAVAILABLE');
  return source;
}

/** Stores an image. If that fails, it is recreated on demand. */
async function keep(ctx: QuotaCaller, object: ObjectDocument, { bytes, ...derivative }: Derived): Promise<void> {
  const stored = storeDerived('', { ctx, object, derivative, bytes: bytes ?? Buffer.alloc(0) });
  storing.add(stored);
  await stored;
  storing.delete(stored);
}
