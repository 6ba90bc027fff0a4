import { z } from 'zod';
import { apiError, inputError } from '../../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { pathText, timestamp } from '../../../lib/contract/input.ts';
import { day, now } from '../../../lib/data/clock.ts';
import { settings } from '../../../lib/settings/settings.ts';
import type { BucketDocument } from '../../../models/storage/bucket.ts';
import { type ObjectDocument, ObjectModel } from '../../../models/storage/object.ts';
import { bucketNamePattern } from '../buckets.ts';
import { encodeKey, objectKey } from '../content/object-key.ts';

/** Accepts any text as a bucket: an unknown one is 404, never 400. */
export const objectPath = z.strictObject({ bucket: pathText(bucketNamePattern), key: objectKey });

/** An object in API responses. `public`: whether it can be read without a credential. */
export const objectOutput = z
  .strictObject({
    objectId: z.string(),
    bucket: z.string(),
    key: z.string(),
    url: z.string().describe('The address of the bytes, which works without a credential while the object is public.'),
    size: z.int(),
    mimeType: z.string(),
    public: z.boolean(),
    uploadedAt: timestamp.describe('When the present bytes were stored.'),
    version: z
      .string()
      .describe('The version of the bytes. With `?v=<version>`, the address can be cached permanently.'),
    sha256: z.string().describe('The SHA-256 of the bytes in hexadecimal. It is also the ETag.'),
    metadata: z.record(z.string(), z.string()),
    updatedAt: timestamp,
  })
  .meta({ id: 'StoredObject' });

export const exampleObject = {
  objectId: exampleId('obj'),
  bucket: 'acme-bikes-assets',
  key: 'products/city-bike.jpg',
  url: 'http://localhost:3001/cdn/acme-bikes-assets/products/city-bike.jpg',
  size: 245_760,
  mimeType: 'image/jpeg',
  public: true,
  uploadedAt: exampleInstant,
  version: exampleId('ver'),
  sha256: '5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5',
  metadata: { alt: 'A city bike' },
  updatedAt: exampleInstant,
} satisfies z.input<typeof objectOutput>;

export function toObjectResponse(bucket: BucketDocument, object: ObjectDocument): z.output<typeof objectOutput> {
  const { _id: objectId, key, size, mimeType, version, sha256, metadata } = object;
  return {
    objectId,
    bucket: bucket.name,
    key,
    url: urlOf(bucket.name, key),
    size,
    mimeType,
    public: isPublic(bucket, object),
    uploadedAt: object.uploadedAt.toISOString(),
    version,
    sha256,
    metadata,
    updatedAt: object.updatedAt.toISOString(),
  };
}

/** The public URL of an object, which works only while it is public. */
export const urlOf = (bucketName: string, key: string): string => `${settings.CDN_URL}/${bucketName}/${encodeKey(key)}`;

/** Whether an object can be read without a credential: its setting can only narrow the bucket's. */
export function isPublic(bucket: BucketDocument, object: ObjectDocument): boolean {
  return bucket.isPublic && object.isPublic;
}

/** Rejects a public object in a private bucket. */
export function requireNarrower(bucket: BucketDocument, asPublic: boolean | undefined, path: string): void {
  if (!asPublic || bucket.isPublic) return;
  throw inputError([{ path, message: `Must not be true: the bucket ${bucket.name} is private.` }]);
}

/** Finds the object of a key; null if it does not exist or has expired. */
export async function findObject(bucket: BucketDocument, key: string): Promise<ObjectDocument | null> {
  const { orgId, _id: bucketId } = bucket;
  const object = await ObjectModel.findOne({ orgId, bucketId, key }).lean<ObjectDocument>();
  return object && !isExpired(bucket, object) ? object : null;
}

/** Finds the object of a key; throws NOT_FOUND. */
export async function requireObject(bucket: BucketDocument, key: string): Promise<ObjectDocument> {
  const object = await findObject(bucket, key);
  if (!object) throw apiError('NOT_FOUND', { message: 'The bucket has no object with this key.' });
  return object;
}

/** Whether an object has expired by a rule of its bucket. */
export function isExpired({ expiry }: BucketDocument, { key, uploadedAt }: ObjectDocument): boolean {
  const age = now().getTime() - uploadedAt.getTime();
  return expiry.some(({ prefix, days }) => key.startsWith(prefix) && age >= days * day);
}
