import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import type { Ctx } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { type ConsoleOutput, defineCommand } from '../../lib/contract/define-command.ts';
import { type OAuthClientDocument, OAuthClientModel } from '../../models/identity/oauth-client.ts';
import { publishCredentialChange } from './current-rights.ts';
import { findLiveClient } from './oauth/clients.ts';
import { revokeGrants } from './oauth/grants.ts';

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
