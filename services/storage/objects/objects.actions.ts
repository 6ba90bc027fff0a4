import { z } from 'zod';
import { concurrently } from '../../../lib/concurrency/concurrently.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError, errorCode } from '../../../lib/contract/errors.ts';
import { decodeCursor, encodeCursor, optionalLine, pageQuery } from '../../../lib/contract/input.ts';
import { prefixEnd, prefixRange } from '../../../lib/data/prefix-range.ts';
import { mebibyte } from '../../../lib/format/bytes.ts';
import type { BucketDocument } from '../../../models/storage/bucket.ts';
import { type ObjectDocument, ObjectModel } from '../../../models/storage/object.ts';
import { bucketPath, findBucket } from '../buckets.ts';
import { objectKey } from '../content/object-key.ts';
import { change, changeKey, remove } from './change-object.ts';
import {
  exampleObject,
  isExpired,
  objectOutput,
  objectPath,
  requireNarrower,
  requireObject,
  toObjectResponse,
} from './objects.ts';
import { preconditionHeaders, requirePreconditions } from './preconditions.ts';

const maxKeys = 1000;
/** A key has at most 1,024 bytes, which JSON may encode in six times as many. */
const maxBodyBytes = 8 * mebibyte;
const removalBatchSize = 8;

/** DELETE /v1/objects/:bucket/*key: deletes an object. */
export const deleteObject = defineAction({
  rest: 'DELETE /v1/objects/:bucket/*key',
  summary: 'Delete an object',
  description:
    'Deletes an object; its bytes no longer count towards the storage of the plan. With `If-Match`, an object that ' +
    'was replaced since is kept and the answer is `PRECONDITION_FAILED`.',
  permission: 'storage.delete',
  tenant: 'required',
  input: { path: objectPath, headers: preconditionHeaders },
  output: z.void(),
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  example: {
    path: { bucket: exampleObject.bucket, key: exampleObject.key },
    headers: { 'if-match': `"${exampleObject.sha256}"` },
  },
  async handler({ path: { bucket: name, key }, headers: preconditions, caller: { orgId }, ctx }) {
    const bucket = await findBucket(orgId, name);
    await requireObject(bucket, key);
    if (!(await remove(ctx, bucket, key, { preconditions }))) throw apiError('NOT_FOUND');
  },
});

const outcome = z
  .strictObject({
    key: z.string(),
    deleted: z.boolean().describe('Whether it was deleted.'),
    error: z.string().optional().describe('The error code if it was not deleted.'),
  })
  .meta({ id: 'ObjectDeletion' });

/** POST /v1/objects/delete: deletes up to 1,000 objects of a bucket, each independently. */
export const deleteObjects = defineAction({
  rest: 'POST /v1/objects/delete',
  summary: 'Delete several objects',
  description:
    'Deletes up to 1,000 objects of one bucket, each independently of the others. The answer says for each key ' +
    'whether it was deleted; a missing object has the error `NOT_FOUND`. A repeated key is deleted once.',
  permission: 'storage.delete',
  tenant: 'required',
  input: {
    body: z
      .strictObject({
        bucket: z.string(),
        keys: z
          .array(objectKey)
          .min(1, 'Must have at least one key.')
          .max(maxKeys, `Must have at most ${maxKeys} keys.`)
          .describe('The keys of the objects, at most 1,000.'),
      })
      .meta({ id: 'ObjectDeletionInput' }),
  },
  output: z
    .strictObject({ data: z.array(outcome).describe('The outcome for each key.') })
    .meta({ id: 'ObjectDeletionList' }),
  errors: ['NOT_FOUND'],
  limits: { bodyBytes: maxBodyBytes, milliseconds: 60_000 },
  example: {
    body: { bucket: exampleObject.bucket, keys: [exampleObject.key, 'tmp/none.txt'] },
    output: {
      data: [
        { key: exampleObject.key, deleted: true },
        { key: 'tmp/none.txt', deleted: false, error: 'NOT_FOUND' },
      ],
    },
  },
  async handler({ body: { bucket: name, keys }, caller: { orgId }, ctx }) {
    const bucket = await findBucket(orgId, name);
    const outcomes = new Map<string, z.output<typeof outcome>>();
    await concurrently([...new Set(keys)], removalBatchSize, async (key) => {
      outcomes.set(
        key,
        await remove(ctx, bucket, key).then(
          (deleted) => (deleted ? { key, deleted } : { key, deleted, error: 'NOT_FOUND' }),
          (error) => ({ key, deleted: false, error: errorCode(error) ?? 'UNAVAILABLE' }),
        ),
      );
    });
    return { data: [...outcomes.values()] };
  },
});

