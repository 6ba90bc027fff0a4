import type { Context } from 'moleculer';
import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { now } from '../../lib/clock.ts';
import { fail } from '../../lib/errors.ts';
import { type ApiKeyDocument, ApiKeyModel } from '../../models/identity/api-key.ts';
import { applicationPath } from './applications.ts';

/** DELETE /applications/:id/api-keys/:keyId: revokes a key, which may be the one that the request carries. */
export const revokeApiKey = defineAction({
  rest: 'DELETE /applications/:id/api-keys/:keyId',
  summary: 'Revoke an API key',
  permission: 'console.apps.write',
  input: { path: applicationPath.extend({ keyId: z.string() }) },
  output: z.void(),
  errors: ['NOT_FOUND'],
  async handler({ path: { id: applicationId, keyId }, caller: { orgId }, ctx }) {
    const revokedAt = now();
    const key = await ApiKeyModel.findOneAndUpdate(
      { orgId, _id: keyId, applicationId, revokedAt: null },
      { $set: { revokedAt, updatedAt: revokedAt } },
    ).lean<ApiKeyDocument>();
    if (!key) throw fail('NOT_FOUND', { message: 'The application has no such API key, or it is revoked already.' });
    await announceRevocation(ctx, key.tokenHash);
  },
});

/** Gateways drop what they remember of the key at once. A hint: one that misses it finds out within a second. */
async function announceRevocation(ctx: Context, tokenHash: string): Promise<void> {
  try {
    await ctx.broadcast('identity.api-key.revoked', { tokenHash });
  } catch (error) {
    ctx.broker.logger.warn('The revocation of an API key could not be announced', { error });
  }
}

declare module '../../lib/calls.ts' {
  interface Calls {
    'identity.api-keys.revoke': typeof revokeApiKey;
  }
}
