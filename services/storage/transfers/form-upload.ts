import { z } from 'zod';
import { requireInForce } from '../../../lib/clients/organizations.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import { redirectOutput, type Upload, uploadInput } from '../../../lib/contract/contract.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError, errorCatalogue, errorCode } from '../../../lib/contract/errors.ts';
import { newId } from '../../../lib/data/ids.ts';
import { mebibyte } from '../../../lib/format/bytes.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { findBucket } from '../buckets.ts';
import { fileNameKey } from '../content/object-key.ts';
import { publish } from '../objects/change-object.ts';
import { requireAccepted, requireSize, storeMilliseconds } from '../objects/upload.ts';
import { receiveFile } from './receive-file.ts';
import { type FormGrant, readFormSignature, signatureQuery } from './signed-transfer.ts';

/** The fields of the form besides the file. */
const formFields = z.strictObject({
  replace: z.literal('on').optional().describe('Whether an object with the same key is replaced.'),
});
type FormUpload = Upload<z.output<typeof formFields>>;

/**
 * POST /v1/upload/form: stores the file of a form of the console, which works without a script. The address of the form
 * is signed, because the listener of storage takes no cookie. Both outcomes lead back to the page.
 */
export const uploadByForm = defineAction({
  rest: 'POST /v1/upload/form',
  summary: 'Upload a file by a form of the console',
  description:
    'Receives the form by which a page of the console uploads without a script, at an address that the page has ' +
    'signed, and returns to the page with the key (`uploaded`) or an error code (`refused`). To upload from your own ' +
    'pages use `POST /v1/presign`.',
  permission: 'storage.upload',
  tenant: 'required',
  takes: 'stream',
  answers: 'redirect',
  input: {
    query: z.strictObject({ signature: signatureQuery }),
    body: uploadInput(formFields, { onlyForm: true }),
  },
  isPublicCall({ query: { signature } }) {
    readFormSignature(signature);
    return true;
  },
  output: redirectOutput,
  status: 303,
  errors: ['SIGNATURE_INVALID'],
  limits: { bodyBytes: settings.MAX_FORM_UPLOAD_MIB * mebibyte, milliseconds: storeMilliseconds },
  example: {
    query: { signature: 'eyJtZXRob2Qi.x9' },
    output: { location: 'http://localhost:3000/console/acme/files/buckets/acme-bikes-assets?uploaded=city-bike.jpg' },
  },
  async handler({ query: { signature }, body, ctx }) {
    const { isOver, ...grant } = readFormSignature(signature);
    try {
      if (isOver) throw apiError('SIGNATURE_INVALID');
      await requireInForce(ctx, grant.orgId);
      return { location: pageWith(grant, 'uploaded', await store(ctx, grant, body)) };
    } catch (error) {
      const code = errorCode(error);
      if (code === null || (errorCatalogue[code].status >= 500 && code !== 'STORE_FULL')) throw error;
      return { location: pageWith(grant, 'refused', code) };
    }
  },
});

/** The key under which the file of a form is stored; throws INPUT_INVALID for a name that makes no key. */
async function store(ctx: Ctx, grant: FormGrant, body: FormUpload): Promise<string> {
  const { orgId, mayReplace } = grant;
  const { isForm, file, type, fileName, length } = body;
  if (!isForm) throw apiError('CONTENT_TYPE_UNSUPPORTED');
  const bucket = await findBucket(orgId, grant.bucket);
  const key = isFolder(grant.key) ? fileNameKey(grant.key, fileName) : grant.key;
  const objectId = newId('obj');
  const about = { orgId, objectId, source: file, length, declared: type, fileName, isForm };
  const checks = {
    checkSize: (arrived: number) => requireSize(bucket, arrived),
    check: () => undefined,
  };
  await receiveFile(ctx, { ...about, ...checks }, async (upload) => {
    const { replace } = await body.fields();
    requireAccepted(bucket, upload.mimeType, upload.size);
    const preconditions = replace === 'on' ? {} : { 'if-none-match': '*' };
    return await publish(ctx, upload, { bucket, key, objectId, isPublic: undefined, mayReplace, preconditions });
  });
  return key;
}

/** Whether a form uploads into a folder, the bucket included, and not to the key of one object. */
const isFolder = (key: string): boolean => key === '' || key.endsWith('/');

function pageWith({ returnTo }: FormGrant, name: string, value: string): string {
  const url = new URL(settings.PUBLIC_URL + returnTo);
  url.searchParams.set(name, value);
  return url.href;
}
