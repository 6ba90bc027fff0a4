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

/** The Cache-Control of public objects of a bucket that names none: a replaced object is seen within a minute. */
const publicCaching = 'public, max-age=60';
const immutableCaching = 'public, max-age=31536000, immutable';
const privateCaching = 'private, no-store';
const closedPolicy = "default-src 'none'";

/** What is sent of an object, or of an image that was made from it. */
type Content = Pick<ObjectDocument, 'file' | 'size' | 'sha256' | 'mimeType' | 'charset'> & {
  /** Null where they are in the file. */
  bytes: Buffer | null;
  fileName: string;
  /** Whether browsers save it, also of a type that they could show. */
  isSaved?: boolean;
  modifiedAt: Date;
  /** Called when the file is gone. */
  onMissing?: () => Promise<void>;
};

/**
 * An object as the answer to a request.
 *
 * @param saveAs the name under which browsers save it; without one they show what cannot run
 */
export function deliver(ctx: Ctx, bucket: BucketDocument, object: ObjectDocument, saveAs?: string): StreamAnswer {
  const { key, uploadedAt: modifiedAt } = object;
  const [fileName, isSaved] = [saveAs ?? fileNameOf(key), saveAs !== undefined];
  return deliverContent(ctx, bucket, { ...object, bytes: null, fileName, isSaved, modifiedAt });
}

/** Content as the answer to a request. The organization's bandwidth is reserved before bytes are sent. */
export function deliverContent(ctx: Ctx, { orgId }: BucketDocument, content: Content): StreamAnswer {
  const { file, size, bytes, mimeType, sha256, fileName, isSaved, modifiedAt } = content;
  let bandwidth: Bandwidth | null = null;
  return {
    type: contentTypeOf(content),
    size,
    etag: sha256,
    lastModified: modifiedAt,
    // What a browser might run is saved instead of shown.
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
      // It was replaced or deleted since it was looked up; a retry finds out which.
      throw apiError('UNAVAILABLE');
    },
    admit: (length) => bandwidth?.admit(length),
    ...(bytes === null && isStreamedFromDisk(size) && { release: detachBuffer }),
    ended: (sent) => bandwidth?.end(sent),
  };
}

/** The refusal of a quota names the organization, which is of no concern to readers from outside. */
export async function hidingOwner<T>(ctx: Ctx, orgId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    throw code === null || ctx.meta.caller?.orgId === orgId ? error : apiError(code);
  }
}

/**
 * The headers of a public object: how long caches may keep it, and which origins may read it. `v` is the version that the
 * request names.
 */
export function publicHeaders({ bucket, object }: PublicObject, { v, origin }: Asked): Headers {
  const caching = v === object.version ? immutableCaching : (bucket.cacheControl ?? publicCaching);
  return { 'Cache-Control': caching, ...originHeaders(bucket, origin), ...policyHeaders(object.mimeType) };
}

type Headers = Record<string, string>;
type Asked = { v?: string | undefined; origin?: string | undefined };

/** What a browser may do with the bytes of an object: nothing that runs. */
export const objectPolicy = `${closedPolicy}; style-src 'unsafe-inline'; img-src data:; media-src 'self'; sandbox`;

/** The headers of an object that only those with a credential or a signed URL may read. */
export function privateHeaders(bucket: BucketDocument, { mimeType }: ObjectDocument, { origin }: Asked): Headers {
  return { 'Cache-Control': privateCaching, ...originHeaders(bucket, origin), ...policyHeaders(mimeType) };
}

/** Browsers show no PDF in a sandbox. Their viewers keep the scripts of a PDF apart from pages. */
function policyHeaders(mimeType: string): Headers {
  return mimeType === 'application/pdf' ? { 'Content-Security-Policy': closedPolicy } : {};
}

/** Adds headers to the answer. */
export function setHeaders({ meta }: Ctx, headers: Headers): void {
  meta.$responseHeaders = { ...meta.$responseHeaders, ...headers };
}

/** Adds a request header that the answer depends on. */
export function setVaryHeader(ctx: Ctx, name: string): void {
  const present = ctx.meta.$responseHeaders?.Vary;
  setHeaders(ctx, { Vary: present === undefined ? name : `${present}, ${name}` });
}
