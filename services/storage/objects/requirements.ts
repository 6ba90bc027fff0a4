import { apiError, inputError } from '../../../lib/errors.ts';
import type { BucketDocument } from '../../../models/storage/bucket.ts';
import { matchesType } from '../content/active-content.ts';

/**
 * Throws INPUT_INVALID or BODY_TOO_LARGE unless a bucket accepts content of a type and size; null means not yet known.
 */
export function requireAccepted(
  { name, allowedMimeTypes, maxObjectBytes }: BucketDocument,
  type: string,
  size: number | null,
): void {
  if (allowedMimeTypes && !matchesType(type, allowedMimeTypes)) {
    const message = `The file is ${type}; the bucket ${name} accepts only ${allowedMimeTypes.join(', ')}.`;
    throw inputError([{ path: 'body.file', message }]);
  }
  if (size !== null) requireSize({ name, maxObjectBytes }, size);
}

/** Throws BODY_TOO_LARGE if a bucket accepts no object of at least this many bytes. */
export function requireSize({ name, maxObjectBytes }: Pick<BucketDocument, 'name' | 'maxObjectBytes'>, bytes: number) {
  if (maxObjectBytes === null || bytes <= maxObjectBytes) return;
  throw apiError('BODY_TOO_LARGE', {
    message: `Objects in the bucket ${name} must be at most ${maxObjectBytes} bytes.`,
  });
}
