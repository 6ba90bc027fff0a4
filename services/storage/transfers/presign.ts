import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { exampleInstant } from '../../../lib/contract/examples.ts';
import { timestamp } from '../../../lib/contract/input.ts';
import { allows } from '../../../lib/contract/permissions.ts';
import { mebibyte } from '../../../lib/format/bytes.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { findBucket } from '../buckets.ts';
import { contentTypeOf, declaredCharset, takesCharset } from '../content/charset.ts';
import { canonicalType, parseType, typePattern } from '../content/media-type.ts';
import { objectKey } from '../content/object-key.ts';
import { bucketFor } from '../make-bucket.ts';
import { refusedReplacement } from '../objects/change-object.ts';
import { exampleObject, findObject, requireNarrower, requireObject, urlOf } from '../objects/objects.ts';
import { requireAccepted } from '../objects/upload.ts';
import { defaultSeconds, maxSeconds, signTransfer } from './signed-transfer.ts';

const expiresIn = z.int().min(1).max(maxSeconds, `Must be at most ${maxSeconds} seconds.`).default(defaultSeconds);
/** Canonical: in lower case, and `image/jpeg` for `image/jpg`; text may declare its charset. */
const mimeType = z
  .string()
  .meta({ pattern: typePattern.source })
  .transform((text, context) => {
    const parsed = parseType(text);
    if (parsed !== null) {
      const type = canonicalType(parsed);
      return { type, charset: takesCharset(type) ? declaredCharset(text) : null };
    }
    context.addIssue({ code: 'custom', message: 'Must be a media type such as image/png.' });
    return z.NEVER;
  });

const maxBytes = settings.MAX_UPLOAD_MIB * mebibyte;

/**
 * POST /v1/presign: signs a URL to which a client without a credential PUTs one file. The object exists, and its bytes
 * count, after the PUT.
 */
export const presignUpload = defineAction({
  rest: 'POST /v1/presign',
  summary: 'Sign an address for an upload',
  description:
    'Signs an address to which a client without a credential can PUT one file, for at most an hour. Send the ' +
    'returned `headers` with the PUT. The file must have the type that you declared (`application/octet-stream` ' +
    'allows every type), and the size if you declared one; the object exists, and counts, after the PUT.',
  permission: 'storage.upload',
  tenant: 'required',
  input: {
    body: z
      .strictObject({
        bucket: z.string().optional().describe("The name of the bucket; by default the organization's own."),
        key: objectKey,
        mimeType,
        size: z
          .int()
          .min(0)
          .max(maxBytes, `Must be at most ${maxBytes}.`)
          .optional()
          .describe('The exact size of the file in bytes; without it any size that the bucket accepts.'),
        public: z.boolean().optional(),
        expiresIn,
      })
      .meta({ id: 'PresignedUploadInput' }),
  },
  output: z
    .strictObject({
      uploadUrl: z.string(),
      objectUrl: z.string().describe('The public address of the object, which works while it is public.'),
      method: z.literal('PUT'),
      /** The headers to send with the PUT. */
      headers: z.record(z.string(), z.string()),
      expiresAt: timestamp,
    })
    .meta({ id: 'PresignedUpload' }),
  errors: ['NOT_FOUND'],
  example: {
    body: { bucket: exampleObject.bucket, key: exampleObject.key, mimeType: 'image/jpeg', size: 245_760 },
    output: {
      uploadUrl: 'http://localhost:3001/v1/objects/acme-bikes-assets/products/city-bike.jpg?signature=eyJtZXRob2Qi.x9',
      objectUrl: exampleObject.url,
      method: 'PUT',
      headers: { 'Content-Type': 'image/jpeg' },
      expiresAt: exampleInstant,
    },
  },
  async handler({ body, caller: { orgId, scopes }, ctx }) {
    const { key, size, public: isPublic } = body;
    const { type, charset } = body.mimeType;
    const bucket = await bucketFor(ctx, orgId, body.bucket);
    requireNarrower(bucket, isPublic, 'body.public');
    requireAccepted(bucket, type, size ?? null);
    const mayReplace = allows(scopes, 'storage.delete');
    if (!mayReplace && (await findObject(bucket, key))) throw refusedReplacement();
    const { url, expiresAt } = signTransfer(
      { method: 'PUT', orgId, bucket: bucket.name, key, type, size, isPublic, mayReplace },
      body.expiresIn,
    );
    return {
      uploadUrl: url,
      objectUrl: urlOf(bucket.name, key),
      method: 'PUT' as const,
      headers: { 'Content-Type': contentTypeOf({ mimeType: type, charset }) },
      expiresAt: expiresAt.toISOString(),
    };
  },
});

/** POST /v1/presign/download: signs a URL that reads an object until it expires. */
export const presignDownload = defineAction({
  rest: 'POST /v1/presign/download',
  summary: 'Sign an address for a download',
  description:
    'Signs an address that reads an object without a credential until it expires, for at most an hour. It stays ' +
    'valid until then, even if the credential that signed it is revoked.',
  permission: 'storage.read',
  safe: true,
  tenant: 'required',
  input: {
    body: z.strictObject({ bucket: z.string(), key: objectKey, expiresIn }).meta({ id: 'PresignedDownloadInput' }),
  },
  output: z.strictObject({ url: z.string(), expiresAt: timestamp }).meta({ id: 'SignedUrl' }),
  errors: ['NOT_FOUND'],
  example: {
    body: { bucket: 'acme-bikes-invoices', key: '2026/0042.pdf', expiresIn: 300 },
    output: {
      url: 'http://localhost:3001/v1/objects/acme-bikes-invoices/2026/0042.pdf?signature=eyJtZXRob2Qi.y7',
      expiresAt: exampleInstant,
    },
  },
  async handler({ body: { bucket: name, key, expiresIn: seconds }, caller: { orgId } }) {
    const bucket = await findBucket(orgId, name);
    await requireObject(bucket, key);
    const { url, expiresAt } = signTransfer({ method: 'GET', orgId, bucket: bucket.name, key }, seconds);
    return { url, expiresAt: expiresAt.toISOString() };
  },
});