const text = z.string().max(1024, 'Must be at most 1024 characters.');

/**
 * GET /v1/buckets/:bucketName/objects: the objects of a bucket in key order. With a delimiter, objects that have it
 * after the prefix are grouped into one entry of `prefixes`, like the files of a folder. A page may have fewer entries
 * than its limit, or none, if it skips many expired objects; the list ends when `nextCursor` is null.
 */
export const listObjects = defineAction({
  rest: 'GET /v1/buckets/:bucketName/objects',
  summary: 'List the objects of a bucket',
  description:
    'Returns the objects of a bucket in the order of their keys. With `delimiter`, the keys that have it after ' +
    '`prefix` are grouped into one entry of `prefixes`, like the files of a folder. A page can have fewer entries ' +
    'than `limit`, even none; the list ends when `nextCursor` is null.',
  permission: 'storage.read',
  tenant: 'required',
  input: {
    path: bucketPath,
    query: z.strictObject({
      ...pageQuery,
      prefix: text
        .refine((prefix) => prefix.isWellFormed(), 'Must be valid Unicode, without lone surrogates.')
        .transform((prefix) => prefix.normalize('NFC'))
        .default('')
        .describe('Only keys that begin with it.'),
      delimiter: z
        .string()
        .min(1)
        .max(16)
        .optional()
        .describe('Group the keys that have it after the prefix, as `/` does for folders.'),
    }),
  },
  output: z
    .strictObject({
      data: z.array(objectOutput),
      prefixes: z
        .array(z.string())
        .describe('With `delimiter`: the beginnings that several keys share, each to the delimiter.'),
      nextCursor: z.string().nullable(),
    })
    .meta({ id: 'StoredObjectPage' }),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { bucketName: exampleObject.bucket },
    query: { prefix: 'products/', delimiter: '/', limit: '20' },
    output: { data: [exampleObject], prefixes: ['products/2025/'], nextCursor: null },
  },
  async handler({ path: { bucketName }, query: { limit, cursor, prefix, delimiter }, caller: { orgId } }) {
    const bucket = await findBucket(orgId, bucketName);
    const { objects, prefixes, next } = await collect({ bucket, prefix, delimiter, limit }, pageKeyOf(cursor));
    const nextCursor = next && encodeCursor([next.from, next.key]);
    return { data: objects.map((object) => toObjectResponse(bucket, object)), prefixes, nextCursor };
  },
});

type Listing = { bucket: BucketDocument; prefix: string; delimiter: string | undefined; limit: number };

/** The position where a list continues: after a key, or at it. */
type Place = { from: 'after' | 'at'; key: string };

type Found = { objects: ObjectDocument[]; prefixes: string[]; next: Place | null };

function pageKeyOf(cursor: string | undefined): Place | null {
  const [from, key = ''] = decodeCursor(cursor, 2) ?? [];
  if (from === undefined) return null;
  if (from !== 'after' && from !== 'at') throw apiError('CURSOR_INVALID');
  return { from, key };
}

/** The maximum of expired objects that one page skips; it then ends early, with a cursor. */
const maxPassed = 1000;
/** A page also ends early after this many milliseconds, so that no read outlives its request. */
const maxReading = 2000;
/** The batch size once the first batch did not fill the page. */
const nextBatch = 100;

/**
 * Reads a page. Its position advances past every object read, shown or not, so that the next read and the next page
 * continue behind it.
 */
async function collect(listing: Listing, begin: Place | null): Promise<Found> {
  const found: Found = { objects: [], prefixes: [], next: begin };
  const startedAt = performance.now();
  let passed = 0;
  for (let batch = listing.limit + 1; ; batch = Math.max(listing.limit + 1, nextBatch)) {
    const objects = await readFrom(listing, found.next, batch);
    for (const object of objects) {
      const added = addTo(found, listing, object);
      if (added === 'full') return found;
      if (added === 'expired') passed += 1;
      if (found.next === null) return found;
    }
    if (objects.length < batch) return { ...found, next: null };
    if (passed >= maxPassed || performance.now() - startedAt >= maxReading) return found;
  }
}

