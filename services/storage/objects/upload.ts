import { z } from 'zod';
import { requireInForce } from '../../../lib/clients/organizations.ts';
import type { Caller } from '../../../lib/contract/context.ts';
import { uploadInput } from '../../../lib/contract/contract.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError, inputError } from '../../../lib/contract/errors.ts';
import { allows } from '../../../lib/contract/permissions.ts';
import { newId } from '../../../lib/data/ids.ts';
import { mebibyte } from '../../../lib/format/bytes.ts';
import { settings } from '../../../lib/settings/settings.ts';
import type { BucketDocument } from '../../../models/storage/bucket.ts';
import { matchesType } from '../content/media-type.ts';
import { defaultKey, fileNameOf, objectKey } from '../content/object-key.ts';
import { unspecific } from '../content/sniff-type.ts';
import { bucketFor } from '../make-bucket.ts';
import { receiveFile } from '../transfers/receive-file.ts';
import { readSignature, type SignedTransfer, signatureQuery } from '../transfers/signed-transfer.ts';
import { publish, refusedReplacement } from './change-object.ts';
import { exampleObject, findObject, objectOutput, objectPath, requireNarrower, toObjectResponse } from './objects.ts';
import { type Preconditions, preconditionHeaders, requirePreconditions } from './preconditions.ts';
import { findUploadBucket } from './public-objects.ts';

/**
 * Throws INPUT_INVALID or BODY_TOO_LARGE unless a bucket accepts content of a type and size; null means not yet known.
 */
export function requireAccepted(
  { name, allowedMimeTypes, maxObjectBytes }: BucketDocument,
  type: string,
  size: number | null,
): void {
  if (allowedMimeTypes && !matchesType(type, allowedMimeTypes)) {
    const message = `The file is ${type}; the bucket ${name} accepts only ${allowedMimeTypes.join(', ')}.`;
    throw inputError([{ path: 'body.file', message }]);
  }
  if (size !== null) requireSize({ name, maxObjectBytes }, size);
}

/** Throws BODY_TOO_LARGE if a bucket accepts no object of at least this many bytes. */
export function requireSize({ name, maxObjectBytes }: Pick<BucketDocument, 'name' | 'maxObjectBytes'>, bytes: number) {
  if (maxObjectBytes === null || bytes <= maxObjectBytes) return;
  throw apiError('BODY_TOO_LARGE', {
    message: `Objects in the bucket ${name} must be at most ${maxObjectBytes} bytes.`,
  });
}

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
  description:
    'Stores the file of a form (`multipart/form-data`, field `file`). Without `bucket` it goes into the ' +
    "organization's default bucket, whose objects are public unless you send `public: false`; without `key` it " +
    'gets a new key. An existing object is replaced only by a credential that may also delete objects. To upload ' +
    'from a browser without your credential, sign an address first.',
  permission: 'storage.upload',
  tenant: 'required',
  takes: 'stream',
  input: {
    headers: preconditionHeaders,
    body: uploadInput(
      z.strictObject({
        bucket: z.string().optional().describe("The name of the bucket; by default the organization's own."),
        key: objectKey.optional().describe('The key of the object; by default a new id and the name of the file.'),
        public: yesOrNo.optional(),
      }),
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
      const change = { bucket, key, objectId, isPublic, mayReplace, preconditions };
      return toObjectResponse(bucket, await publish(ctx, upload, change));
    });
  },
});

/**
 * PUT /v1/objects/:bucket/*key: stores the body as an object, with a credential or a signed URL. The signature is
 * checked when the request begins.
 */
