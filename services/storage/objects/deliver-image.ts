import { Readable } from 'node:stream';
import type { Ctx } from '../../../lib/caller.ts';
import type { StreamAnswer } from '../../../lib/content.ts';
import { apiError, inputError } from '../../../lib/errors.ts';
import type { BucketDocument } from '../../../models/storage/bucket.ts';
import type { ObjectDocument } from '../../../models/storage/object.ts';
import { fileNameOf } from '../content/object-key.ts';
import { derive, evictDerivative, findDerived } from '../images/derive.ts';
import { TransformError, type TransformFailure } from '../images/transform-error.ts';
import {
  canonical,
  isTransformable,
  type TransformQuery,
  transformQuery,
  variesByAccept,
} from '../images/transform-query.ts';
import { deliverContent, hidingOwner, setVaryHeader } from './deliver.ts';

type Request = {
  bucket: BucketDocument;
  object: ObjectDocument;
  query: TransformQuery;
  /** The Accept header. */
  accept: string | undefined;
};

/**
 * Answers a request for a transformed image, which is created if it is not stored. HEAD creates none: for a missing
 * image it responds with the type only. Bandwidth is reserved before an image is created.
 *
 * @throws INPUT_INVALID the object is not an image that can be transformed; RATE_LIMITED too many are being
 * transformed; UNAVAILABLE, STORE_FULL, and the errors of a quota
 */
export async function deliverImage(ctx: Ctx, { bucket, object, query, accept }: Request): Promise<StreamAnswer> {
  const path = `query.${Object.keys(transformQuery).find((name) => name in query) ?? ''}`;
  if (!isTransformable(object.mimeType)) throw noImage(path);
  if (variesByAccept(query)) setVaryHeader(ctx, 'Accept');
  const transformation = canonical(query, accept, object.mimeType);
  const find = () => (ctx.meta.isHead ? findDerived(object, transformation) : derive(ctx, object, transformation));
  const image = await hidingOwner(ctx, bucket.orgId, find).catch((error: unknown) => {
    throw error instanceof TransformError ? refusals[error.reason](path) : error;
  });
  if (!image) return headOf(object, `image/${transformation.format}`);
  return deliverContent(ctx, bucket, {
    ...image,
    fileName: nameOf(object.key, image.mimeType),
    modifiedAt: image.madeAt,
    // Happens after the restore of an old backup, for example.
    onMissing: () => evictDerivative(image),
  });
}

/**
 * The response to HEAD for an image that is not created yet. Its size and ETag are unknown (RFC 9110 section 9.3.2).
 */
function headOf({ key }: ObjectDocument, type: string): StreamAnswer {
  return { type, size: null, disposition: 'inline', fileName: nameOf(key, type), open: () => Readable.from([]) };
}

const noImage = (path: string) =>
  inputError([{ path, message: 'The object is not a JPEG, PNG, WebP, AVIF or GIF image.' }]);

const refusals: Record<TransformFailure, (path: string) => Error> = {
  busy: () =>
    apiError('RATE_LIMITED', { message: 'Too many images are being transformed; try again in a few seconds.' }),
  unreadable: (path) => inputError([{ path, message: 'The image is damaged or has an unsupported format.' }]),
  'too-large': (path) =>
    inputError([{ path, message: 'The image must have at most 50 MiB, and 50 megapixels over all frames.' }]),
  'too-slow': () => apiError('UNAVAILABLE'),
  failed: () => apiError('UNAVAILABLE'),
};

/** The object's file name with the extension of the image's type. */
function nameOf(key: string, mimeType: string): string {
  const extension = mimeType === 'image/jpeg' ? 'jpg' : mimeType.slice('image/'.length);
  return `${fileNameOf(key).replace(/(?<=.)\.[^.]*$/u, '')}.${extension}`;
}
