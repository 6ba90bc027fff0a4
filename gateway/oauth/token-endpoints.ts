import { type AccessToken, callerOf, issuer, readAccessToken } from '../../http/access-tokens.ts';
import type { Ctx } from '../../lib/caller.ts';
import { call } from '../../lib/calls.ts';
import { second } from '../../lib/clock.ts';
import { hashToken } from '../../lib/token-hash.ts';
import { OAuthRefusal, sendJson } from './answers.ts';
import { readTokenRequest } from './client-authentication.ts';
import type { Client, Clients } from './clients.ts';
import type { Exchange } from './exchange.ts';
import type { KeyRing } from './key-ring.ts';
import { decryptPayload } from './sealed.ts';

type RefreshToken = {
  accountId: string;
  clientId: string;
  grantId: string;
  scope?: string;
  iat: number;
  exp: number;
  consumed?: boolean;
};

/**
 * POST /oauth2/introspect (RFC 7662): describes the client's tokens; tokens of other clients are answered as inactive.
 */
export async function introspect(keyRing: KeyRing, clients: Clients, exchange: Exchange): Promise<void> {
  const { client, token } = await readTokenRequest(clients, exchange);
  if (client.tokenEndpointAuthMethod === 'none') {
    throw new OAuthRefusal(401, 'invalid_client', 'a public client cannot ask about tokens', 'Basic realm="platform"');
  }
  const { ctx, response } = exchange;
  const about = (await describeAccessToken(keyRing, ctx, client, token)) ?? (await describeRefresh(ctx, client, token));
  sendJson(response, 200, about ?? { active: false });
}

async function describeAccessToken(keyRing: KeyRing, ctx: Ctx, client: Client, text: string): Promise<object | null> {
  const token = await readOwnAccessToken(keyRing, ctx, client, text);
  if (!token || !(await callerOf(ctx, token))) return null;
  const { grant, ...told } = token;
  return { active: true, token_type: 'Bearer', ...told };
}

async function describeRefresh(ctx: Ctx, client: Client, text: string): Promise<object | null> {
  const token = await findOwnRefreshToken(ctx, client, text);
  if (!token || token.consumed || !(await hasGrant(ctx, token))) return null;
  const { accountId: sub, clientId, scope, iat, exp } = token;
  return { active: true, iss: issuer, sub, client_id: clientId, iat, exp, ...(scope && { scope }) };
}

async function hasGrant(ctx: Ctx, { grantId }: RefreshToken): Promise<boolean> {
  const body = { kind: 'Grant' as const, hash: hashToken(grantId) };
  return (await call(ctx, 'identity.oauth.artifacts.find', { body })).artifact !== null;
}

/**
 * POST /oauth2/revoke (RFC 7009): revokes an access token; with a refresh token also its grant, and all tokens of the
 * grant. An unknown token, or a token of another client, gets the same answer.
 */
export async function revoke(keyRing: KeyRing, clients: Clients, exchange: Exchange): Promise<void> {
  const { client, token } = await readTokenRequest(clients, exchange);
  const { ctx, response } = exchange;
  const accessToken = await readOwnAccessToken(keyRing, ctx, client, token);
  if (accessToken) await revokeAccessToken(ctx, accessToken);
  else await revokeRefreshToken(ctx, client, token);
  sendJson(response, 200, {});
}

async function revokeAccessToken(ctx: Ctx, { jti, exp, client_id: clientId }: AccessToken): Promise<void> {
  const expiresAt = new Date(exp * second).toISOString();
  await call(ctx, 'identity.tokens.revoke', { body: { jti, clientId, expiresAt } });
}

async function revokeRefreshToken(ctx: Ctx, client: Client, text: string): Promise<void> {
  const token = await findOwnRefreshToken(ctx, client, text);
  if (!token) return;
  await call(ctx, 'identity.oauth.artifacts.revoke-grant', { body: { hash: hashToken(token.grantId) } });
}

async function readOwnAccessToken(keyRing: KeyRing, ctx: Ctx, { clientId }: Client, text: string) {
  const token = await readAccessToken(keyRing, ctx, text);
  return token?.client_id === clientId ? token : null;
}

async function findOwnRefreshToken(ctx: Ctx, { clientId }: Client, text: string): Promise<RefreshToken | null> {
  const body = { kind: 'RefreshToken' as const, hash: hashToken(text) };
  const { artifact } = await call(ctx, 'identity.oauth.artifacts.find', { body });
  const token = decryptPayload(artifact) as RefreshToken | undefined;
  return token?.clientId === clientId ? token : null;
}
