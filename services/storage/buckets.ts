import { z } from 'zod';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { decodeCursor, pathText, timestamp } from '../../lib/contract/input.ts';
import { type BucketDocument, BucketModel } from '../../models/storage/bucket.ts';
import { isSystemPlace, systemPlaces } from './system-names.ts';

export const bucketNamePattern = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

/** Accepts any text in the path: an unknown bucket is 404, never 400. */
export const bucketPath = z.strictObject({ bucketName: pathText(bucketNamePattern) });

/** A bucket's name. It may be part of a host name, and cannot collide with names that the platform creates. */
export const newBucketName = z
  .string()
  .regex(
    bucketNamePattern,
    'Must be 3 to 63 lower-case letters, digits and dashes, with a letter or digit at both ends.',
  )
  .describe('The name: 3 to 63 lower-case letters, digits and dashes, with a letter or digit at both ends.');

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
    'Must be a type such as image/png or image/*.',
  );

const corsOrigin = z.union(
  [
    z.literal('*'),
    z
      .url({ protocol: /^https?$/ })
      .refine((text) => URL.parse(text)?.origin === text && !text.includes('*'))
      .meta({ pattern: '^https?://[^/?#*]+$' }),
  ],
  'Must be an origin such as https://app.example.com, or *.',
);

/** The settings of a bucket. */
export const bucketChoices = {
  public: z.boolean(),
  /** Null allows all types. */
  allowedMimeTypes: z
    .array(mimeTypePattern)
    .min(1, 'Must have at least one type, or be null for all.')
    .max(maxTypes)
    .nullable(),
  /** In bytes; null for the platform's maximum. */
  maxObjectBytes: z.int().min(1, 'Must be a number of bytes of at least 1, or null.').max(maxBytes).nullable(),
  /** The Cache-Control header of public objects; null for the platform's default. */
  cacheControl: z
    .string()
    .trim()
    .max(200)
    .regex(/^[\w"=,\- ]+$/, 'Must be a Cache-Control header such as public, max-age=3600.')
    .nullable(),
  corsOrigins: z.array(corsOrigin).max(maxOrigins),
  expiry: z
    .array(
      z
        .strictObject({
          prefix: z.string().max(1024).default('').describe('The beginning of the keys that expire; empty for all.'),
          days: z.int().min(1).max(maxDays),
        })
        .meta({ id: 'ExpiryRuleInput' }),
    )
    .max(maxRules),
};

/** A bucket in API responses. The counts cover its current objects; `usedBytes` counts each object once. */
export const bucketOutput = z
  .strictObject({
    id: z.string(),
    name: z.string().describe('The name, unique on the platform.'),
    public: z.boolean(),
    allowedMimeTypes: z.array(z.string()).nullable(),
    maxObjectBytes: z.int().nullable(),
    cacheControl: z.string().nullable(),
    corsOrigins: z.array(z.string()),
    expiry: z.array(
      z
        .strictObject({
          prefix: z.string().describe('The beginning of the keys that expire; empty for all.'),
          days: z.int(),
        })
        .meta({ id: 'ExpiryRule' }),
    ),
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
    // The counts are updated after the change of an object, so after a crash a count can be too low until the recount.
    objectCount: Math.max(0, objectCount),
    usedBytes: Math.max(0, usedBytes),
    createdAt: bucket.createdAt.toISOString(),
    updatedAt: bucket.updatedAt.toISOString(),
  };
}

/**
 * Finds a bucket of the organization; throws NOT_FOUND, also for another organization's.
 *
 * @param isSigned whether the platform signed the request, which then may address a bucket of a service.
 */
export async function findBucket(orgId: string, name: string, isSigned = false): Promise<BucketDocument> {
  const found = await findOwnBucket(orgId, name);
  if (!found || isHidden(found, isSigned)) throw apiError('NOT_FOUND', { message: 'No bucket has this name.' });
  return found;
}

/**
 * Reads the organization's buckets after a cursor, in order of creation, without service buckets. Returns one more than
 * `limit`, for `toPage`, whose cursors contain their ids. Throws CURSOR_INVALID.
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

/** Finds a bucket of the organization, including service buckets; null if it does not exist. */
export async function findOwnBucket(orgId: string, name: string): Promise<BucketDocument | null> {
  const found = await BucketModel.findOne({ orgId, name }).lean<BucketDocument>();
  return found?.deletedAt === null ? found : null;
}

/** Whether a bucket is a service's and therefore visible only to signed requests. */
export function isHidden({ place }: BucketDocument, isSigned: boolean): boolean {
  return isSystemPlace(place) && !isSigned;
}

/** Finds a bucket of any organization; null if it does not exist. For reads without a credential. */
export async function findAnyBucket(name: string): Promise<BucketDocument | null> {
  const found = await BucketModel.findOne({ name }, null, { acrossTenants: true }).lean<BucketDocument>();
  return found?.deletedAt === null ? found : null;
}
