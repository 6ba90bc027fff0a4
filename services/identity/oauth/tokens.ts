import type { Context } from 'moleculer';
import { z } from 'zod';
import { scopesOf } from '../../../lib/contract/authorize.ts';
import type { ApplicationCaller, UserCaller } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { second } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { isDuplicateKey } from '../../../lib/data/database-errors.ts';
import { openidScopes } from '../../../lib/security/oauth-scopes.ts';
import { tokenHashInput } from '../../../lib/security/token-hash.ts';
import {
  type OAuthRevokedTokenDocument,
  OAuthRevokedTokenModel,
} from '../../../models/identity/oauth-revoked-token.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';
import { publishCredentialChange } from '../current-rights.ts';
import { membershipOutput, membershipsOfCaller } from '../members.ts';
import { isActiveUser, isEmailVerified, nameOf } from '../users.ts';
import { findLiveArtifact } from './artifacts.ts';
import { findLiveClient, type LiveClient } from './clients.ts';

/** The standard claims of OpenID Connect Core 5.1 that are known of a user; what is not set is absent. */
const claimsOutput = z.record(z.string(), z.union([z.string(), z.boolean(), z.number()]));

/** `identity.oauth.claims.read`, for the gateway: the claims of an active user; null for any other id. */
export const readClaims = defineAction({
  summary: "Read a user's claims",
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ userId: z.string() }) },
  output: z.strictObject({ claims: claimsOutput.nullable() }),
  async handler({ body: { userId } }) {
    const user = await UserModel.findOne({ _id: userId, status: 'active' }).lean<UserDocument>();
    return { claims: user && claimsOf(user) };
  },
});

function claimsOf(user: UserDocument): z.input<typeof claimsOutput> {
  const claims = {
    sub: user._id,
    name: nameOf(user),
    given_name: user.firstName,
    middle_name: user.middleName,
    family_name: user.lastName,
    nickname: user.preferredName,
    picture: user.avatarUrl,
    gender: user.gender,
    birthdate: user.birthDate,
    locale: user.language ?? null,
    updated_at: Math.floor(user.updatedAt.getTime() / second),
    email: user.email,
    email_verified: isEmailVerified(user),
  };
  return Object.fromEntries(Object.entries(claims).filter((entry): entry is [string, string] => entry[1] !== null));
}

/** `identity.tokens.revoke`, for the gateway: revokes an access token. Idempotent. */
export const revokeToken = defineAction({
  summary: 'Revoke an access token',
  permission: 'internal',
  input: { body: z.strictObject({ jti: z.string(), clientId: z.string(), expiresAt: z.iso.datetime() }) },
  output: z.void(),
  async handler({ body: { jti, clientId, expiresAt }, ctx }) {
    const document = { _id: jti, expiresAt: new Date(expiresAt) };
    try {
      await nativeCollection<OAuthRevokedTokenDocument>(OAuthRevokedTokenModel).insertOne(document);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    await publishCredentialChange(ctx, { clientId });
  },
});

const applicationCaller = z.strictObject({
  type: z.literal('application'),
  id: z.string(),
  orgId: z.string(),
  scopes: z.array(z.string()),
  clientId: z.string(),
  isSuspended: z.literal(true).optional(),
}) satisfies z.ZodType<ApplicationCaller>;

const userCaller = z.strictObject({
  type: z.literal('user'),
  id: z.string(),
  memberships: z.array(membershipOutput),
  orgId: z.string(),
  scopes: z.array(z.string()),
  clientId: z.string(),
  granted: z.array(z.string()),
  isSuspended: z.literal(true).optional(),
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
  const scopes = granted.filter((one) => !openidScopes.includes(one));
  return { type: 'application', id, orgId, scopes, clientId, ...standingOf(client) };
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
    membershipsOfCaller(ctx, userId),
  ]);
  if (!isActive || grant?.accountId !== userId || grant.clientId !== client._id) return null;
  const { orgId } = client;
  const membership = memberships.find((one) => one.orgId === orgId);
  const scopes = membership ? scopesOf(membership.role, granted, membership.extras) : [];
  const caller = { type: 'user' as const, id: userId, memberships, orgId, scopes, clientId: client._id, granted };
  return { ...caller, ...standingOf(client) };
}

const standingOf = ({ isSuspended }: LiveClient) => (isSuspended ? { isSuspended: true as const } : {});
