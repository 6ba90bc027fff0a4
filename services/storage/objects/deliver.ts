import { Readable } from 'node:stream';
import type { Ctx } from '../../../lib/caller.ts';
import type { StreamAnswer } from '../../../lib/content.ts';
import { apiError, errorCode } from '../../../lib/errors.ts';
import { detachBuffer } from '../../../lib/free-memory.ts';
import type { BucketDocument } from '../../../models/storage/bucket.ts';
import type { ObjectDocument } from '../../../models/storage/object.ts';
import { isActive } from '../content/active-content.ts';
import { contentTypeOf } from '../content/charset.ts';
import { fileNameOf } from '../content/object-key.ts';
import { type Bandwidth, openBandwidth } from '../quota/bandwidth.ts';
import { partOf } from '../store/file-memory.ts';
import { isStreamedFromDisk, openToSend } from '../transfers/running-store.ts';
import { originHeaders } from './origin-headers.ts';
import type { PublicObject } from './public-objects.ts';

/** The default Cache-Control of public objects: a replaced object is visible within a minute. */
const publicCaching = 'public, max-age=60';
const immutableCaching = 'public, max-age=31536000, immutable';
const privateCaching = 'private, no-store';
const closedPolicy = "default-src 'none'";

/** The content to send: an object, or an image that was created from it. */
type Content = Pick<ObjectDocument, 'file' | 'size' | 'sha256' | 'mimeType' | 'charset'> & {
  /** Null if the bytes are in the file. */
  bytes: Buffer | null;
  fileName: string;
  /** Whether browsers save it even if they could show the type. */
  isSaved?: boolean;
  modifiedAt: Date;
  /** Called when the file is missing. */
  onMissing?: () => Promise<void>;
};

/**
 * Answers a request with an object.
 *
 * @param saveAs the name under which browsers save it; without it they show content that cannot run
 */
export function deliver(ctx: Ctx, bucket: BucketDocument, object: ObjectDocument, saveAs?: string): StreamAnswer {
  const { key, uploadedAt: modifiedAt } = object;
  const [fileName, isSaved] = [saveAs ?? fileNameOf(key), saveAs !== undefined];
  return deliverContent(ctx, bucket, { ...object, bytes: null, fileName, isSaved, modifiedAt });
}

/** Answers a request with content. Reserves the organization's bandwidth before bytes are sent. */
export function deliverContent(ctx: Ctx, { orgId }: BucketDocument, content: Content): StreamAnswer {
  const { file, size, bytes, mimeType, sha256, fileName, isSaved, modifiedAt } = content;
  let bandwidth: Bandwidth | null = null;
  return {
    type: contentTypeOf(content),
    size,
    etag: sha256,
    lastModified: modifiedAt,
    // Active content is saved instead of shown.
    disposition: isSaved || isActive(mimeType) ? 'attachment' : 'inline',
    fileName,
    async open(range, signal) {
      if (file === null) return Readable.from([]);
      const length = range ? range.last - range.first + 1 : size;
      bandwidth = await hidingOwner(ctx, orgId, () => openBandwidth(ctx, orgId, length));
      if (bytes) return partOf(bytes, range);
      try {
        const source = await openToSend({ name: file, size }, range, signal);
        if (source) return source;
      } catch (error) {
        bandwidth.end(0);
        throw error;
      }
      bandwidth.end(0);
      await content.onMissing?.();
      // The object was replaced or deleted since the lookup; a retry finds out which.
      throw apiError('UNAVAILABLE');
    },
    admit: (length) => bandwidth?.admit(length),
    ...(bytes === null && isStreamedFromDisk(size) && { release: detachBuffer }),
    ended: (sent) => bandwidth?.end(sent),
  };
}

/** Hides the organization in quota errors from external readers. */
export async function hidingOwner<T>(ctx: Ctx, orgId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    throw code === null || ctx.meta.caller?.orgId === orgId ? error : apiError(code);
  }
}

/** The headers of a public object: caching, and the origins that may read it. `v` is the version in the request. */
export function publicHeaders({ bucket, object }: PublicObject, { v, origin }: Asked): Headers {
  const caching = v === object.version ? immutableCaching : (bucket.cacheControl ?? publicCaching);
  return { 'Cache-Control': caching, ...originHeaders(bucket, origin), ...policyHeaders(object.mimeType) };
}

type Headers = Record<string, string>;
type Asked = { v?: string | undefined; origin?: string | undefined };

/** The policy for the bytes of an object: nothing may run. */
export const objectPolicy = `${closedPolicy}; style-src 'unsafe-inline'; img-src data:; media-src 'self'; sandbox`;

/** The headers of a private object, which is read with a credential or a signed URL. */
export function privateHeaders(bucket: BucketDocument, { mimeType }: ObjectDocument, { origin }: Asked): Headers {
  return { 'Cache-Control': privateCaching, ...originHeaders(bucket, origin), ...policyHeaders(mimeType) };
}

/** Browsers do not show a PDF in a sandbox. Their viewers isolate the scripts of a PDF from pages. */
function policyHeaders(mimeType: string): Headers {
  return mimeType === 'application/pdf' ? { 'Content-Security-Policy': closedPolicy } : {};
}

/** Adds headers to the response. */
export function setHeaders({ meta }: Ctx, headers: Headers): void {
  meta.$responseHeaders = { ...meta.$responseHeaders, ...headers };
}

/** Adds a request header that the response depends on to `Vary`. */
export function setVaryHeader(ctx: Ctx, name: string): void {
  const present = ctx.meta.$responseHeaders?.Vary;
  setHeaders(ctx, { Vary: present === undefined ? name : `${present}, ${name}` });
}
