import type { Logger } from 'moleculer';
import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { Caller } from '../../../lib/caller.ts';
import { fromNow, minute, now } from '../../../lib/clock.ts';
import { tokenHashInput } from '../../../lib/token-hash.ts';
import { type ApiKeyDocument, ApiKeyModel } from '../../../models/identity/api-key.ts';

const callerOutput = z.strictObject({
  type: z.literal('application'),
  id: z.string(),
  orgId: z.string(),
  scopes: z.array(z.string()),
  keyId: z.string(),
}) satisfies z.ZodType<Caller>;

/** How exact `lastUsedAt` is: a key in constant use is written this often. */
const useResolution = minute;

/**
 * `identity.api-keys.verify`, for the gateway: who calls with the API key of this hash; null when the key is unknown,
 * revoked or expired. Notes the time of use without making the answer wait or fail.
 */
export const verifyApiKey = defineAction({
  summary: 'Find out whom an API key belongs to',
  permission: 'internal',
  input: { body: z.strictObject({ tokenHash: tokenHashInput }) },
  output: z.strictObject({ caller: callerOutput.nullable() }),
  async handler({ body: { tokenHash }, ctx }) {
    const key = await ApiKeyModel.findOne({ tokenHash }, null, { acrossTenants: true }).lean<ApiKeyDocument>();
    if (!key || !isInForce(key)) return { caller: null };
    void noteUse(key, ctx.broker.logger);
    const { _id: keyId, applicationId: id, orgId, scopes } = key;
    return { caller: { type: 'application' as const, id, orgId, scopes, keyId } };
  },
});

function isInForce({ revokedAt, expiresAt }: ApiKeyDocument): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now());
}

/** The condition stands in the update too: of many requests at once, on any number of nodes, one writes. */
async function noteUse({ orgId, _id, lastUsedAt }: ApiKeyDocument, logger: Logger): Promise<void> {
  const stale = fromNow(-useResolution);
  if (lastUsedAt && lastUsedAt > stale) return;
  const unnoted = { orgId, _id, $or: [{ lastUsedAt: null }, { lastUsedAt: { $lte: stale } }] };
  try {
    await ApiKeyModel.updateOne(unnoted, { $set: { lastUsedAt: now() } });
  } catch (error) {
    logger.warn('The use of an API key could not be noted', { keyId: _id, error });
  }
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.api-keys.verify': typeof verifyApiKey;
  }
}
