import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { streamOutput } from '../../../lib/content.ts';
import { apiError } from '../../../lib/errors.ts';
import { transformMilliseconds } from '../images/running-transformer.ts';
import { asksForTransform, refuseLargeSides, refuseUnknownBeside, transformQuery } from '../images/transform-query.ts';
import { deliver, objectPolicy, publicHeaders, setHeaders } from './deliver.ts';
import { deliverImage } from './deliver-image.ts';
import { exampleObject, objectPath } from './objects.ts';
import { refusalHeaders } from './origin-headers.ts';
import { findPublic, recallPublic } from './public-objects.ts';

/** GET and HEAD /cdn/:bucket/*key, the target of CDN_URL: the bytes of a public object, or an image created from it. */
export const readPublicObject = defineAction({
  rest: 'GET /cdn/:bucket/*key',
  summary: 'Read a public object, or transform a public image',
  permission: 'public',
  answers: 'stream',
  input: {
    path: objectPath,
    query: z
      .looseObject({ v: z.string().max(100).optional(), ...transformQuery })
      .superRefine(refuseUnknownBeside('v'))
      .superRefine(refuseLargeSides),
    headers: z.object({ origin: z.string().optional(), accept: z.string().optional() }),
  },
  output: streamOutput,
  exposure: { cors: 'own', contentPolicy: objectPolicy },
  corsOfRefusal: refusalHeaders(true),
  validator({ path: { bucket: name = '', key = '' }, query, headers: { origin } }) {
    const { v } = query;
    const found = recallPublic(name, key);
    if (!found || Array.isArray(v) || asksForTransform(query)) return null;
    const { sha256: etag, size, uploadedAt: lastModified } = found.object;
    return { etag, size, lastModified, headers: publicHeaders(found, { v, origin }) };
  },
  errors: ['NOT_FOUND', 'STORE_FULL', 'PLAN_LIMIT_EXCEEDED', 'SERVICE_NOT_INCLUDED', 'PAYMENT_REQUIRED'],
  limits: { fromServers: true, milliseconds: transformMilliseconds },
  example: {
    path: { bucket: exampleObject.bucket, key: exampleObject.key },
    query: { w: '640', f: 'auto' },
    headers: {},
  },
  async handler({ path: { bucket: name, key }, query: { v, ...wanted }, headers: { origin, accept }, ctx }) {
    const found = await findPublic(name, key);
    // A private object is indistinguishable from a missing one.
    if (!found) throw apiError('NOT_FOUND', { message: 'No public object has this URL.' });
    const { bucket, object } = found;
    setHeaders(ctx, publicHeaders(found, { v, origin }));
    if (!asksForTransform(wanted)) return deliver(ctx, bucket, object);
    return await deliverImage(ctx, { bucket, object, query: wanted, accept });
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'storage.objects.read-public': typeof readPublicObject;
  }
}
