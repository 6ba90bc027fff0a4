import { z } from 'zod';
import { apiError } from '../../../lib/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { timestamp } from '../../../lib/instant.ts';
import { decodeCursor } from '../../../lib/page.ts';
import { pathText } from '../../../lib/path-text.ts';
import { type BucketDocument, BucketModel } from '../../../models/storage/bucket.ts';
import { isSystemPlace, systemPlaces } from './system-names.ts';

export const bucketNamePattern = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

/** Any text is accepted in the path: one that names no bucket of the organization is 404, never 400. */
export const bucketPath = z.strictObject({ bucketName: pathText(bucketNamePattern) });

/** A bucket's name; it may be part of a host name, and is none that the platform makes. */
export const newBucketName = z
  .string()
  .regex(bucketNamePattern, 'Send 3 to 63 lower-case letters, digits and dashes, with a letter or digit at both ends.');

const maxTypes = 50;
const maxOrigins = 50;
const maxRules = 20;
const maxDays = 3650;
const maxBytes = 5 * 1024 ** 4;

const mimeTypePattern = z
  .string()
  .max(255)
  .regex(
    /^[a-z0-9][a-z0-9!#$&^_.+-]*\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]*)$/,
    'Send a type such as image/png or image/*.',
  );

const corsOrigin = z.union(
  [
    z.literal('*'),
    z
      .url({ protocol: /^https?$/ })
      .refine((text) => URL.parse(text)?.origin === text && !text.includes('*'))
      .meta({ pattern: '^https?://[^/?#*]+$' }),
  ],
  'Send an origin such as https://app.example.com, or *.',
);

/** What a person may choose of a bucket. */
export const bucketChoices = {
  public: z.boolean(),
  /** Null: all types. */
  allowedMimeTypes: z.array(mimeTypePattern).min(1, 'Send a type, or null for all.').max(maxTypes).nullable(),
  /** In bytes; null: as many as the platform takes. */
  maxObjectBytes: z.int().min(1, 'Send a number of bytes from 1, or null.').max(maxBytes).nullable(),
  /** The Cache-Control header of public objects; null: the platform's. */
  cacheControl: z
    .string()
    .trim()
    .max(200)
    .regex(/^[\w"=,\- ]+$/, 'Send a Cache-Control header, such as public, max-age=3600.')
    .nullable(),
  corsOrigins: z.array(corsOrigin).max(maxOrigins),
  expiry: z
    .array(z.strictObject({ prefix: z.string().max(1024).default(''), days: z.int().min(1).max(maxDays) }))
    .max(maxRules),
};

/** A bucket in API responses. The counts are of its present objects; `usedBytes` counts each once. */
export const bucketOutput = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    public: z.boolean(),
    allowedMimeTypes: z.array(z.string()).nullable(),
    maxObjectBytes: z.int().nullable(),
    cacheControl: z.string().nullable(),
    corsOrigins: z.array(z.string()),
    expiry: z.array(z.strictObject({ prefix: z.string(), days: z.int() })),
    objectCount: z.int(),
    usedBytes: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Bucket' });

export const exampleBucket = {
  id: exampleId('bkt'),
  name: 'acme-bikes-assets',
  public: true,
  allowedMimeTypes: ['image/*', 'application/pdf'],
  maxObjectBytes: 20_000_000,
  cacheControl: 'public, max-age=3600',
  corsOrigins: ['https://shop.example.com'],
  expiry: [{ prefix: 'tmp/', days: 7 }],
  objectCount: 128,
  usedBytes: 52_428_800,
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
} satisfies z.input<typeof bucketOutput>;

export function toBucketResponse(bucket: BucketDocument): z.output<typeof bucketOutput> {
  const { _id: id, name, isPublic, allowedMimeTypes, maxObjectBytes, cacheControl, corsOrigins } = bucket;
  const { objectCount, usedBytes } = bucket;
  return {
    id,
    name,
    public: isPublic,
    allowedMimeTypes,
    maxObjectBytes,
    cacheControl,
    corsOrigins,
    expiry: bucket.expiry.map(({ prefix, days }) => ({ prefix, days })),
    // A change of an object is counted right after it was made, so a crash can leave a count too low for a while.
    objectCount: Math.max(0, objectCount),
    usedBytes: Math.max(0, usedBytes),
    createdAt: bucket.createdAt.toISOString(),
    updatedAt: bucket.updatedAt.toISOString(),
  };
}

/**
 * The organization's bucket; throws NOT_FOUND, also for another organization's.
 *
 * @param isSigned whether the platform signed the request, which then may be for a bucket of a service.
 */
export async function findBucket(orgId: string, name: string, isSigned = false): Promise<BucketDocument> {
  const found = await findOwnBucket(orgId, name);
  if (!found || isHidden(found, isSigned)) throw apiError('NOT_FOUND', { message: 'You have no bucket of this name.' });
  return found;
}

/**
 * The organization's buckets after a cursor, in the order in which they were made, without those of services. One more
 * than `limit`, for `toPage`, whose cursors have their ids. Throws CURSOR_INVALID.
 */
export async function findBucketsPage(
  orgId: string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<BucketDocument[]> {
  const [after] = decodeCursor(cursor, 1) ?? [];
  const later = after === undefined ? {} : { _id: { $gt: after } };
  return await BucketModel.find({ orgId, deletedAt: null, place: { $nin: systemPlaces }, ...later })
    .sort({ _id: 1 })
    .limit(limit + 1)
    .lean<BucketDocument[]>();
}

/** The organization's bucket, also one of a service; null when there is none. */
export async function findOwnBucket(orgId: string, name: string): Promise<BucketDocument | null> {
  const found = await BucketModel.findOne({ orgId, name }).lean<BucketDocument>();
  return found?.deletedAt === null ? found : null;
}

/** Whether a bucket is a service's, which only requests know that the platform signed. */
export function isHidden({ place }: BucketDocument, isSigned: boolean): boolean {
  return isSystemPlace(place) && !isSigned;
}

/** The bucket of any organization; null when there is none. For reads that need no credential. */
export async function findAnyBucket(name: string): Promise<BucketDocument | null> {
  const found = await BucketModel.findOne({ name }, null, { acrossTenants: true }).lean<BucketDocument>();
  return found?.deletedAt === null ? found : null;
}
