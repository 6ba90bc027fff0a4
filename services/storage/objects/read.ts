import { Readable } from 'node:stream';
import { z } from 'zod';
import { requireInForce } from '../../../lib/clients/organizations.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import { type StreamAnswer, streamOutput } from '../../../lib/contract/contract.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError, errorCode, inputError } from '../../../lib/contract/errors.ts';
import { idPattern } from '../../../lib/data/ids.ts';
import { detachBuffer } from '../../../lib/tuning/memory.ts';
import type { BucketDocument } from '../../../models/storage/bucket.ts';
import type { ObjectDocument } from '../../../models/storage/object.ts';
import { findBucket } from '../buckets.ts';
import { contentTypeOf } from '../content/charset.ts';
import { isActive } from '../content/media-type.ts';
import { fileNameOf } from '../content/object-key.ts';
import { derive, evictDerivative, findDerived } from '../images/derive.ts';
import {
  asksForTransform,
  canonical,
  isTransformable,
  rejectLargeSides,
  rejectUnknownBeside,
  type TransformQuery,
  transformParameters,
  transformQuery,
  variesByAccept,
} from '../images/transform-query.ts';
import { transformMilliseconds, transformRefusal } from '../images/transformer.ts';
import { type Bandwidth, openBandwidth } from '../quota/bandwidth.ts';
import { partOf } from '../store/object-store.ts';
import { isStreamedFromDisk, openToSend } from '../store/running-store.ts';
import { readSignature, signatureQuery, signTransfer } from '../transfers/signed-transfer.ts';
import { exampleObject, objectPath, requireObject } from './objects.ts';
import { originHeaders, refusalHeaders } from './origin-headers.ts';
import { findPublic, type PublicObject, recallPublic, requireServed } from './public-objects.ts';

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
function deliver(ctx: Ctx, bucket: BucketDocument, object: ObjectDocument, saveAs?: string): StreamAnswer {
  const { key, uploadedAt: modifiedAt } = object;
  const [fileName, isSaved] = [saveAs ?? fileNameOf(key), saveAs !== undefined];
  return deliverContent(ctx, bucket, { ...object, bytes: null, fileName, isSaved, modifiedAt });
}

/** Answers a request with content. Reserves the organization's bandwidth before bytes are sent. */
function deliverContent(ctx: Ctx, { orgId }: BucketDocument, content: Content): StreamAnswer {
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
async function hidingOwner<T>(ctx: Ctx, orgId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    throw code === null || ctx.meta.caller?.orgId === orgId ? error : apiError(code);
  }
}

/** The headers of a public object: caching, and the origins that may read it. `v` is the version in the request. */
function publicHeaders({ bucket, object }: PublicObject, { v, origin }: Asked): Headers {
  const caching = v === object.version ? immutableCaching : (bucket.cacheControl ?? publicCaching);
  return { 'Cache-Control': caching, ...originHeaders(bucket, origin), ...policyHeaders(object.mimeType) };
}

type Headers = Record<string, string>;
type Asked = { v?: string | undefined; origin?: string | undefined };

/** The policy for the bytes of an object: nothing may run. */
const objectPolicy = `${closedPolicy}; style-src 'unsafe-inline'; img-src data:; media-src 'self'; sandbox`;

/** The headers of a private object, which is read with a credential or a signed URL. */
function privateHeaders(bucket: BucketDocument, { mimeType }: ObjectDocument, { origin }: Asked): Headers {
  return { 'Cache-Control': privateCaching, ...originHeaders(bucket, origin), ...policyHeaders(mimeType) };
}

/** Browsers do not show a PDF in a sandbox. Their viewers isolate the scripts of a PDF from pages. */
function policyHeaders(mimeType: string): Headers {
  return mimeType === 'application/pdf' ? { 'Content-Security-Policy': closedPolicy } : {};
}

/** Adds headers to the response. */
function setHeaders({ meta }: Ctx, headers: Headers): void {
  meta.$responseHeaders = { ...meta.$responseHeaders, ...headers };
}

/** Adds a request header that the response depends on to `Vary`. */
function setVaryHeader(ctx: Ctx, name: string): void {
  const present = ctx.meta.$responseHeaders?.Vary;
  setHeaders(ctx, { Vary: present === undefined ? name : `${present}, ${name}` });
}

type Request = {
  bucket: BucketDocument;
  object: ObjectDocument;
  query: TransformQuery;
  /** The Accept header. */
  accept: string | undefined;
};

