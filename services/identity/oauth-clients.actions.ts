import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { type LimitsNow, limitsOf, requireRoom } from '../../lib/clients/plan-limits.ts';
import type { Ctx } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { type ConsoleOutput, defineCommand } from '../../lib/contract/define-command.ts';
import { apiError } from '../../lib/contract/errors.ts';
import type { Operation } from '../../lib/contract/idempotency.ts';
import { day, fromNow, now } from '../../lib/data/clock.ts';
import { insertIfAbsent } from '../../lib/data/collection.ts';
import { base62, secretBytes } from '../../lib/security/api-key.ts';
import { openidScopes } from '../../lib/security/oauth-scopes.ts';
import { hashToken } from '../../lib/security/token-hash.ts';
import { type OAuthClientDocument, OAuthClientModel } from '../../models/identity/oauth-client.ts';
import { applicationSlugPath, findApplication, requireApplication } from './applications.ts';
import { publishCredentialChange, requireCurrentRights, requireGrantableScopes } from './current-rights.ts';
import { findLiveClient } from './oauth/clients.ts';
import { revokeGrants } from './oauth/grants.ts';
import {
  auditedFields,
  exampleOAuthClient,
  findClientOf,
  type OAuthClientInput,
  oauthClientInput,
  oauthClientOutput,
  removeOAuthClients,
  toOAuthClientResponse,
} from './oauth-clients.ts';
import { originsOf } from './redirect-uris.ts';
import { insertWithinLimit } from './reservations.ts';

/** How long a replaced secret keeps working. */
const grace = day;
const maxSecrets = 10;
const maxOperations = 50;
const maxAttempts = 40;

type NewState = OAuthClientInput & {
  orgId: string;
  applicationId: string;
  secretHash: string | null;
  operation: Operation;
};
type Saved = { before: OAuthClientDocument | null; after: OAuthClientDocument };

/**
 * Creates the client of an application or changes the existing one, with a new secret; null for a client without one.
 * Concurrent changes are applied one after the other, so that no answered secret is lost. An operation sets it once.
 *
 * @throws NOT_FOUND the application was deleted concurrently; PLAN_LIMIT_EXCEEDED it would be one client too many;
 * CONFLICT too many concurrent changes, or an earlier run of the operation made its change.
 */
async function saveClient(state: NewState, limits: LimitsNow): Promise<Saved> {
  const { orgId, applicationId } = state;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const before = await OAuthClientModel.findOne({ orgId, applicationId }).lean<OAuthClientDocument>();
    if (before?.operations?.includes(state.operation.key)) throw apiError('CONFLICT');
    const after = before ? await replace(before, state) : await insert(state, limits);
    if (!after) continue;
    await removeIfOrphan(after);
    return { before, after };
  }
  throw apiError('CONFLICT');
}

async function insert(state: NewState, limits: LimitsNow): Promise<OAuthClientDocument | null> {
  const { orgId, applicationId, secretHash, operation } = state;
  const createdAt = now();
  const secrets = secretHash ? [{ hash: secretHash, expiresAt: null }] : [];
  const client = {
    _id: operation.newId('cli'),
    orgId,
    applicationId,
    ...fieldsOf(state),
    secrets,
    operations: [operation.key],
    createdAt,
    updatedAt: createdAt,
  };
  const isInserted = await insertWithinLimit({
    holderId: orgId,
    kind: 'oauthClients',
    resourceId: client._id,
    count: (except) => OAuthClientModel.countDocuments({ orgId, _id: { $nin: except } }),
    requireRoom: (present) => requireRoom(limits, { orgId, name: 'oauthClients', present }),
    insert: () => insertIfAbsent<OAuthClientDocument>(OAuthClientModel, client),
    remove: () => OAuthClientModel.deleteOne({ orgId, _id: client._id }),
  });
  return isInserted ? client : null;
}

async function replace(before: OAuthClientDocument, state: NewState): Promise<OAuthClientDocument | null> {
  const operations = [state.operation.key, ...(before.operations ?? [])].slice(0, maxOperations);
  const secrets = rotate(before, state.secretHash);
  const changes = { ...fieldsOf(state), secrets, operations, updatedAt: after(before.updatedAt) };
  const { _id, orgId, updatedAt } = before;
  const { matchedCount } = await OAuthClientModel.updateOne({ orgId, _id, updatedAt }, { $set: changes });
  return matchedCount === 1 ? { ...before, ...changes } : null;
}

/** Each change has a distinct time, so that the time identifies the version. */
function after(previous: Date): Date {
  return new Date(Math.max(now().getTime(), previous.getTime() + 1));
}

