import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { fail } from '../../../lib/errors.ts';
import { decodeCursor, encodeCursor, pageQuery } from '../../../lib/page.ts';
import type { BucketDocument } from '../../../models/storage/bucket.ts';
import { type ObjectDocument, ObjectModel } from '../../../models/storage/object.ts';
import { bucketPath, findBucket } from '../buckets/buckets.ts';
import { prefixEnd } from '../content/object-key.ts';
import { exampleObject, isExpired, objectOutput, showObject } from './objects.ts';

const text = z.string().max(1024, 'Send at most 1024 characters.');

/**
 * GET /v1/buckets/:bucketName/objects: the objects of a bucket in the order of their keys. With a delimiter, those that
 * have it after the prefix are listed together, as one of `prefixes`, like the files of a folder.
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
        .refine((prefix) => prefix.isWellFormed(), 'Send whole Unicode characters.')
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
    const { objects, prefixes, next } = await collect({ bucket, prefix, delimiter, limit }, placeOf(cursor));
    const nextCursor = next && encodeCursor([next.from, next.key]);
    return { data: objects.map((object) => showObject(bucket, object)), prefixes, nextCursor };
  },
});

type Listing = { bucket: BucketDocument; prefix: string; delimiter: string | undefined; limit: number };

/** Where a list goes on: after a key, or at it. */
type Place = { from: 'after' | 'at'; key: string };

type Found = { objects: ObjectDocument[]; prefixes: string[]; next: Place | null };

function placeOf(cursor: string | undefined): Place | null {
  const [from, key = ''] = decodeCursor(cursor, 2) ?? [];
  if (from === undefined) return null;
  if (from !== 'after' && from !== 'at') throw fail('CURSOR_INVALID');
  return { from, key };
}

async function collect(listing: Listing, begin: Place | null): Promise<Found> {
  const { bucket, limit } = listing;
  const found: Found = { objects: [], prefixes: [], next: null };
  let place = begin;
  for (let isMore = true; isMore; ) {
    const some = await readFrom(listing, place);
    isMore = some.length > limit;
    for (const object of some) {
      // It is in the list already, as one of those with a common prefix.
      const listed = found.prefixes.at(-1);
      if (listed !== undefined && object.key.startsWith(listed)) continue;
      if (!isExpired(bucket, object)) {
        if (found.objects.length + found.prefixes.length === limit) return { ...found, next: place };
        const common = commonPrefix(listing, object.key);
        if (common === null) found.objects.push(object);
        else found.prefixes.push(common);
        const end = common === null ? null : prefixEnd(common);
        if (common !== null && end === null) return found;
        place = end === null ? { from: 'after', key: object.key } : { from: 'at', key: end };
      }
    }
  }
  return found;
}

async function readFrom({ bucket, prefix, limit }: Listing, place: Place | null): Promise<ObjectDocument[]> {
  const { orgId, _id: bucketId } = bucket;
  const end = prefix === '' ? null : prefixEnd(prefix);
  const bounds = [
    { key: { $gte: prefix, ...(end !== null && { $lt: end }) } },
    ...(place ? [{ key: place.from === 'after' ? { $gt: place.key } : { $gte: place.key } }] : []),
  ];
  return await ObjectModel.find({ orgId, bucketId, $and: bounds })
    .sort({ key: 1 })
    .limit(limit + 1)
    .lean<ObjectDocument[]>();
}

/** The part of a key up to the first delimiter after the prefix; null where it has none. */
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
