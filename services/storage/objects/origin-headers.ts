import type { RawRequest } from '../../../lib/content.ts';
import type { ErrorCode } from '../../../lib/errors.ts';
import type { BucketDocument } from '../../../models/storage/bucket.ts';
import { defaultChoices } from '../buckets/make-bucket.ts';
import { findOrigins, recallOrigins } from './public-objects.ts';

type Headers = Record<string, string>;

/** The headers of CORS: which origins may read an object, as its bucket says. */
export function originHeaders(
  { corsOrigins }: Pick<BucketDocument, 'corsOrigins'>,
  origin: string | undefined,
): Headers {
  if (corsOrigins.includes('*')) return openToAll;
  return {
    Vary: 'Origin',
    // Pages that show an image say no origin, so those of all origins may show it where some may read it.
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
 * The headers of CORS of a refused read: those of the objects of its bucket. Without a bucket they are those of a bucket
 * for which nothing was chosen, because the refusal tells nothing about anyone.
 *
 * @param isPublicRead whether the address leads to public buckets alone, so that a private one is as none.
 */
export const refusalHeaders =
  (isPublicRead: boolean) =>
  async ({ path, headers: { origin } }: RawRequest, code: ErrorCode | null): Promise<Headers> => {
    const { bucket: name = '' } = path;
    // A request beyond its rate limit causes no lookup.
    const found = code === 'RATE_LIMITED' ? recallOrigins(name) : await findOrigins(name);
    const isVisible = found !== null && (found.isPublic || !isPublicRead);
    return originHeaders(isVisible ? found : defaultChoices, origin);
  };
