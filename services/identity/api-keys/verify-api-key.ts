import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { Caller } from '../../../lib/caller.ts';
import { now } from '../../../lib/clock.ts';
import { createFindBatcher } from '../../../lib/find-together.ts';
import { tokenHashInput } from '../../../lib/token-hash.ts';
import { type ApiKeyDocument, ApiKeyModel } from '../../../models/identity/api-key.ts';
import { noteUse } from './uses.ts';

const findByHash = createFindBatcher<ApiKeyDocument>(ApiKeyModel, 'tokenHash');

const callerOutput = z.strictObject({
  type: z.literal('application'),
  id: z.string(),
  orgId: z.string(),
  scopes: z.array(z.string()),
  keyId: z.string(),
}) satisfies z.ZodType<Caller>;

/**
 * `identity.api-keys.verify`, for the gateway: the caller with the API key of this hash; null when the key is unknown,
 * revoked or expired. Records the time of use without delaying or failing the answer.
 */
export const verifyApiKey = defineAction({
  summary: 'Verify an API key',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ tokenHash: tokenHashInput }) },
  output: z.strictObject({ caller: callerOutput.nullable() }),
  async handler({ body: { tokenHash }, ctx }) {
    const key = await findByHash(null, tokenHash);
    if (!key || !isInForce(key)) return { caller: null };
    void noteUse(key, ctx.broker.logger);
    const { _id: keyId, applicationId: id, orgId, scopes } = key;
    return { caller: { type: 'application' as const, id, orgId, scopes, keyId } };
  },
});

function isInForce({ revokedAt, expiresAt }: ApiKeyDocument): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now());
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.api-keys.verify': typeof verifyApiKey;
  }
}
