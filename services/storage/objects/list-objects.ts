import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { apiError } from '../../../lib/errors.ts';
import { decodeCursor, encodeCursor, pageQuery } from '../../../lib/page.ts';
import type { BucketDocument } from '../../../models/storage/bucket.ts';
import { type ObjectDocument, ObjectModel } from '../../../models/storage/object.ts';
import { bucketPath, findBucket } from '../buckets/buckets.ts';
import { prefixEnd } from '../content/object-key.ts';
import { exampleObject, isExpired, objectOutput, toObjectResponse } from './objects.ts';

const text = z.string().max(1024, 'Must be at most 1024 characters.');

/**
 * GET /v1/buckets/:bucketName/objects: the objects of a bucket in key order. With a delimiter, objects that have it
 * after the prefix are grouped into one entry of `prefixes`, like the files of a folder. A page may have fewer entries
 * than its limit, or none, if it skips many expired objects; the list ends when `nextCursor` is null.
 */
export const listObjects = defineAction({
  rest: 'GET /v1/buckets/:bucketName/objects',
  summary: 'List the objects of a bucket',
  permission: 'storage.read',
  tenant: 'required',
  input: {
    path: bucketPath,
    query: z.strictObject({
      ...pageQuery,
      prefix: text
        .refine((prefix) => prefix.isWellFormed(), 'Must be valid Unicode, without lone surrogates.')
        .transform((prefix) => prefix.normalize('NFC'))
        .default(''),
      delimiter: z.string().min(1).max(16).optional(),
    }),
  },
  output: z.strictObject({
    data: z.array(objectOutput),
    prefixes: z.array(z.string()),
    nextCursor: z.string().nullable(),
  }),
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
  const end = prefix === '' ? null : prefixEnd(prefix);
  const bounds = [
    { key: { $gte: prefix, ...(end !== null && { $lt: end }) } },
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'storage.objects.list': typeof listObjects;
  }
}
