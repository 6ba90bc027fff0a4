import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { streamOutput } from '../../../lib/content.ts';
import { apiError } from '../../../lib/errors.ts';
import { findBucket } from '../buckets/buckets.ts';
import { transformParameters } from '../images/transform-query.ts';
import { readSignature, signatureQuery } from '../transfers/signed-transfer.ts';
import { deliver, objectPolicy, privateHeaders, publicHeaders, setHeaders } from './deliver.ts';
import { exampleObject, objectPath, requireObject } from './objects.ts';
import { refusalHeaders } from './origin-headers.ts';
import { findPublic } from './public-objects.ts';

/** GET and HEAD /v1/objects/:bucket/*key: the bytes of an object; a private one with a credential or a signed URL. */
export const readObject = defineAction({
  rest: 'GET /v1/objects/:bucket/*key',
  summary: 'Read an object',
  permission: 'storage.read',
  tenant: 'required',
  answers: 'stream',
  input: {
    path: objectPath,
    query: z.looseObject({ signature: signatureQuery.optional() }).superRefine(refuseTransform),
    headers: z.object({ origin: z.string().optional() }),
  },
  async isPublicCall({ path: { bucket: name, key }, query: { signature } }) {
    if (signature !== undefined) return readSignature({ method: 'GET', bucket: name, key, signature }).method === 'GET';
    return (await findPublic(name, key)) !== null;
  },
  output: streamOutput,
  exposure: { cors: 'own', contentPolicy: objectPolicy },
  corsOfRefusal: refusalHeaders(false),
  errors: ['NOT_FOUND', 'SIGNATURE_INVALID', 'PLAN_LIMIT_EXCEEDED', 'SERVICE_NOT_INCLUDED', 'PAYMENT_REQUIRED'],
  limits: { fromServers: true },
  example: { path: { bucket: exampleObject.bucket, key: exampleObject.key }, query: {}, headers: {} },
  async handler({ path: { bucket: name, key }, query: { signature }, headers: { origin }, caller, ctx }) {
    const found = await findPublic(name, key);
    if (found) {
      setHeaders(ctx, publicHeaders(found, { origin }));
      return deliver(ctx, found.bucket, found.object);
    }
    const signed = signature === undefined ? null : readSignature({ method: 'GET', bucket: name, key, signature });
    const orgId = signed ? signed.orgId : caller?.orgId;
    if (!orgId) throw apiError('CREDENTIAL_REQUIRED');
    const bucket = await findBucket(orgId, name, signed !== null);
    const object = await requireObject(bucket, key);
    setHeaders(ctx, privateHeaders(bucket, object, { origin }));
    return deliver(ctx, bucket, object, signed?.saveAs);
  },
});

/** Ignores other unknown parameters, because other sites add theirs to links. */
function refuseTransform(query: Record<string, unknown>, issues: z.RefinementCtx): void {
  for (const name of transformParameters(query)) {
    issues.addIssue({
      code: 'custom',
      path: [name],
      message: 'Not supported here: images are transformed at their public URL.',
    });
  }
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'storage.objects.read': typeof readObject;
  }
}
