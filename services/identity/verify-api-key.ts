import { LRUCache } from 'lru-cache';
import type { Logger } from 'moleculer';
import { z } from 'zod';
import { expireAfter } from '../../lib/concurrency/ttl-cache.ts';
import type { Caller } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { createFindBatcher } from '../../lib/data/batched-access.ts';
import { fromNow, minute, now } from '../../lib/data/clock.ts';
import { insertIfAbsent } from '../../lib/data/collection.ts';
import { tokenHashInput } from '../../lib/security/token-hash.ts';
import { type ApiKeyDocument, ApiKeyModel } from '../../models/identity/api-key.ts';
import { type ApiKeyUseDocument, ApiKeyUseModel } from '../../models/identity/api-key-use.ts';
import { isSuspended } from './suspension.ts';

/** The precision of the last use: a key in constant use is written once in this interval. */
const resolution = minute;

/** The keys whose use this process recorded within the interval, to spare the database. */
const noted = new LRUCache<string, true>({
  max: 10_000,
  ...expireAfter(resolution, () => now().getTime()),
});

/** Records the use of a key. Never throws; the caller need not wait for it. */
export async function noteUse({ orgId, _id }: { orgId: string; _id: string }, logger: Logger): Promise<void> {
  const lastUsedAt = now();
  const stale = fromNow(-resolution);
  if (noted.has(_id)) return;
  noted.set(_id, true);
  try {
    if (await insertIfAbsent<ApiKeyUseDocument>(ApiKeyUseModel, { _id, orgId, lastUsedAt })) return;
    // The condition is part of the update: of concurrent requests, on any number of nodes, one writes.
    await ApiKeyUseModel.updateOne({ orgId, _id, lastUsedAt: { $lte: stale } }, { $set: { lastUsedAt } });
  } catch (error) {
    noted.delete(_id);
    logger.warn('Use of an API key could not be recorded', { keyId: _id, error });
  }
}

/** When keys of an organization were last used, by key; one that never was is absent. */
export async function lastUses(orgId: string, keyIds: string[]): Promise<Map<string, Date>> {
  const uses = await ApiKeyUseModel.find({ orgId, _id: { $in: keyIds } }).lean<ApiKeyUseDocument[]>();
  return new Map(uses.map(({ _id, lastUsedAt }) => [_id, lastUsedAt]));
}

const findByHash = createFindBatcher<ApiKeyDocument>(ApiKeyModel, 'tokenHash');

const callerOutput = z.strictObject({
  type: z.literal('application'),
  id: z.string(),
  orgId: z.string(),
  scopes: z.array(z.string()),
  keyId: z.string(),
  isSuspended: z.literal(true).optional(),
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
    const standing = (await isSuspended(orgId)) ? { isSuspended: true as const } : {};
    return { caller: { type: 'application' as const, id, orgId, scopes, keyId, ...standing } };
  },
});

function isInForce({ revokedAt, expiresAt }: ApiKeyDocument): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now());
}
