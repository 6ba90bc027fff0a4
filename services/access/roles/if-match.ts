import { z } from 'zod';
import { apiError } from '../../../lib/errors.ts';

/** One or more entity tags, or `*` (RFC 9110 section 13.1.1). */
const entityTags = /^(?:\*|(?:W\/)?"[\x21\x23-\x7e]*"(?:[ \t]*,[ \t]*(?:W\/)?"[\x21\x23-\x7e]*")*)$/;

/** The headers of a request that changes a resource only at the named revision. */
export const ifMatchHeaders = z
  .object({
    'if-match': z
      .string()
      .trim()
      .max(1000, 'Must be at most 1000 characters.')
      .regex(entityTags, 'Must be the ETag as received, with its quotes, such as "7"; or *.')
      .optional(),
  })
  .default({});

/**
 * Throws PRECONDITION_FAILED unless If-Match allows a change at this revision. A weak tag never matches: If-Match takes
 * the strong comparison.
 */
export function requireMatch(headers: z.output<typeof ifMatchHeaders>, revision: number): void {
  const tags = headers['if-match'];
  if (tags === undefined || tags === '*') return;
  // The platform's tags contain no comma.
  if (tags.split(',').some((tag) => tag.trim() === `"${revision}"`)) return;
  throw apiError('PRECONDITION_FAILED');
}
