import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { idPattern } from '../../../lib/ids.ts';
import { findBucket } from '../buckets/buckets.ts';
import { contentTypeOf } from '../content/charset.ts';
import { fileNameOf } from '../content/object-key.ts';
import { signTransfer } from '../transfers/signed-transfer.ts';
import { requireObject } from './objects.ts';

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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'storage.objects.sign-read': typeof signRead;
  }
}