/**
 * Answers a request for a transformed image, which is created if it is not stored. HEAD creates none: for a missing
 * image it responds with the type only. Bandwidth is reserved before an image is created.
 *
 * @throws INPUT_INVALID the object is not an image that can be transformed; RATE_LIMITED too many are being
 * transformed; UNAVAILABLE, STORE_FULL, and the errors of a quota
 */
async function deliverImage(ctx: Ctx, { bucket, object, query, accept }: Request): Promise<StreamAnswer> {
  const path = `query.${Object.keys(transformQuery).find((name) => name in query) ?? ''}`;
  if (!isTransformable(object.mimeType)) throw noImage(path);
  if (variesByAccept(query)) setVaryHeader(ctx, 'Accept');
  const transformation = canonical(query, accept, object.mimeType);
  const find = () => (ctx.meta.isHead ? findDerived(object, transformation) : derive(ctx, object, transformation));
  const image = await hidingOwner(ctx, bucket.orgId, find).catch((error: unknown) => {
    throw transformRefusal(error, path);
  });
  if (!image) return headOf(object, `image/${transformation.format}`);
  return deliverContent(ctx, bucket, {
    ...image,
    fileName: nameOf(object.key, image.mimeType),
    modifiedAt: image.madeAt,
    // Happens after the restore of an old backup, for example.
    onMissing: () => evictDerivative(image),
  });
}

/**
 * The response to HEAD for an image that is not created yet. Its size and ETag are unknown (RFC 9110 section 9.3.2).
 */
function headOf({ key }: ObjectDocument, type: string): StreamAnswer {
  return { type, size: null, disposition: 'inline', fileName: nameOf(key, type), open: () => Readable.from([]) };
}

const noImage = (path: string) =>
  inputError([{ path, message: 'The object is not a JPEG, PNG, WebP, AVIF or GIF image.' }]);

/** The object's file name with the extension of the image's type. */
function nameOf(key: string, mimeType: string): string {
  const extension = mimeType === 'image/jpeg' ? 'jpg' : mimeType.slice('image/'.length);
  return `${fileNameOf(key).replace(/(?<=.)\.[^.]*$/u, '')}.${extension}`;
}

/** GET and HEAD /v1/objects/:bucket/*key: the bytes of an object; a private one with a credential or a signed URL. */
export const readObject = defineAction({
  rest: 'GET /v1/objects/:bucket/*key',
  summary: 'Read an object',
  description:
    'Returns the bytes of an object: with a credential, with an address that was signed for the download, or ' +
    'without either if the object is public. Answers to `Range` and to `If-None-Match` work as in HTTP; the `ETag` ' +
    'is the SHA-256 of the bytes. Images are transformed at their public address only.',
  permission: 'storage.read',
  tenant: 'required',
  answers: 'stream',
  input: {
    path: objectPath,
    query: z.looseObject({ signature: signatureQuery.optional() }).superRefine(rejectTransform),
    headers: z.object({ origin: z.string().optional().describe('The origin of the page, which browsers send.') }),
  },
  async isPublicCall({ path: { bucket: name, key }, query: { signature } }) {
    if (signature !== undefined) return readSignature({ method: 'GET', bucket: name, key, signature }).method === 'GET';
    return (await findPublic(name, key)) !== null;
  },
  output: streamOutput,
  exposure: { cors: 'own', contentPolicy: objectPolicy },
  corsOfRefusal: refusalHeaders(false),
  errors: [
    'NOT_FOUND',
    'SIGNATURE_INVALID',
    'ORGANIZATION_SUSPENDED',
    'PLAN_LIMIT_EXCEEDED',
    'SERVICE_NOT_INCLUDED',
    'PAYMENT_REQUIRED',
  ],
  limits: { fromServers: true },
  example: { path: { bucket: exampleObject.bucket, key: exampleObject.key }, query: {}, headers: {} },
  async handler({ path: { bucket: name, key }, query: { signature }, headers: { origin }, caller, ctx }) {
    const found = await findPublic(name, key);
    if (found) {
      await requireServed(ctx, found.bucket.orgId);
      setHeaders(ctx, publicHeaders(found, { origin }));
      return deliver(ctx, found.bucket, found.object);
    }
    const signed = signature === undefined ? null : readSignature({ method: 'GET', bucket: name, key, signature });
    const orgId = signed ? signed.orgId : caller?.orgId;
    if (!orgId) throw apiError('CREDENTIAL_REQUIRED');
    if (signed) await requireInForce(ctx, orgId);
    const bucket = await findBucket(orgId, name, signed !== null);
    const object = await requireObject(bucket, key);
    setHeaders(ctx, privateHeaders(bucket, object, { origin }));
    return deliver(ctx, bucket, object, signed?.saveAs);
  },
});

