import { type AccessToken, callerOf, issuer, readAccessToken } from '../../http/access-tokens.ts';
import { readForm } from '../../http/read-body.ts';
import type { HttpRequest } from '../../http/request.ts';
import { type Ctx, call, credentialId } from '../../lib/contract/context.ts';
import { second } from '../../lib/data/clock.ts';
import { splitScope } from '../../lib/security/oauth-scopes.ts';
import { hashToken } from '../../lib/security/token-hash.ts';
import { claimsOfScope } from './claims.ts';
import { type Client, type Clients, readTokenRequest } from './clients.ts';
import type { KeyRing } from './key-ring.ts';
import { allowRefusal, OAuthRefusal, restrictOrigin, sendJson } from './paths.ts';
import type { Exchange } from './request.ts';
import { decryptPayload } from './sealed-payload.ts';

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

/** GET and POST /oauth2/userinfo: the claims of the user that the token's scopes grant. */
export async function sendUserinfo(keyRing: KeyRing, clients: Clients, exchange: Exchange): Promise<void> {
  const { ctx, request, response, meter } = exchange;
  allowRefusal(exchange);
  const token = await readAccessToken(keyRing, ctx, await sentToken(request));
  const client = token && (await clients.findInForce(exchange, token.client_id));
  if (!token || !client) throw unknownToken();
  restrictOrigin(exchange, client);
  const caller = await callerOf(ctx, token);
  if (!caller) throw unknownToken();
  await meter.countCredential(credentialId(caller));
  const granted = splitScope(token.scope ?? '');
  if (caller.type !== 'user' || !granted.includes('openid')) throw insufficientScope();
  const { claims } = await call(ctx, 'identity.oauth.claims.read', { body: { userId: caller.id } });
  if (!claims) throw unknownToken();
  const open = granted.flatMap((scope) => claimsOfScope[scope] ?? []);
  sendJson(response, 200, Object.fromEntries(Object.entries(claims).filter(([name]) => open.includes(name))));
}

/** The token of the header or, with POST, of the form (RFC 6750 sections 2.1 and 2.2), but not of both. */
async function sentToken(request: HttpRequest): Promise<string> {
  const { authorization, 'content-type': type } = request.headers;
  const form = request.method === 'POST' && type !== undefined ? await readForm(request) : {};
  const { access_token: posted } = form;
  if (authorization === undefined && !posted) {
    throw new OAuthRefusal(401, 'invalid_request', 'send an access token: Authorization: Bearer', 'Bearer');
  }
  if (authorization === undefined) return posted ?? '';
  const [, token] = /^bearer (\S+)$/i.exec(authorization) ?? [];
  if (posted) throw new OAuthRefusal(400, 'invalid_request', 'send the access token in one way');
  if (token === undefined) throw unknownToken();
  return token;
}

function unknownToken(): OAuthRefusal {
  const challenge = 'Bearer error="invalid_token"';
  return new OAuthRefusal(401, 'invalid_token', 'the token is unknown, expired or revoked', challenge);
}

function insufficientScope(): OAuthRefusal {
  const challenge = 'Bearer error="insufficient_scope", scope="openid"';
  return new OAuthRefusal(403, 'insufficient_scope', 'the token was not granted openid by a user', challenge);
}
