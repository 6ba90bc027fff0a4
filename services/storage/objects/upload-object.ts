import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { mebibyte } from '../../../lib/bytes.ts';
import { uploadInput } from '../../../lib/content.ts';
import { apiError } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import { allows } from '../../../lib/permissions.ts';
import { settings } from '../../../lib/settings.ts';
import { bucketFor } from '../buckets/make-bucket.ts';
import { defaultKey, objectKey } from '../content/object-key.ts';
import { receiveFile } from '../transfers/receive-file.ts';
import { publish } from './change-object.ts';
import { exampleObject, objectOutput, requireNarrower, toObjectResponse } from './objects.ts';
import { preconditionHeaders } from './preconditions.ts';
import { findUploadBucket } from './public-objects.ts';
import { requireAccepted, requireSize } from './requirements.ts';

/** The time limit of the object store after all bytes have arrived, in milliseconds. */
export const storeMilliseconds = 5 * 60_000;

const notAForm = 'Must be multipart/form-data with the field "file"; or PUT the bytes to /v1/objects.';

const yesOrNo = z.enum(['true', 'false'], 'Must be true or false.').transform((text) => text === 'true');

/**
 * POST /v1/upload: stores the file of a form. The fields may precede or follow it, so bucket and key are checked after
 * the whole form is read; if the bucket came first, its size limit ends the upload.
 */
export const uploadObject = defineAction({
  rest: 'POST /v1/upload',
  summary: 'Upload a file by a form',
  permission: 'storage.upload',
  tenant: 'required',
  takes: 'stream',
  input: {
    headers: preconditionHeaders,
    body: uploadInput(
      z.strictObject({ bucket: z.string().optional(), key: objectKey.optional(), public: yesOrNo.optional() }),
      { onlyForm: true },
    ),
  },
  output: objectOutput,
  errors: [
    'NOT_FOUND',
    'PLAN_LIMIT_EXCEEDED',
    'SERVICE_NOT_INCLUDED',
    'PAYMENT_REQUIRED',
    'REQUEST_TIMEOUT',
    'STORE_FULL',
    'CONFLICT',
    'PRECONDITION_FAILED',
  ],
  limits: { bodyBytes: settings.MAX_FORM_UPLOAD_MIB * mebibyte, milliseconds: storeMilliseconds },
  example: { headers: {}, output: exampleObject },
  async handler({ headers: preconditions, body, caller: { orgId, scopes }, ctx }) {
    const { isForm, file, type, fileName, fields, fieldsSoFar, length } = body;
    if (!isForm) throw apiError('CONTENT_TYPE_UNSUPPORTED', { message: notAForm });
    const objectId = newId('obj');
    const { bucket: early } = fieldsSoFar();
    const named = early === undefined ? null : await findUploadBucket(orgId, early);
    const incoming = {
      orgId,
      objectId,
      source: file,
      length,
      declared: type,
      fileName,
      isForm,
      checkSize: (arrived: number) => named && requireSize(named, arrived),
      check: () => undefined,
    };
    return await receiveFile(ctx, incoming, async (upload) => {
      const { bucket: name, key = defaultKey(objectId, fileName), public: isPublic } = await fields();
      const bucket = await bucketFor(ctx, orgId, name);
      requireNarrower(bucket, isPublic, 'body.public');
      requireAccepted(bucket, upload.mimeType, upload.size);
      const mayReplace = allows(scopes, 'storage.delete');
      const wanted = { bucket, key, objectId, isPublic, mayReplace, preconditions };
      return toObjectResponse(bucket, await publish(ctx, upload, wanted));
    });
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'storage.objects.upload': typeof uploadObject;
  }
}
