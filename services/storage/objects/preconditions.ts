import { z } from 'zod';
import { apiError } from '../../../lib/errors.ts';
import { evaluate } from '../../../lib/preconditions.ts';
import type { ObjectDocument } from '../../../models/storage/object.ts';

const header = z.string().max(2000, 'Send at most 2000 characters.').optional();

/** The headers of a conditional write (RFC 9110 section 13.1). */
export const preconditionHeaders = z
  .object({ 'if-match': header, 'if-none-match': header, 'if-unmodified-since': header })
  .default({});

export type Preconditions = z.output<typeof preconditionHeaders>;

/** Whether the conditions are false where there is no object. */
export const needsObject = (conditions: Preconditions | undefined): boolean => conditions?.['if-match'] !== undefined;

const messages = {
  absent: 'There is no object with this key, and If-Match demands one.',
  changed: 'The object was changed: it has another ETag, or a later date, than the request names.',
  present: 'There is an object with this key already, and If-None-Match demands that there is none, or not this one.',
};

/**
 * Throws PRECONDITION_FAILED unless the conditions of a write hold for the object that it changes, null for none. They
 * are evaluated where the object is read for the write, which names the revision that was read: so of concurrent writes
 * under the same condition one is carried out.
 */
export function requirePreconditions(conditions: Preconditions | undefined, object: ObjectDocument | null): void {
  if (!conditions) return;
  if (!object) {
    if (needsObject(conditions)) throw apiError('PRECONDITION_FAILED', { message: messages.absent });
    return;
  }
  const { sha256: etag, uploadedAt: lastModified } = object;
  const { status } = evaluate('PUT', conditions, { etag, lastModified, size: null });
  if (status === 412) throw apiError('PRECONDITION_FAILED', { message: messages.changed });
  // A read with a false If-None-Match is answered 304, a write 412 (RFC 9110 section 13.1.2).
  if (status === 304) throw apiError('PRECONDITION_FAILED', { message: messages.present });
}
