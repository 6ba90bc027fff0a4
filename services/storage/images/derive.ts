import { Readable } from 'node:stream';
import type { Context } from 'moleculer';
import { Counter } from 'prom-client';
import { day, fromNow, now } from '../../../lib/clock.ts';
import { fail } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import { insertUnlessThere } from '../../../lib/insert-unless-there.ts';
import { type DerivativeDocument, DerivativeModel } from '../../../models/storage/derivative.ts';
import { type ObjectDocument, ObjectModel } from '../../../models/storage/object.ts';
import { createShortMemory } from '../objects/short-memory.ts';
import { objectStore } from '../transfers/running-store.ts';
import { giveUp, recordUpload } from '../transfers/upload-record.ts';
import { discard, discardBeyondMost } from './discard.ts';
import { recallFailure, rememberFailure } from './failures.ts';
import type { Rendered } from './render.ts';
import { imageTransformer } from './running-transformer.ts';
import { TransformError } from './transform-error.ts';
import type { CanonicalTransformation } from './transform-query.ts';

type Caller = Pick<Context, 'broker'>;

const transforms = new Counter({
  name: 'storage_image_transforms_total',
  help: 'Images that were transformed, and those that were not, by the reason.',
  labelNames: ['outcome'],
});

/** A derivative does not change, and one that is discarded can be read for a minute more. */
const known = createShortMemory<DerivativeDocument | null>();

const making = new Map<string, Promise<DerivativeDocument>>();

/**
 * The image that a transformation makes of the present version of an object: from the object store, or made now and
 * kept there. Concurrent requests of this process for the same image have it made once.
 *
 * @throws TransformError, UNAVAILABLE, STORE_FULL
 */
export async function derive(
  ctx: Caller,
  object: ObjectDocument,
  wanted: CanonicalTransformation,
): Promise<DerivativeDocument> {
  const { orgId } = object;
  const _id = `${object.version}:${wanted.key}`;
  const found = await known.find(_id, () => lookUp(orgId, _id));
  if (found) return found;
  recallFailure(_id);
  const present = making.get(_id) ?? make(ctx, _id, object, wanted).finally(() => ended(_id));
  making.set(_id, present);
  return await present;
}

/** Notes the use of what is found once a day, so that most reads write nothing. */
async function lookUp(orgId: string, _id: string): Promise<DerivativeDocument | null> {
  const found = await DerivativeModel.findOne({ orgId, _id }).lean<DerivativeDocument>();
  const isUsedAgain = found !== null && found.usedAt <= fromNow(-day);
  if (isUsedAgain) await DerivativeModel.updateOne({ orgId, _id }, { $set: { usedAt: now() } });
  return found;
}

/** Forgets a derivative whose file is missing, so that the next request has it made again. */
export async function forgetDerivative({ orgId, _id, version }: DerivativeDocument): Promise<void> {
  known.forget(_id);
  await DerivativeModel.deleteOne({ orgId, _id, version });
}

function ended(_id: string): void {
  making.delete(_id);
  known.forget(_id);
}

async function make(
  ctx: Caller,
  _id: string,
  object: ObjectDocument,
  wanted: CanonicalTransformation,
): Promise<DerivativeDocument> {
  try {
    const open = (signal: AbortSignal) => openSource(object, signal);
    const rendered = await imageTransformer().transform(open, wanted, object.orgId);
    transforms.inc({ outcome: 'made' });
    return await keep(_id, object, rendered);
  } catch (error) {
    if (error instanceof TransformError) {
      transforms.inc({ outcome: error.reason });
      rememberFailure(_id, error);
      const about = { objectId: object._id, transformation: wanted.key, reason: error.reason, error };
      if (error.reason === 'failed') ctx.broker.logger.error('An image was not transformed', about);
    }
    throw error;
  }
}

async function openSource({ file }: ObjectDocument, signal: AbortSignal): Promise<Readable> {
  if (file === null) return Readable.from([]);
  const source = await objectStore().open(file, null, signal);
  // It was replaced or deleted since it was looked up; a retry finds out which.
  if (!source) throw fail('UNAVAILABLE');
  return source;
}

/** Stores an image like an upload, so that a crash leaves no file that nothing names. */
async function keep(_id: string, object: ObjectDocument, { bytes, type }: Rendered): Promise<DerivativeDocument> {
  const { orgId, version: source } = object;
  const version = newId('ver');
  const file = `${orgId}/derived/${version}`;
  const record = await recordUpload({ orgId, version, file, signature: null });
  let derivative: DerivativeDocument;
  try {
    const { size, sha256 } = await objectStore().put(file, Readable.from([bytes]), bytes.length);
    await record.claim();
    const at = now();
    derivative = { _id, orgId, source, version, file, size, sha256, mimeType: type, madeAt: at, usedAt: at };
  } catch (error) {
    await giveUp(file, record);
    throw error;
  }
  if (!(await insertUnlessThere<DerivativeDocument>(DerivativeModel, derivative))) {
    await giveUp(file, record);
    return await madeByAnother(orgId, _id);
  }
  await record.complete();
  // A version that ended meanwhile may have been cleaned up before this was inserted.
  if (
    await ObjectModel.findOne({ orgId, _id: object._id, version: source, bucketId: object.bucketId }, { _id: 1 }).lean()
  )
    await discardBeyondMost(orgId, source);
  else await discard(derivative);
  return derivative;
}

async function madeByAnother(orgId: string, _id: string): Promise<DerivativeDocument> {
  const found = await DerivativeModel.findOne({ orgId, _id }).lean<DerivativeDocument>();
  if (!found) throw fail('UNAVAILABLE');
  return found;
}