/** Ignores other unknown parameters, because other sites add theirs to links. */
function rejectTransform(query: Record<string, unknown>, issues: z.RefinementCtx): void {
  for (const name of transformParameters(query)) {
    issues.addIssue({
      code: 'custom',
      path: [name],
      message: 'Not supported here: images are transformed at their public URL.',
    });
  }
}

/** GET and HEAD /cdn/:bucket/*key, the target of CDN_URL: the bytes of a public object, or an image created from it. */
export const readPublicObject = defineAction({
  rest: 'GET /cdn/:bucket/*key',
  summary: 'Read a public object, or transform a public image',
  description:
    'Returns the bytes of a public object, or an image made from it: `w`, `h`, `fit`, `q`, `f` and `dpr` resize ' +
    'and convert JPEG, PNG, WebP, AVIF and GIF images. A private object is `NOT_FOUND`, like a missing one. Add ' +
    "`v` with the object's version for an answer that can be cached permanently; without it a replaced object is " +
    'visible after the time in `Cache-Control`, by default one minute.',
  permission: 'public',
  answers: 'stream',
  input: {
    path: objectPath,
    query: z
      .looseObject({
        v: z
          .string()
          .max(100)
          .optional()
          .describe("The object's `version`: with it the answer can be cached permanently."),
        ...transformQuery,
      })
      .superRefine(rejectUnknownBeside('v'))
      .superRefine(rejectLargeSides),
    headers: z.object({
      origin: z.string().optional().describe('The origin of the page, which browsers send.'),
      accept: z.string().optional(),
    }),
  },
  output: streamOutput,
  exposure: { cors: 'own', contentPolicy: objectPolicy },
  corsOfRefusal: refusalHeaders(true),
  validator({ path: { bucket: name = '', key = '' }, query, headers: { origin } }) {
    const { v } = query;
    const found = recallPublic(name, key);
    if (!found || Array.isArray(v) || asksForTransform(query)) return null;
    const { sha256: etag, size, uploadedAt: lastModified } = found.object;
    return { etag, size, lastModified, headers: publicHeaders(found, { v, origin }) };
  },
  errors: [
    'NOT_FOUND',
    'ORGANIZATION_SUSPENDED',
    'STORE_FULL',
    'PLAN_LIMIT_EXCEEDED',
    'SERVICE_NOT_INCLUDED',
    'PAYMENT_REQUIRED',
  ],
  limits: { fromServers: true, milliseconds: transformMilliseconds },
  example: {
    path: { bucket: exampleObject.bucket, key: exampleObject.key },
    query: { w: '640', f: 'auto' },
    headers: {},
  },
  async handler({ path: { bucket: name, key }, query: { v, ...wanted }, headers: { origin, accept }, ctx }) {
    const found = await findPublic(name, key);
    // A private object is indistinguishable from a missing one.
    if (!found) throw apiError('NOT_FOUND', { message: 'No public object has this URL.' });
    const { bucket, object } = found;
    await requireServed(ctx, bucket.orgId);
    setHeaders(ctx, publicHeaders(found, { v, origin }));
    if (!asksForTransform(wanted)) return deliver(ctx, bucket, object);
    return await deliverImage(ctx, { bucket, object, query: wanted, accept });
  },
});

const seconds = 60;

/**
 * `storage.objects.sign-read`, for services that need the bytes of an object: a URL that reads them for a minute,
 * because bytes do not cross the broker.
 */
export const signRead = defineAction({
  summary: 'Sign an address that a service reads an object by',
  permission: 'internal',
  safe: true,
  input: {
    body: z.strictObject({ orgId: z.string().regex(idPattern('org')), bucket: z.string(), key: z.string() }),
  },
  /** `mimeType` is the Content-Type, with the charset of text. */
  output: z.strictObject({ url: z.string(), size: z.int(), mimeType: z.string(), fileName: z.string() }),
  errors: ['NOT_FOUND'],
  async handler({ body: { orgId, bucket: name, key } }) {
    const bucket = await findBucket(orgId, name);
    const object = await requireObject(bucket, key);
    const { url } = signTransfer({ method: 'GET', orgId, bucket: bucket.name, key }, seconds);
    return { url, size: object.size, mimeType: contentTypeOf(object), fileName: fileNameOf(key) };
  },
});
