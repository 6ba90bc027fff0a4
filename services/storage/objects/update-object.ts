import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { lineOrNothing } from '../../../lib/text.ts';
import { findBucket } from '../buckets/buckets.ts';
import { change } from './change-object.ts';
import { exampleObject, objectOutput, objectPath, requireNarrower, requireObject, showObject } from './objects.ts';

const maxEntries = 50;

/** Texts by names, which the platform keeps and never reads. */
const metadata = z
  .record(
    z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'Name it with lower-case letters, digits, dashes and underscores.'),
    lineOrNothing(500),
  )
  .refine((entries) => Object.keys(entries).length <= maxEntries, `Send at most ${maxEntries} entries.`);

/** PATCH /v1/objects/:bucket/*key: changes whether an object is public, and its metadata, which are replaced as a whole. */
export const updateObject = defineAction({
  rest: 'PATCH /v1/objects/:bucket/*key',
  summary: 'Change an object',
  permission: 'storage.upload',
  tenant: 'required',
  input: {
    path: objectPath,
    body: z.strictObject({ public: z.boolean().optional(), metadata: metadata.optional() }),
  },
  output: objectOutput,
  errors: ['NOT_FOUND'],
  example: {
    path: { bucket: exampleObject.bucket, key: exampleObject.key },
    body: { metadata: { alt: 'A city bike' } },
    output: exampleObject,
  },
  async handler({ path: { bucket: name, key }, body, caller: { orgId }, ctx }) {
    const bucket = await findBucket(orgId, name);
    requireNarrower(bucket, body.public, 'body.public');
    for (;;) {
      const object = await requireObject(bucket, key);
      const { public: isPublic = object.isPublic, metadata: entries = object.metadata } = body;
      const isChanged = isPublic !== object.isPublic || entries !== object.metadata;
      if (!isChanged || (await change(ctx, object, { isPublic, metadata: entries }))) {
        return showObject(bucket, isChanged ? await requireObject(bucket, key) : object);
      }
    }
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'storage.objects.update': typeof updateObject;
  }
}
