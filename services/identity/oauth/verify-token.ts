import type { Context } from 'moleculer';
import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { ApplicationCaller, UserCaller } from '../../../lib/caller.ts';
import { openidScopes } from '../../../lib/openid-scopes.ts';
import { scopesOf } from '../../../lib/roles.ts';
import { tokenHashInput } from '../../../lib/token-hash.ts';
import { OAuthRevokedTokenModel } from '../../../models/identity/oauth-revoked-token.ts';
import { membershipOutput, membershipsOf } from '../organizations/memberships.ts';
import { isActiveUser } from '../users/current-user.ts';
import { findLiveArtifact } from './artifacts.ts';
import { findLiveClient, type LiveClient } from './clients.ts';

const applicationCaller = z.strictObject({
  type: z.literal('application'),
  id: z.string(),
  orgId: z.string(),
  scopes: z.array(z.string()),
  clientId: z.string(),
}) satisfies z.ZodType<ApplicationCaller>;

const userCaller = z.strictObject({
  type: z.literal('user'),
  id: z.string(),
  memberships: z.array(membershipOutput),
  orgId: z.string(),
  scopes: z.array(z.string()),
  clientId: z.string(),
  granted: z.array(z.string()),
}) satisfies z.ZodType<UserCaller>;

/**
 * `identity.tokens.verify`, for the gateway: the caller with an access token whose signature, times and audience it has
 * checked; null when the token, its grant, its client or its user is gone. Scopes that the client has lost since are
 * omitted.
 */
export const verifyToken = defineAction({
  summary: 'Verify an access token',
  permission: 'internal',
  safe: true,
  input: {
    body: z.strictObject({
      jti: z.string(),
      clientId: z.string(),
      userId: z.string().nullable(),
      grantRef: tokenHashInput.nullable(),
      scope: z.array(z.string()),
    }),
  },
  output: z.strictObject({ caller: z.discriminatedUnion('type', [applicationCaller, userCaller]).nullable() }),
  async handler({ body: { jti, clientId, userId, grantRef, scope }, ctx }) {
    const [client, revoked] = await Promise.all([
      findLiveClient(clientId),
      OAuthRevokedTokenModel.exists({ _id: jti }),
    ]);
    if (!client || revoked) return { caller: null };
    const granted = scope.filter((one) => client.scopes.includes(one));
    const caller =
      userId === null ? applicationOf(client, granted) : await userOf(ctx, client, { userId, grantRef, granted });
    return { caller };
  },
});

function applicationOf(client: LiveClient, granted: string[]): z.output<typeof applicationCaller> {
  const { _id: clientId, applicationId: id, orgId } = client;
  return { type: 'application', id, orgId, scopes: granted.filter((one) => !openidScopes.includes(one)), clientId };
}

type Granted = { userId: string; grantRef: string | null; granted: string[] };

async function userOf(
  ctx: Context,
  client: LiveClient,
  { userId, grantRef, granted }: Granted,
): Promise<z.output<typeof userCaller> | null> {
  const [grant, isActive, memberships] = await Promise.all([
    grantRef === null ? null : findLiveArtifact('Grant', grantRef),
    isActiveUser(userId),
    membershipsOf(ctx, userId),
  ]);
  if (!isActive || grant?.accountId !== userId || grant.clientId !== client._id) return null;
  const { orgId } = client;
  const membership = memberships.find((one) => one.orgId === orgId);
  const scopes = membership ? scopesOf(membership.role, granted, membership.extras) : [];
  return { type: 'user', id: userId, memberships, orgId, scopes, clientId: client._id, granted };
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.tokens.verify': typeof verifyToken;
  }
}
