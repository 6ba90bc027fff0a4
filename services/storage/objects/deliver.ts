import { Readable } from 'node:stream';
import type { Context } from 'moleculer';
import type { RequestMeta } from '../../../lib/caller.ts';
import type { StreamAnswer } from '../../../lib/content.ts';
import { errorCode, fail } from '../../../lib/errors.ts';
import { freeMemory } from '../../../lib/free-memory.ts';
import type { BucketDocument } from '../../../models/storage/bucket.ts';
import type { ObjectDocument } from '../../../models/storage/object.ts';
import { isActive } from '../content/active-content.ts';
import { fileNameOf } from '../content/object-key.ts';
import { takeBandwidth } from '../quota/take-bandwidth.ts';
import { partOf } from '../store/file-memory.ts';
import { hasOwnChunks, openToSend } from '../transfers/running-store.ts';

/** The Cache-Control of public objects of a bucket that names none: a replaced object is seen within a minute. */
const publicCaching = 'public, max-age=60';
const immutableCaching = 'public, max-age=31536000, immutable';
const privateCaching = 'private, no-store';

type Ctx = Context<unknown, RequestMeta>;

/** What is sent of an object, or of an image that was made from it. */
type Content = Pick<ObjectDocument, 'file' | 'size' | 'sha256' | 'mimeType'> & {
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

/** Content as the answer to a request. Its bytes are taken from the organization's bandwidth before the first is sent. */
export function deliverContent(ctx: Ctx, { orgId }: BucketDocument, content: Content): StreamAnswer {
  const { file, size, bytes, mimeType, sha256, fileName, isSaved, modifiedAt } = content;
  let bandwidth: { end: (sent: number) => void } | null = null;
  // Browsers show no PDF in a sandbox. Their viewers keep the scripts of a PDF apart from pages.
  if (mimeType === 'application/pdf') addHeaders(ctx, { 'Content-Security-Policy': "default-src 'none'" });
  return {
    type: mimeType,
    size,
    etag: sha256,
    lastModified: modifiedAt,
    // What a browser might run is saved instead of shown.
    disposition: isSaved || isActive(mimeType) ? 'attachment' : 'inline',
    fileName,
    async open(range, signal) {
      if (file === null) return Readable.from([]);
      bandwidth = await takeFor(ctx, orgId, range ? range.last - range.first + 1 : size);
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
      throw fail('UNAVAILABLE');
    },
    ...(bytes === null && hasOwnChunks(size) && { release: freeMemory }),
    ended: (sent) => bandwidth?.end(sent),
  };
}

/** The refusal of a quota names the organization, which is of no concern to readers from outside. */
async function takeFor(ctx: Ctx, orgId: string, bytes: number): ReturnType<typeof takeBandwidth> {
  try {
    return await takeBandwidth(ctx, orgId, bytes);
  } catch (error) {
    const code = errorCode(error);
    throw code === null || ctx.meta.caller?.orgId === orgId ? error : fail(code);
  }
}

type Origin = string | undefined;

/**
 * The headers of a public object: how long caches may keep it, and which origins may read it. `version` is that of the
 * request's `v`.
 */
export function tellPublic(ctx: Ctx, bucket: BucketDocument, { version }: ObjectDocument, v: string | undefined): void {
  const caching = v === version ? immutableCaching : (bucket.cacheControl ?? publicCaching);
  addHeaders(ctx, { 'Cache-Control': caching });
}

/** What a browser may do with the bytes of an object: nothing that runs. */
export const objectPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src 'self'; sandbox";

/** The headers of an object that only those with a credential or a signed URL may read. */
export function tellPrivate(ctx: Ctx): void {
  addHeaders(ctx, { 'Cache-Control': privateCaching });
}

/** The headers of CORS: which origins may read an object, as its bucket says. */
export function tellOrigins(ctx: Ctx, { corsOrigins }: BucketDocument, origin: Origin): void {
  if (corsOrigins.includes('*')) {
    addHeaders(ctx, { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin', ...exposed });
    return;
  }
  tellVary(ctx, 'Origin');
  // Pages that show an image say no origin, so those of all origins may show it where some may read it.
  if (corsOrigins.length > 0) addHeaders(ctx, { 'Cross-Origin-Resource-Policy': 'cross-origin' });
  if (origin === undefined || !corsOrigins.includes(origin)) return;
  addHeaders(ctx, { 'Access-Control-Allow-Origin': origin, ...exposed });
}

/** Adds a request header that the answer depends on. */
export function tellVary(ctx: Ctx, name: string): void {
  const present = ctx.meta.$responseHeaders?.Vary;
  addHeaders(ctx, { Vary: present === undefined ? name : `${present}, ${name}` });
}

const exposed = { 'Access-Control-Expose-Headers': 'Content-Disposition, Content-Range, ETag, X-Request-Id' };

function addHeaders({ meta }: Ctx, headers: Record<string, string>): void {
  meta.$responseHeaders = { ...meta.$responseHeaders, ...headers };
}
