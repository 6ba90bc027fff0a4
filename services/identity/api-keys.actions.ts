import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { type LimitsNow, limitsOf, requireRoom } from '../../lib/clients/plan-limits.ts';
import type { Ctx } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError, inputError } from '../../lib/contract/errors.ts';
import { exampleId } from '../../lib/contract/examples.ts';
import type { Operation } from '../../lib/contract/idempotency.ts';
import { decodeCursor, instantInput, pageOf, pageQuery, pathId, singleLine, toPage } from '../../lib/contract/input.ts';
import { isScope, scopeFormat } from '../../lib/contract/permissions.ts';
import { now } from '../../lib/data/clock.ts';
import { insertIfAbsent } from '../../lib/data/collection.ts';
import { apiKeyTokenOf, secretBytes } from '../../lib/security/api-key.ts';
import { type ApiKeyDocument, ApiKeyModel } from '../../models/identity/api-key.ts';
import { apiKeyOutput, exampleApiKey, toApiKeyResponse } from './api-keys.ts';
import { applicationPath, requireApplication } from './applications.ts';
import { publishCredentialChange, requireCurrentRights, requireGrantableScopes } from './current-rights.ts';
import { toApiKeyDocument } from './new-api-key.ts';
import { insertWithinLimit } from './reservations.ts';
import { lastUses } from './verify-api-key.ts';

const name = singleLine(100, 'Must not be empty.');
/** Keeps a list of 100 keys within one message of NATS (1 MiB), also with the longest scopes. */
const maxScopes = 50;

const scope = z
  .string()
  .refine(isScope, 'Must be a permission key such as context.story.read, or one of: svc:read, svc:write, svc:admin.')
  .meta(scopeFormat());
const scopes = z
  .array(scope)
  .min(1, 'Must have at least one scope.')
  .max(maxScopes, `Must have at most ${maxScopes} scopes.`)
  .transform((list) => [...new Set(list)]);

const newKey = z
  .strictObject({
    name,
    scopes,
    expiresAt: instantInput.nullish().describe('When the key expires; null or omitted: never.'),
  })
  .meta({ id: 'ApiKeyInput' });

/** POST /applications/:id/api-keys: makes a key. Its token is in this answer and never shown again. */
export const createApiKey = defineAction({
  rest: 'POST /applications/:id/api-keys',
  summary: 'Create an API key',
  description:
    'Creates an API key. Its `token` is in this answer only: store it, because it cannot be read later. You can ' +
    'only give scopes that your credential holds (`SCOPE_NOT_HELD`). A key beyond the plan is refused with ' +
    '`PLAN_LIMIT_EXCEEDED`; revoked and expired keys do not count.',
  permission: 'console.apps.write',
  input: { path: applicationPath, body: newKey },
  output: apiKeyOutput
    .extend({ token: z.string().describe('The token, `svc_live_…`. It is in this answer only.') })
    .meta({ id: 'CreatedApiKey' }),
  status: 201,
  errors: ['NOT_FOUND', 'SCOPE_NOT_HELD', 'PLAN_LIMIT_EXCEEDED'],
  idempotent: {
    async resume({ caller: { orgId }, operation, ctx }) {
      const key = await ApiKeyModel.findOne({ orgId, _id: operation.newId('key') }).lean<ApiKeyDocument>();
      return key && (await complete(ctx, operation, key));
    },
  },
  example: {
    path: { id: exampleId('app') },
    body: { name: exampleApiKey.name, scopes: exampleApiKey.scopes, expiresAt: exampleApiKey.expiresAt },
    output: { ...exampleApiKey, token: `svc_live_${'example'.padEnd(36, '0')}` },
  },
  async handler({ path: { id: applicationId }, body, caller, operation, ctx }) {
    const { orgId } = caller;
    rejectPast(body.expiresAt);
    await requireApplication(orgId, applicationId);
    requireGrantableScopes(await requireCurrentRights(ctx, caller, 'console.apps.write'), body.scopes);
    const names = { _id: operation.newId('key'), orgId, applicationId };
    const key = toApiKeyDocument({ ...names, token: tokenOf(operation), ...body });
    await insertApiKey(key, await limitsOf(ctx, orgId));
    return await complete(ctx, operation, key);
  },
});

const tokenOf = (operation: Operation): string => apiKeyTokenOf(operation.secretBytes('api key', secretBytes));

/** Completes the operation after the insert. Idempotent. */
async function complete(ctx: Ctx, operation: Operation, key: ApiKeyDocument) {
  await removeIfOrphan(key);
  const { _id, orgId, applicationId, name, scopes, expiresAt } = key;
  await recordAuditEvent(ctx, {
    id: operation.newId('aud'),
    action: 'api-key.created',
    orgId,
    target: { type: 'api-key', id: _id },
    after: { name, scopes, expiresAt: expiresAt?.toISOString() ?? null, applicationId },
  });
  return { ...toApiKeyResponse(key), token: tokenOf(operation) };
}

