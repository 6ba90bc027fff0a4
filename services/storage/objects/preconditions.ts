import { z } from 'zod';
import { apiError } from '../../../lib/contract/errors.ts';
import { evaluate } from '../../../lib/contract/preconditions.ts';
import type { ObjectDocument } from '../../../models/storage/object.ts';

const header = z.string().max(2000, 'Must be at most 2000 characters.').optional();

/** The headers of a conditional write (RFC 9110 section 13.1). */
export const preconditionHeaders = z
  .object({
    'if-match': header.describe('Only if the object has one of these ETags; `*`: only if there is one.'),
    'if-none-match': header.describe('Only if the object has none of these ETags; `*`: only if there is none.'),
    'if-unmodified-since': header.describe('Only if the object was not replaced since this HTTP date.'),
  })
  .default({});

export type Preconditions = z.output<typeof preconditionHeaders>;

/** Whether the conditions fail if the object does not exist. */
export const needsObject = (conditions: Preconditions | undefined): boolean => conditions?.['if-match'] !== undefined;

const messages = {
  absent: 'If-Match requires an existing object, and none has this key.',
  changed: 'The object was changed: its ETag differs from the request, or its date is later.',
  present: 'An object with this key exists, and If-None-Match excludes it.',
};

/**
 * Throws PRECONDITION_FAILED unless the conditions of a write hold for the object, null for none. They are evaluated on
 * the revision that the write replaces, so only one of several concurrent writes with the same condition succeeds.
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
  // A read with a failed If-None-Match responds with 304, a write with 412 (RFC 9110 section 13.1.2).
  if (status === 304) throw apiError('PRECONDITION_FAILED', { message: messages.present });
}