function rotate({ secrets }: OAuthClientDocument, secretHash: string | null): OAuthClientDocument['secrets'] {
  if (!secretHash) return [];
  const previous = secrets
    .map(({ hash, expiresAt }) => ({ hash, expiresAt: expiresAt ?? fromNow(grace) }))
    .filter(({ expiresAt }) => expiresAt > now());
  return [{ hash: secretHash, expiresAt: null }, ...previous].slice(0, maxSecrets);
}

function fieldsOf({ grantTypes, redirectUris, postLogoutRedirectUris, scopes, tokenEndpointAuthMethod }: NewState) {
  const redirectOrigins = originsOf(redirectUris);
  return { grantTypes, redirectUris, postLogoutRedirectUris, redirectOrigins, scopes, tokenEndpointAuthMethod };
}

/** A deletion of the application that began before the client was made has not seen it. */
async function removeIfOrphan({ orgId, applicationId, _id }: OAuthClientDocument): Promise<void> {
  try {
    await requireApplication(orgId, applicationId);
  } catch (error) {
    await OAuthClientModel.deleteOne({ orgId, _id });
    throw error;
  }
}

/**
 * POST /applications/:slug/oauth-client: creates the application's OAuth client. An existing client gets all fields as
 * sent and a new secret, and the previous secret works for another 24 hours. The secret is in this answer only.
 */
export const createOAuthClient = defineAction({
  rest: 'POST /applications/:slug/oauth-client',
  summary: "Create an application's OAuth client, or change it and replace its secret",
  description:
    'Creates the OAuth client of an application. If it has one, all fields are replaced as sent and the client ' +
    'gets a new secret; the previous secret keeps working for 24 hours. `clientSecret` is in this answer only. You ' +
    'can only allow scopes that your credential holds (`SCOPE_NOT_HELD`).',
  permission: 'console.apps.write',
  input: { path: applicationSlugPath, body: oauthClientInput },
  output: oauthClientOutput
    .extend({
      clientSecret: z
        .string()
        .optional()
        .describe('The secret, which is in this answer only; absent for a public client.'),
    })
    .meta({ id: 'CreatedOAuthClient' }),
  status: 201,
  errors: ['NOT_FOUND', 'SCOPE_NOT_HELD', 'PLAN_LIMIT_EXCEEDED', 'CONFLICT'],
  idempotent: {
    async resume({ caller: { orgId }, operation, ctx }) {
      const set = { orgId, operations: operation.key };
      const client = await OAuthClientModel.findOne(set).lean<OAuthClientDocument>();
      if (!client) return null;
      await removeIfOrphan(client);
      return await complete(ctx, operation, { after: client });
    },
  },
  example: {
    path: { slug: 'shop-backend' },
    body: {
      grantTypes: exampleOAuthClient.grantTypes,
      redirectUris: exampleOAuthClient.redirectUris,
      postLogoutRedirectUris: exampleOAuthClient.postLogoutRedirectUris,
      scopes: exampleOAuthClient.scopes,
      tokenEndpointAuthMethod: exampleOAuthClient.tokenEndpointAuthMethod,
    },
    output: { ...exampleOAuthClient, clientSecret: `cs_${'example'.padEnd(30, '0')}` },
  },
  async handler({ path: { slug }, body, caller, operation, ctx }) {
    const { orgId } = caller;
    const { _id: applicationId } = await findApplication(orgId, slug);
    const permissions = body.scopes.filter((scope) => !openidScopes.includes(scope));
    requireGrantableScopes(await requireCurrentRights(ctx, caller, 'console.apps.write'), permissions);
    const secretHash = body.tokenEndpointAuthMethod === 'none' ? null : hashToken(secretOf(operation));
    const state = { orgId, applicationId, secretHash, operation, ...body };
    const saved = await saveClient(state, await limitsOf(ctx, orgId));
    return await complete(ctx, operation, saved);
  },
});

const secretOf = (operation: Operation): string => `cs_${base62(operation.secretBytes('client secret', secretBytes))}`;

type CreatedClient = { before?: OAuthClientDocument | null; after: OAuthClientDocument };

/** Completes the operation after the change. Idempotent; `before` is unknown to a retry. */
async function complete(ctx: Ctx, operation: Operation, { before, after }: CreatedClient) {
  const { _id, orgId, secrets } = after;
  await publishCredentialChange(ctx, { clientId: _id });
  await recordAuditEvent(ctx, {
    id: operation.newId('aud'),
    action: _id === operation.newId('cli') ? 'oauth-client.created' : 'oauth-client.updated',
    orgId,
    target: { type: 'oauth-client', id: _id },
    ...(before && { before: auditedFields(before) }),
    after: auditedFields(after),
  });
  const clientSecret = secretOf(operation);
  const hasSecret = secrets.some(({ hash }) => hash === hashToken(clientSecret));
  return { ...toOAuthClientResponse(after), ...(hasSecret && { clientSecret }) };
}

