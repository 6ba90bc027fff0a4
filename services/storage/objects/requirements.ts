import { apiError, inputError } from '../../../lib/errors.ts';
import type { BucketDocument } from '../../../models/storage/bucket.ts';
import { matchesType } from '../content/active-content.ts';

/** Throws INPUT_INVALID or BODY_TOO_LARGE unless a bucket takes content of a type and size; null is not known yet. */
export function requireAccepted(
  { name, allowedMimeTypes, maxObjectBytes }: BucketDocument,
  type: string,
  size: number | null,
): void {
  if (allowedMimeTypes && !matchesType(type, allowedMimeTypes)) {
    const message = `The file is ${type}, and the bucket ${name} takes only ${allowedMimeTypes.join(', ')}.`;
    throw inputError([{ path: 'body.file', message }]);
  }
  if (size !== null) requireSize({ name, maxObjectBytes }, size);
}

/** Throws BODY_TOO_LARGE where a bucket takes no object with this many bytes, of which more may follow. */
export function requireSize({ name, maxObjectBytes }: Pick<BucketDocument, 'name' | 'maxObjectBytes'>, bytes: number) {
  if (maxObjectBytes === null || bytes <= maxObjectBytes) return;
  throw apiError('BODY_TOO_LARGE', { message: `The bucket ${name} takes objects of at most ${maxObjectBytes} bytes.` });
}
