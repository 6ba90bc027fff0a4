import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { streamOutput } from '../../../lib/content.ts';
import { fail } from '../../../lib/errors.ts';
import { findAnyBucket } from '../buckets/buckets.ts';
import { deliver, objectPolicy, tellOrigins, tellPublic } from './deliver.ts';
import { exampleObject, findObject, isPublic, objectPath } from './objects.ts';

/** GET and HEAD /cdn/:bucket/*key, which CDN_URL leads to: the bytes of a public object. */
export const readPublicObject = defineAction({
  rest: 'GET /cdn/:bucket/*key',
  summary: 'Read a public object',
  permission: 'public',
  answers: 'stream',
  input: {
    path: objectPath,
    query: z.strictObject({ v: z.string().max(100).optional() }),
    headers: z.object({ origin: z.string().optional() }),
  },
  output: streamOutput,
  exposure: { cors: 'own', contentPolicy: objectPolicy },
  errors: ['NOT_FOUND', 'PLAN_LIMIT_EXCEEDED', 'SERVICE_NOT_INCLUDED', 'PAYMENT_REQUIRED'],
  limits: { fromServers: true },
  example: { path: { bucket: exampleObject.bucket, key: exampleObject.key }, query: {}, headers: {} },
  async handler({ path: { bucket: name, key }, query: { v }, headers: { origin }, ctx }) {
    const bucket = await findAnyBucket(name);
    const object = bucket?.isPublic ? await findObject(bucket, key) : null;
    // A private object is not told from a missing one.
    if (!bucket || !object || !isPublic(bucket, object)) {
      throw fail('NOT_FOUND', { message: 'There is no public object at this address.' });
    }
    tellPublic(ctx, bucket, object, v);
    tellOrigins(ctx, bucket, origin);
    return deliver(ctx, bucket, object);
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'storage.objects.read-public': typeof readPublicObject;
  }
}