/** Adds an object to a page and advances the position past it; `full`: it belongs on the next page. */
function addTo(found: Found, listing: Listing, object: ObjectDocument): 'shown' | 'expired' | 'full' {
  const { bucket, limit } = listing;
  const { key } = object;
  // Its common prefix is already listed, and the position is behind all keys with it.
  const listed = found.prefixes.at(-1);
  if (listed !== undefined && key.startsWith(listed)) return 'shown';
  if (isExpired(bucket, object)) {
    found.next = { from: 'after', key };
    return 'expired';
  }
  if (found.objects.length + found.prefixes.length === limit) return 'full';
  const common = commonPrefix(listing, key);
  if (common === null) {
    found.objects.push(object);
    found.next = { from: 'after', key };
  } else {
    found.prefixes.push(common);
    const end = prefixEnd(common);
    // Without an upper bound no key follows the prefix.
    found.next = end === null ? null : { from: 'at', key: end };
  }
  return 'shown';
}

async function readFrom({ bucket, prefix }: Listing, place: Place | null, batch: number): Promise<ObjectDocument[]> {
  const { orgId, _id: bucketId } = bucket;
  const bounds = [
    { key: prefixRange(prefix) },
    ...(place ? [{ key: place.from === 'after' ? { $gt: place.key } : { $gte: place.key } }] : []),
  ];
  return await ObjectModel.find({ orgId, bucketId, $and: bounds })
    .sort({ key: 1 })
    .limit(batch)
    .lean<ObjectDocument[]>();
}

/** The part of a key up to the first delimiter after the prefix; null if there is none. */
function commonPrefix({ prefix, delimiter }: Listing, key: string): string | null {
  if (delimiter === undefined) return null;
  const at = key.indexOf(delimiter, prefix.length);
  return at < 0 ? null : key.slice(0, at + delimiter.length);
}

const maxEntries = 50;
const maxMetadataBytes = 8 * 1024;

/** Custom texts by name, which the platform stores and never interprets. */
const metadata = z
  .record(
    z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'Must be lower-case letters, digits, dashes and underscores.'),
    optionalLine(500),
  )
  .refine((entries) => Object.keys(entries).length <= maxEntries, `Must have at most ${maxEntries} entries.`)
  .refine(
    (entries) => bytesOf(entries) <= maxMetadataBytes,
    `Names and values must be at most ${maxMetadataBytes} bytes in total.`,
  );

const bytesOf = (entries: Record<string, string>): number => Buffer.byteLength(Object.entries(entries).flat().join(''));

/** PATCH /v1/objects/:bucket/*key: changes whether an object is public, and replaces its metadata as a whole. */
export const updateObject = defineAction({
  rest: 'PATCH /v1/objects/:bucket/*key',
  summary: 'Change an object',
  description:
    'Changes whether an object is public, and replaces its metadata as a whole. The bytes and the version stay. An ' +
    'object cannot be public in a private bucket.',
  permission: 'storage.upload',
  tenant: 'required',
  input: {
    path: objectPath,
    headers: preconditionHeaders,
    body: z
      .strictObject({ public: z.boolean().optional(), metadata: metadata.optional() })
      .meta({ id: 'ObjectUpdateInput' }),
  },
  output: objectOutput,
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  example: {
    path: { bucket: exampleObject.bucket, key: exampleObject.key },
    headers: { 'if-match': `"${exampleObject.sha256}"` },
    body: { metadata: { alt: 'A city bike' } },
    output: exampleObject,
  },
  async handler({ path: { bucket: name, key }, headers: preconditions, body, caller: { orgId }, ctx }) {
    const bucket = await findBucket(orgId, name);
    requireNarrower(bucket, body.public, 'body.public');
    return await changeKey(bucket, key, async () => {
      const object = await requireObject(bucket, key);
      requirePreconditions(preconditions, object);
      const { public: isPublic = object.isPublic, metadata: entries = object.metadata } = body;
      if (isPublic === object.isPublic && entries === object.metadata) return toObjectResponse(bucket, object);
      const isChanged = await change(ctx, object, { isPublic, metadata: entries });
      return isChanged ? toObjectResponse(bucket, await requireObject(bucket, key)) : null;
    });
  },
});
