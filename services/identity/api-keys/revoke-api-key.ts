import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { now } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { exampleId } from '../../../lib/examples.ts';
import { pathId } from '../../../lib/path-text.ts';
import { type ApiKeyDocument, ApiKeyModel } from '../../../models/identity/api-key.ts';
import { publishCredentialChange } from '../announce.ts';
import { applicationPath } from '../applications/applications.ts';

/** DELETE /applications/:id/api-keys/:keyId: revokes a key, which may be the one that the request carries. */
export const revokeApiKey = defineAction({
  rest: 'DELETE /applications/:id/api-keys/:keyId',
  summary: 'Revoke an API key',
  permission: 'console.apps.write',
  input: { path: applicationPath.extend({ keyId: pathId('key') }) },
  output: z.void(),
  errors: ['NOT_FOUND'],
  example: { path: { id: exampleId('app'), keyId: exampleId('key') } },
  async handler({ path: { id: applicationId, keyId }, caller: { orgId }, ctx }) {
    const revokedAt = now();
    const key = await ApiKeyModel.findOneAndUpdate(
      { orgId, _id: keyId, applicationId, revokedAt: null },
      { $set: { revokedAt, updatedAt: revokedAt } },
    ).lean<ApiKeyDocument>();
    if (!key)
      throw apiError('NOT_FOUND', { message: 'The application has no such API key, or it is revoked already.' });
    await publishCredentialChange(ctx, { tokenHash: key.tokenHash });
    await recordAuditEvent(ctx, { action: 'api-key.revoked', orgId, target: { type: 'api-key', id: keyId } });
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.api-keys.revoke': typeof revokeApiKey;
  }
}