export const putObject = defineAction({
  rest: 'PUT /v1/objects/:bucket/*key',
  summary: 'Upload an object',
  description:
    'Stores the body as the object with this key, under a credential or an address that `POST /v1/presign` has ' +
    'signed. The type is checked against the bytes. An existing object is replaced as a whole, and only by a ' +
    'credential that may also delete objects; `If-None-Match: *` refuses to replace at all. A signed address works ' +
    'once (`SIGNATURE_USED`).',
  permission: 'storage.upload',
  tenant: 'required',
  takes: 'stream',
  input: {
    path: objectPath,
    query: z.strictObject({ signature: signatureQuery.optional(), public: yesOrNo.optional() }),
    headers: preconditionHeaders,
    body: uploadInput(z.strictObject({})),
  },
  isPublicCall: ({ path, query }) => query.signature !== undefined && isSigned({ ...path, signature: query.signature }),
  output: objectOutput,
  errors: [
    'NOT_FOUND',
    'SIGNATURE_INVALID',
    'SIGNATURE_USED',
    'PLAN_LIMIT_EXCEEDED',
    'SERVICE_NOT_INCLUDED',
    'PAYMENT_REQUIRED',
    'REQUEST_TIMEOUT',
    'STORE_FULL',
    'CONFLICT',
    'PRECONDITION_FAILED',
  ],
  // A page of another origin can use only a signed URL as its credential.
  exposure: { cors: 'any' },
  limits: { bodyBytes: settings.MAX_UPLOAD_MIB * mebibyte, milliseconds: storeMilliseconds },
  example: {
    path: { bucket: exampleObject.bucket, key: exampleObject.key },
    query: {},
    headers: { 'if-none-match': '*' },
    output: exampleObject,
  },
  async handler({ path, query, headers: preconditions, body: { file, type: declared, length }, caller, ctx }) {
    const { signature, public: isPublic } = query;
    const grant = signature === undefined ? grantOf(caller, isPublic) : signedGrant(readPut({ ...path, signature }));
    if (grant.signature) await requireInForce(ctx, grant.orgId);
    const bucket = await bucketFor(ctx, grant.orgId, path.bucket, grant.signature !== undefined);
    requireNarrower(bucket, grant.isPublic, 'query.public');
    await rejectEarly(bucket, path.key, { mayReplace: grant.mayReplace, preconditions });
    const objectId = newId('obj');
    return await receiveFile(
      ctx,
      {
        orgId: grant.orgId,
        objectId,
        source: file,
        length,
        declared,
        fileName: fileNameOf(path.key),
        ...(grant.signature && { signature: grant.signature }),
        checkSize(arrived) {
          if (grant.size !== undefined && arrived > grant.size) throw otherSize(grant.size, arrived);
          requireSize(bucket, arrived);
        },
        check(type, size) {
          requireSigned(grant, type, size);
          requireAccepted(bucket, type, size);
        },
      },
      async (upload) => {
        const { isPublic: shown, mayReplace } = grant;
        const change = { bucket, key: path.key, objectId, isPublic: shown, mayReplace, preconditions };
        return toObjectResponse(bucket, await publish(ctx, upload, change));
      },
    );
  },
});

/** The permissions of an upload. */
type Grant = {
  orgId: string;
  isPublic: boolean | undefined;
  mayReplace: boolean;
  type?: string | undefined;
  size?: number | undefined;
  signature?: { id: string; until: Date };
};

type Signed = { bucket: string; key: string; signature: string };

const readPut = (request: Signed): SignedTransfer => readSignature({ method: 'PUT', ...request });

/** Throws SIGNATURE_INVALID unless the signature allows the request. */
function isSigned(request: Signed): true {
  readPut(request);
  return true;
}

function grantOf(caller: Caller & { orgId: string | null }, isPublic: boolean | undefined): Grant {
  if (caller.orgId === null) throw apiError('TENANT_REQUIRED');
  return { orgId: caller.orgId, isPublic, mayReplace: allows(caller.scopes, 'storage.delete') };
}

function signedGrant({ id, orgId, isPublic, mayReplace = false, type, size, expiresAt }: SignedTransfer): Grant {
  return { orgId, isPublic, mayReplace, type, size, signature: { id, until: new Date(expiresAt) } };
}

type Conditions = { mayReplace: boolean; preconditions: Preconditions };

/** Rejects an upload before its bytes are received if the key has an object that must not be replaced. */
async function rejectEarly(
  bucket: BucketDocument,
  key: string,
  { mayReplace, preconditions }: Conditions,
): Promise<void> {
  if (mayReplace && Object.keys(preconditions).length === 0) return;
  const present = await findObject(bucket, key);
  requirePreconditions(preconditions, present);
  if (!mayReplace && present) throw refusedReplacement();
}

function requireSigned(grant: Grant, type: string, size: number | null): void {
  // A URL signed for the unspecific type allows every type.
  if (grant.type !== undefined && grant.type !== unspecific && type !== grant.type) {
    throw inputError([{ path: 'body.file', message: `The file is ${type}, but the URL is signed for ${grant.type}.` }]);
  }
  if (grant.size !== undefined && size !== null && size !== grant.size) throw otherSize(grant.size, size);
}

function otherSize(signed: number, size: number): Error {
  const message = `The file has ${size} bytes, but the URL is signed for ${signed}.`;
  return inputError([{ path: 'body.file', message }]);
}
