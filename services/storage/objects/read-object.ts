import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { streamOutput } from '../../../lib/content.ts';
import { fail } from '../../../lib/errors.ts';
import { findAnyBucket, findBucket } from '../buckets/buckets.ts';
import { readSignature, signatureQuery } from '../transfers/signed-transfer.ts';
import { deliver, objectPolicy, tellOrigins, tellPrivate, tellPublic } from './deliver.ts';
import { exampleObject, findObject, isPublic, objectPath, requireObject } from './objects.ts';

/** GET and HEAD /v1/objects/:bucket/*key: the bytes of an object; a private one with a credential or by a signed URL. */
export const readObject = defineAction({
  rest: 'GET /v1/objects/:bucket/*key',
  summary: 'Read an object',
  permission: 'storage.read',
  answers: 'stream',
  input: {
    path: objectPath,
    query: z.strictObject({ signature: signatureQuery.optional() }),
    headers: z.object({ origin: z.string().optional() }),
  },
  async isOpen({ path: { bucket: name, key }, query: { signature } }) {
    if (signature !== undefined) return readSignature({ method: 'GET', bucket: name, key, signature }).method === 'GET';
    const bucket = await findAnyBucket(name);
    const object = bucket?.isPublic ? await findObject(bucket, key) : null;
    return bucket !== null && object !== null && isPublic(bucket, object);
  },
  output: streamOutput,
  exposure: { cors: 'own', contentPolicy: objectPolicy },
  errors: ['NOT_FOUND', 'SIGNATURE_INVALID', 'PLAN_LIMIT_EXCEEDED', 'SERVICE_NOT_INCLUDED', 'PAYMENT_REQUIRED'],
  limits: { fromServers: true },
  example: { path: { bucket: exampleObject.bucket, key: exampleObject.key }, query: {}, headers: {} },
  async handler({ path: { bucket: name, key }, query: { signature }, headers: { origin }, caller, ctx }) {
    const open = await findAnyBucket(name);
    const found = open?.isPublic ? await findObject(open, key) : null;
    if (open && found && isPublic(open, found)) {
      tellPublic(ctx, open, found, undefined);
      tellOrigins(ctx, open, origin);
      return deliver(ctx, open, found);
    }
    const orgId =
      signature === undefined ? caller?.orgId : readSignature({ method: 'GET', bucket: name, key, signature }).orgId;
    if (!orgId) throw fail('CREDENTIAL_REQUIRED');
    const bucket = await findBucket(orgId, name);
    const object = await requireObject(bucket, key);
    tellPrivate(ctx);
    tellOrigins(ctx, bucket, origin);
    return deliver(ctx, bucket, object);
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'storage.objects.read': typeof readObject;
  }
}
