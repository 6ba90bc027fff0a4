import type { Context } from 'moleculer';
import type { RequestMeta } from '../../../lib/caller.ts';
import type { StreamAnswer } from '../../../lib/content.ts';
import { fail, failInput } from '../../../lib/errors.ts';
import type { BucketDocument } from '../../../models/storage/bucket.ts';
import type { ObjectDocument } from '../../../models/storage/object.ts';
import { fileNameOf } from '../content/object-key.ts';
import { derive, forgetDerivative } from '../images/derive.ts';
import { TransformError, type TransformFailure } from '../images/transform-error.ts';
import {
  canonical,
  isTransformable,
  type TransformQuery,
  transformQuery,
  variesByAccept,
} from '../images/transform-query.ts';
import { deliverContent, tellVary } from './deliver.ts';

type Request = {
  bucket: BucketDocument;
  object: ObjectDocument;
  query: TransformQuery;
  /** The Accept header. */
  accept: string | undefined;
};

/**
 * The image that a query asks for as the answer to a request, made unless it is there. Only its bandwidth is counted.
 *
 * @throws INPUT_INVALID the object is no image that can be transformed; RATE_LIMITED too many are being transformed;
 * UNAVAILABLE, STORE_FULL
 */
export async function deliverImage(
  ctx: Context<unknown, RequestMeta>,
  { bucket, object, query, accept }: Request,
): Promise<StreamAnswer> {
  const path = `query.${Object.keys(transformQuery).find((name) => name in query) ?? ''}`;
  if (!isTransformable(object.mimeType)) throw noImage(path);
  if (variesByAccept(query)) tellVary(ctx, 'Accept');
  const image = await derive(ctx, object, canonical(query, accept, object.mimeType)).catch((error: unknown) => {
    throw error instanceof TransformError ? refusals[error.reason](path) : error;
  });
  return deliverContent(ctx, bucket, {
    ...image,
    fileName: nameOf(object.key, image.mimeType),
    modifiedAt: image.madeAt,
    // As after the restore of an old backup.
    onMissing: () => forgetDerivative(image),
  });
}

const noImage = (path: string) =>
  failInput([{ path, message: 'The object is no JPEG, PNG, WebP, AVIF or GIF image, so it cannot be transformed.' }]);

const refusals: Record<TransformFailure, (path: string) => Error> = {
  busy: () => fail('RATE_LIMITED', { message: 'Too many images are being transformed; try again in some seconds.' }),
  unreadable: (path) =>
    failInput([
      { path, message: 'The image is damaged or of a kind that cannot be read, so it cannot be transformed.' },
    ]),
  'too-large': (path) =>
    failInput([{ path, message: 'The image is too large: it may have 50 MiB, and 50 megapixels in all its frames.' }]),
  'too-slow': () => fail('UNAVAILABLE'),
  failed: () => fail('UNAVAILABLE'),
};

/** The name of the object's file with the extension of the image's type. */
function nameOf(key: string, mimeType: string): string {
  const extension = mimeType === 'image/jpeg' ? 'jpg' : mimeType.slice('image/'.length);
  return `${fileNameOf(key).replace(/(?<=.)\.[^.]*$/u, '')}.${extension}`;
}
