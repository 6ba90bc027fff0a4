import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { mebibyte } from '../../../lib/bytes.ts';
import type { Caller } from '../../../lib/caller.ts';
import { uploadInput } from '../../../lib/content.ts';
import { apiError, inputError } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import { allows } from '../../../lib/permissions.ts';
import { settings } from '../../../lib/settings.ts';
import type { BucketDocument } from '../../../models/storage/bucket.ts';
import { bucketFor } from '../buckets/make-bucket.ts';
import { fileNameOf } from '../content/object-key.ts';
import { unspecific } from '../content/sniff-type.ts';
import { receiveFile } from '../transfers/receive-file.ts';
import { readSignature, type SignedTransfer, signatureQuery } from '../transfers/signed-transfer.ts';
import { publish, refusedReplacement } from './change-object.ts';
import { exampleObject, findObject, objectOutput, objectPath, requireNarrower, toObjectResponse } from './objects.ts';
import { type Preconditions, preconditionHeaders, requirePreconditions } from './preconditions.ts';
import { requireAccepted, requireSize } from './requirements.ts';
import { storeMilliseconds } from './upload-object.ts';

const yesOrNo = z.enum(['true', 'false'], 'Must be true or false.').transform((text) => text === 'true');

/**
 * PUT /v1/objects/:bucket/*key: stores the body as an object, with a credential or a signed URL. The signature is
 * checked when the request begins.
 */
export const putObject = defineAction({
  rest: 'PUT /v1/objects/:bucket/*key',
  summary: 'Upload an object',
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
    const bucket = await bucketFor(ctx, grant.orgId, path.bucket, grant.signature !== undefined);
    requireNarrower(bucket, grant.isPublic, 'query.public');
    await refuseEarly(bucket, path.key, { mayReplace: grant.mayReplace, preconditions });
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
        const wanted = { bucket, key: path.key, objectId, isPublic: shown, mayReplace, preconditions };
        return toObjectResponse(bucket, await publish(ctx, upload, wanted));
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
async function refuseEarly(
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'storage.objects.put': typeof putObject;
  }
}
