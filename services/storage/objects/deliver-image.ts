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
 * The image that a query asks for as the answer to a request, made if it is not stored. HEAD makes none: while there is
 * none, its answer has the type alone. Bandwidth is reserved before an image is made.
 *
 * @throws INPUT_INVALID the object is no image that can be transformed; RATE_LIMITED too many are being transformed;
 * UNAVAILABLE, STORE_FULL, and the errors of a quota
 */
export async function deliverImage(ctx: Ctx, { bucket, object, query, accept }: Request): Promise<StreamAnswer> {
  const path = `query.${Object.keys(transformQuery).find((name) => name in query) ?? ''}`;
  if (!isTransformable(object.mimeType)) throw noImage(path);
  if (variesByAccept(query)) setVaryHeader(ctx, 'Accept');
  const wanted = canonical(query, accept, object.mimeType);
  const find = () => (ctx.meta.isHead ? findDerived(object, wanted) : derive(ctx, object, wanted));
  const image = await hidingOwner(ctx, bucket.orgId, find).catch((error: unknown) => {
    throw error instanceof TransformError ? refusals[error.reason](path) : error;
  });
  if (!image) return headOf(object, `image/${wanted.format}`);
  return deliverContent(ctx, bucket, {
    ...image,
    fileName: nameOf(object.key, image.mimeType),
    modifiedAt: image.madeAt,
    // As after the restore of an old backup.
    onMissing: () => evictDerivative(image),
  });
}

/** The answer to HEAD for an image that is not made. Its size and its tag are not known (RFC 9110 section 9.3.2). */
function headOf({ key }: ObjectDocument, type: string): StreamAnswer {
  return { type, size: null, disposition: 'inline', fileName: nameOf(key, type), open: () => Readable.from([]) };
}

const noImage = (path: string) =>
  inputError([{ path, message: 'The object is no JPEG, PNG, WebP, AVIF or GIF image, so it cannot be transformed.' }]);

const refusals: Record<TransformFailure, (path: string) => Error> = {
  busy: () =>
    apiError('RATE_LIMITED', { message: 'Too many images are being transformed; try again in some seconds.' }),
  unreadable: (path) =>
    inputError([
      { path, message: 'The image is damaged or of a kind that cannot be read, so it cannot be transformed.' },
    ]),
  'too-large': (path) =>
    inputError([{ path, message: 'The image is too large: it may have 50 MiB, and 50 megapixels in all its frames.' }]),
  'too-slow': () => apiError('UNAVAILABLE'),
  failed: () => apiError('UNAVAILABLE'),
};

/** The name of the object's file with the extension of the image's type. */
function nameOf(key: string, mimeType: string): string {
  const extension = mimeType === 'image/jpeg' ? 'jpg' : mimeType.slice('image/'.length);
  return `${fileNameOf(key).replace(/(?<=.)\.[^.]*$/u, '')}.${extension}`;
}
