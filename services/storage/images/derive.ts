import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Counter } from 'prom-client';
import { fromNow, hour, now } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import { nativeCollection } from '../../../lib/native-collection.ts';
import type { QuotaCaller } from '../../../lib/quota-commits.ts';
import { createShortMemory } from '../../../lib/short-memory.ts';
import { type DerivativeDocument, DerivativeModel } from '../../../models/storage/derivative.ts';
import type { ObjectDocument } from '../../../models/storage/object.ts';
import { withBandwidthFor } from '../quota/bandwidth.ts';
import { openToSend } from '../transfers/running-store.ts';
import { recallFailure, rememberFailure } from './failures.ts';
import { imageTransformer } from './running-transformer.ts';
import { storeDerived } from './store-derived.ts';
import { TransformError } from './transform-error.ts';
import type { CanonicalTransformation } from './transform-query.ts';
import { releaseRoom } from './usage.ts';

const transforms = new Counter({
  name: 'storage_image_transforms_total',
  help: 'Image transformations by result.',
  labelNames: ['outcome'],
});

/** Caches derivatives, which are immutable; a deleted one stays readable for another minute. */
const cache = createShortMemory<DerivativeDocument | null>();

/** A derivative, with its bytes until the store has them. */
export type Derived = DerivativeDocument & { bytes: Buffer | null };

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
  wanted: CanonicalTransformation,
): Promise<Derived> {
  const found = await findDerived(object, wanted);
  if (found) return found;
  const _id = idOf(object, wanted);
  return await (making.get(_id) ?? begin(ctx, _id, object, wanted));
}

/** Finds a stored or pending image of a transformation; null if none. Throws TransformError. */
export async function findDerived(object: ObjectDocument, wanted: CanonicalTransformation): Promise<Derived | null> {
  const _id = idOf(object, wanted);
  const present = making.get(_id);
  if (present !== undefined) return await present;
  const found = await cache.find(_id, () => lookUp(object.orgId, _id));
  if (found) return { ...found, bytes: null };
  recallFailure(_id);
  return null;
}

const idOf = ({ version }: ObjectDocument, { key }: CanonicalTransformation): string => `${version}:${key}`;

function begin(
  ctx: QuotaCaller,
  _id: string,
  object: ObjectDocument,
  wanted: CanonicalTransformation,
): Promise<Derived> {
  const made = withBandwidthFor(ctx, object.orgId, () => make(ctx, _id, object, wanted));
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
  wanted: CanonicalTransformation,
): Promise<Derived> {
  const { orgId, version: source } = object;
  try {
    const open = async (signal: AbortSignal) => {
      while (storing.size >= maxStoring) await Promise.race(storing);
      return await openSource(object, signal);
    };
    const about = { owner: orgId, sourceName: source };
    const { bytes, type } = await imageTransformer().transform(open, wanted, about);
    transforms.inc({ outcome: 'made' });
    const [version, at] = [newId('ver'), now()];
    const stored = { file: `${orgId}/derived/${version}`, size: bytes.length, sha256: hash('sha256', bytes) };
    return { _id, orgId, source, version, ...stored, mimeType: type, madeAt: at, usedAt: at, bytes };
  } catch (error) {
    if (error instanceof TransformError) {
      transforms.inc({ outcome: error.reason });
      rememberFailure(_id, error);
      const about = { objectId: object._id, transformation: wanted.key, reason: error.reason, error };
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
