import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { randomBase62 } from '../../../lib/api-key.ts';
import { recordAct } from '../../../lib/audit.ts';
import { fail } from '../../../lib/errors.ts';
import { openidScopes } from '../../../lib/openid-scopes.ts';
import { covers } from '../../../lib/permissions.ts';
import { hashToken } from '../../../lib/token-hash.ts';
import { announceChange } from '../announce.ts';
import { applicationSlugPath, findApplication } from '../applications/applications.ts';
import { oauthClientInput } from './client-input.ts';
import { auditedFields, oauthClientOutput, showOAuthClient } from './oauth-clients.ts';
import { saveClient } from './save-client.ts';

/** 178 random bits. */
const secretCharacters = 30;

/**
 * POST /applications/:slug/oauth-client: makes the application's OAuth client. Where it has one, sets all its fields as
 * sent and replaces its secret, and the former one works for another 24 hours. The secret is in this answer alone.
 */
export const createOAuthClient = defineAction({
  rest: 'POST /applications/:slug/oauth-client',
  summary: "Create an application's OAuth client, or change it and replace its secret",
  permission: 'console.apps.write',
  input: { path: applicationSlugPath, body: oauthClientInput },
  output: oauthClientOutput.extend({ clientSecret: z.string().optional() }),
  status: 201,
  errors: ['NOT_FOUND', 'SCOPE_NOT_HELD', 'CONFLICT'],
  idempotent: true,
  async handler({ path: { slug }, body, caller: { orgId, scopes }, ctx }) {
    const { _id: applicationId } = await findApplication(orgId, slug);
    refuseScopesNotHeld(scopes, body.scopes);
    const clientSecret = body.tokenEndpointAuthMethod === 'none' ? null : `cs_${randomBase62(secretCharacters)}`;
    const secretHash = clientSecret && hashToken(clientSecret);
    const { before, after } = await saveClient({ orgId, applicationId, secretHash, ...body });
    await announceChange(ctx, { clientId: after._id });
    await recordAct(ctx, {
      action: before ? 'oauth-client.updated' : 'oauth-client.created',
      orgId,
      target: { type: 'oauth-client', id: after._id },
      ...(before && { before: auditedFields(before) }),
      after: auditedFields(after),
    });
    return { ...showOAuthClient(after), ...(clientSecret && { clientSecret }) };
  },
});

function refuseScopesNotHeld(held: string[], wanted: string[]): void {
  const missing = wanted.find((scope) => !openidScopes.includes(scope) && !covers(held, scope));
  if (missing === undefined) return;
  throw fail('SCOPE_NOT_HELD', { message: `You cannot grant ${missing}: the credential does not hold it.` });
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.oauth-clients.create': typeof createOAuthClient;
  }
}