/** DELETE /applications/:slug/oauth-client: removes the client and revokes its grants. */
export const deleteOAuthClient = defineAction({
  rest: 'DELETE /applications/:slug/oauth-client',
  summary: "Delete an application's OAuth client",
  description:
    'Deletes the OAuth client of an application and revokes everything that users granted to it. Its tokens stop ' +
    'working immediately.',
  permission: 'console.apps.write',
  input: { path: applicationSlugPath },
  output: z.void(),
  errors: ['NOT_FOUND'],
  example: { path: { slug: 'shop-backend' } },
  async handler({ path: { slug }, caller: { orgId }, ctx }) {
    const { _id: applicationId } = await findApplication(orgId, slug);
    const client = await findClientOf(orgId, applicationId);
    await removeOAuthClients(ctx, { orgId, applicationId });
    await recordAuditEvent(ctx, {
      action: 'oauth-client.deleted',
      orgId,
      target: { type: 'oauth-client', id: client._id },
      before: auditedFields(client),
    });
  },
});

/** GET /applications/:slug/oauth-client: the application's OAuth client, without its secret. */
export const readOAuthClient = defineAction({
  rest: 'GET /applications/:slug/oauth-client',
  summary: "Read an application's OAuth client",
  description:
    'Returns the OAuth client of an application, without its secret. An application without one is `NOT_FOUND`.',
  permission: 'console.apps.read',
  input: { path: applicationSlugPath },
  output: oauthClientOutput,
  errors: ['NOT_FOUND'],
  example: { path: { slug: 'shop-backend' }, output: exampleOAuthClient },
  async handler({ path: { slug }, caller: { orgId } }) {
    const { _id } = await findApplication(orgId, slug);
    return toOAuthClientResponse(await findClientOf(orgId, _id));
  },
});

const body = z.strictObject({ clientId: z.string().min(1).max(256) });

/** `identity.console.first-party`, for the console: users no longer need to consent to this client. */
export const markFirstParty = defineCommand({
  commands: [
    {
      usage: 'identity:first-party <client>',
      description: 'Mark an OAuth client (cli_…) as first-party: users need not give consent',
      changes: true,
      fields: { client: 'clientId' },
    },
  ],
  body,
  handler: ({ body: { clientId }, ctx }) => mark(ctx, clientId, true),
});

/**
 * `identity.console.third-party`, for the console: users must consent to this client again. Its grants are revoked,
 * because the users never consented.
 */
export const markThirdParty = defineCommand({
  commands: [
    {
      usage: 'identity:third-party <client>',
      description: 'Remove the first-party mark: users must give consent, and the grants of the client end',
      changes: true,
      fields: { client: 'clientId' },
    },
  ],
  body,
  handler: ({ body: { clientId }, ctx }) => mark(ctx, clientId, false),
});

async function mark(ctx: Ctx, clientId: string, isFirstParty: boolean): Promise<ConsoleOutput> {
  const client = await findLiveClient(clientId);
  if (!client) return { lines: [`There is no OAuth client ${clientId}.`] };
  const { isFirstParty: before = false } = client;
  const revoked = await setFirstParty(ctx, client, isFirstParty);
  const name = `${clientId} ${JSON.stringify(client.applicationName)} of ${JSON.stringify(client.organizationName)}`;
  const kind = isFirstParty ? 'first-party' : 'third-party';
  const effect = isFirstParty
    ? 'Users are not asked for consent.'
    : `Users are asked for consent. Grants revoked: ${revoked}.`;
  return { lines: [`${name} ${before === isFirstParty ? 'already was' : 'is now'} ${kind}. ${effect}`] };
}

/** Marks a client as first-party or as third-party; returns the number of grants that this revoked. */
export async function setFirstParty(
  ctx: Ctx,
  { _id: clientId, orgId, isFirstParty: before = false }: OAuthClientDocument,
  isFirstParty: boolean,
): Promise<number> {
  if (before !== isFirstParty) {
    await OAuthClientModel.updateOne({ orgId, _id: clientId }, { $set: { isFirstParty } });
    await publishCredentialChange(ctx, { clientId });
    const target = { type: 'oauth-client', id: clientId };
    await recordAuditEvent(ctx, {
      action: 'oauth-client.updated',
      orgId,
      target,
      before: { isFirstParty: before },
      after: { isFirstParty },
    });
  }
  // Also when it was marked before: an earlier run may have crashed between the two.
  return isFirstParty ? 0 : await revokeGrants(ctx, { clientId });
}

/**
 * `identity.oauth.redirect-origins`, for services: the origins of the redirect URIs of an organization's OAuth clients.
 */
export const listRedirectOrigins = defineAction({
  summary: "List the origins of an organization's OAuth clients",
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: z.string() }) },
  output: z.strictObject({ origins: z.array(z.string()) }),
  handler: async ({ body: { orgId } }) => ({ origins: await OAuthClientModel.distinct('redirectOrigins', { orgId }) }),
});
