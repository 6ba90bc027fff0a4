import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { optionalLine } from '../../../lib/text.ts';
import { findBucket } from '../buckets/buckets.ts';
import { change, changeKey } from './change-object.ts';
import {
  exampleObject,
  objectOutput,
  objectPath,
  requireNarrower,
  requireObject,
  toObjectResponse,
} from './objects.ts';
import { preconditionHeaders, requirePreconditions } from './preconditions.ts';

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
  permission: 'storage.upload',
  tenant: 'required',
  input: {
    path: objectPath,
    headers: preconditionHeaders,
    body: z.strictObject({ public: z.boolean().optional(), metadata: metadata.optional() }),
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'storage.objects.update': typeof updateObject;
  }
}