/** Not part of the input's shape: a repetition with an Idempotency-Key may arrive after the key has expired. */
function rejectPast(expiresAt: Date | null | undefined): void {
  if (!expiresAt || expiresAt > now()) return;
  throw inputError([{ path: 'body.expiresAt', message: 'Must be in the future.' }]);
}

async function insertApiKey(key: ApiKeyDocument, limits: LimitsNow): Promise<void> {
  const { orgId, _id } = key;
  await insertWithinLimit({
    holderId: orgId,
    kind: 'apiKeys',
    resourceId: _id,
    count: (except) => countKeysInForce(orgId, except),
    requireRoom: (present) => requireRoom(limits, { orgId, name: 'apiKeys', present }),
    insert: async () => {
      if (!(await insertIfAbsent<ApiKeyDocument>(ApiKeyModel, key))) throw apiError('CONFLICT');
    },
    remove: () => ApiKeyModel.deleteOne({ orgId, _id }),
  });
  await removeOldestEnded(orgId);
}

/** The maximum number of ended keys that an organization keeps; the audit log has the older ones. */
const maxEnded = 1000;
const removalBatchSize = 100;

/** Keys that have ended count against no plan, so their number has a separate limit. */
async function removeOldestEnded(orgId: string): Promise<void> {
  const ended = { orgId, $or: [{ revokedAt: { $ne: null } }, { expiresAt: { $ne: null, $lte: now() } }] };
  const count = await ApiKeyModel.countDocuments(ended);
  if (count <= maxEnded) return;
  const oldest = await ApiKeyModel.find(ended, { _id: 1 })
    .sort({ _id: 1 })
    .limit(Math.max(removalBatchSize, count - maxEnded))
    .lean();
  await ApiKeyModel.deleteMany({ orgId, _id: { $in: oldest.map(({ _id }) => _id) } });
}

/** Counts the keys that are neither revoked nor expired; the others are only a record. */
async function countKeysInForce(orgId: string, except: string[]): Promise<number> {
  const notExpired = { $or: [{ expiresAt: null }, { expiresAt: { $gt: now() } }] };
  return await ApiKeyModel.countDocuments({ orgId, revokedAt: null, _id: { $nin: except }, ...notExpired });
}

/** A deletion of the application that began before the key was made has not seen it. */
async function removeIfOrphan({ orgId, applicationId, _id }: ApiKeyDocument): Promise<void> {
  try {
    await requireApplication(orgId, applicationId);
  } catch (error) {
    await ApiKeyModel.deleteOne({ orgId, _id });
    throw error;
  }
}

/** GET /applications/:id/api-keys: the keys that are not revoked, including expired ones, the newest first. */
export const listApiKeys = defineAction({
  rest: 'GET /applications/:id/api-keys',
  summary: "List an application's API keys",
  description:
    'Returns the keys of an application that are not revoked, the newest first, including expired ones. A token is ' +
    'never shown again; `lastUsedAt` helps to find keys that nothing uses.',
  permission: 'console.apps.read',
  input: { path: applicationPath, query: z.strictObject(pageQuery) },
  output: pageOf(apiKeyOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { id: exampleId('app') },
    query: { limit: '20' },
    output: { data: [{ ...exampleApiKey, lastUsedAt: '2026-03-02T09:31:12.000Z' }], nextCursor: null },
  },
  async handler({ path: { id: applicationId }, query, caller: { orgId } }) {
    const before = decodeCursor(query.cursor, 1)?.[0];
    await requireApplication(orgId, applicationId);
    const older = before === undefined ? {} : { _id: { $lt: before } };
    const keys = await ApiKeyModel.find({ orgId, applicationId, revokedAt: null, ...older })
      .sort({ _id: -1 })
      .limit(query.limit + 1)
      .lean<ApiKeyDocument[]>();
    const uses = await lastUses(
      orgId,
      keys.map(({ _id }) => _id),
    );
    return toPage(
      keys,
      query.limit,
      ({ _id }) => [_id],
      (key) => toApiKeyResponse(key, uses.get(key._id)),
    );
  },
});

/** DELETE /applications/:id/api-keys/:keyId: revokes a key, which may be the one that the request carries. */
export const revokeApiKey = defineAction({
  rest: 'DELETE /applications/:id/api-keys/:keyId',
  summary: 'Revoke an API key',
  description:
    'Revokes an API key, possibly the one of this request. Requests with it are refused with `CREDENTIAL_INVALID`, ' +
    'on every node within a second.',
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
