import type { RawRequest } from '../../../lib/contract/contract.ts';
import type { ErrorCode } from '../../../lib/contract/errors.ts';
import type { BucketDocument } from '../../../models/storage/bucket.ts';
import { defaultChoices } from '../make-bucket.ts';
import { findOrigins, recallOrigins } from './public-objects.ts';

type Headers = Record<string, string>;

/** The CORS headers: the origins that may read an object, by its bucket's settings. */
export function originHeaders(
  { corsOrigins }: Pick<BucketDocument, 'corsOrigins'>,
  origin: string | undefined,
): Headers {
  if (corsOrigins.includes('*')) return openToAll;
  return {
    Vary: 'Origin',
    // Pages that embed an image send no origin, so all origins may embed it if some may read it.
    ...(corsOrigins.length > 0 && { 'Cross-Origin-Resource-Policy': 'cross-origin' }),
    ...(origin !== undefined && corsOrigins.includes(origin) && { 'Access-Control-Allow-Origin': origin, ...exposed }),
  };
}

const limitHeaders = 'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After';
const exposed = {
  'Access-Control-Expose-Headers': `Content-Disposition, Content-Range, ETag, ${limitHeaders}, X-Request-Id`,
};
const openToAll = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin', ...exposed };

/**
 * The CORS headers of a rejected read: those used for objects of its bucket. For an unknown bucket, the headers of
 * default settings, because the response reveals nothing.
 *
 * @param isPublicRead whether the URL serves public buckets only, so that a private bucket counts as unknown.
 */
export const refusalHeaders =
  (isPublicRead: boolean) =>
  async ({ path, headers: { origin } }: RawRequest, code: ErrorCode | null): Promise<Headers> => {
    const { bucket: name = '' } = path;
    // A request beyond its rate limit causes no query.
    const found = code === 'RATE_LIMITED' ? recallOrigins(name) : await findOrigins(name);
    const isVisible = found !== null && (found.isPublic || !isPublicRead);
    return originHeaders(isVisible ? found : defaultChoices, origin);
  };
