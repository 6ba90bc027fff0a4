import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { base62, secretBytes } from '../../../lib/api-key.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { apiError } from '../../../lib/errors.ts';
import { openidScopes } from '../../../lib/openid-scopes.ts';
import type { Operation } from '../../../lib/operation.ts';
import { covers } from '../../../lib/permissions.ts';
import { limitsOf } from '../../../lib/plan-limits.ts';
import { hashToken } from '../../../lib/token-hash.ts';
import { type OAuthClientDocument, OAuthClientModel } from '../../../models/identity/oauth-client.ts';
import { publishCredentialChange } from '../announce.ts';
import { applicationSlugPath, findApplication } from '../applications/applications.ts';
import { requireCurrentRights } from '../current-rights.ts';
import { oauthClientInput } from './client-input.ts';
import { auditedFields, exampleOAuthClient, oauthClientOutput, toOAuthClientResponse } from './oauth-clients.ts';
import { removeIfOrphan, saveClient } from './save-client.ts';

/**
 * POST /applications/:slug/oauth-client: creates the application's OAuth client. An existing client gets all fields as
 * sent and a new secret, and the previous secret works for another 24 hours. The secret is in this answer only.
 */
export const createOAuthClient = defineAction({
  rest: 'POST /applications/:slug/oauth-client',
  summary: "Create an application's OAuth client, or change it and replace its secret",
  permission: 'console.apps.write',
  input: { path: applicationSlugPath, body: oauthClientInput },
  output: oauthClientOutput.extend({ clientSecret: z.string().optional() }).meta({ id: 'CreatedOAuthClient' }),
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
    refuseScopesNotHeld(await requireCurrentRights(ctx, caller, 'console.apps.write'), body.scopes);
    const secretHash = body.tokenEndpointAuthMethod === 'none' ? null : hashToken(secretOf(operation));
    const state = { orgId, applicationId, secretHash, operation, ...body };
    const saved = await saveClient(state, await limitsOf(ctx, orgId));
    return await complete(ctx, operation, saved);
  },
});

const secretOf = (operation: Operation): string => `cs_${base62(operation.secretBytes('client secret', secretBytes))}`;

type Saved = { before?: OAuthClientDocument | null; after: OAuthClientDocument };

/** Completes the operation after the change. Idempotent; `before` is unknown to a retry. */
async function complete(ctx: Ctx, operation: Operation, { before, after }: Saved) {
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

function refuseScopesNotHeld(granted: string[], requested: string[]): void {
  const missing = requested.find((scope) => !openidScopes.includes(scope) && !covers(granted, scope));
  if (missing === undefined) return;
  throw apiError('SCOPE_NOT_HELD', { message: `You cannot grant ${missing}: the credential does not hold it.` });
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.oauth-clients.create': typeof createOAuthClient;
  }
}
