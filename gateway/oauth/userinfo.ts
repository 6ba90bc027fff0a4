import { callerOf, readAccessToken } from '../../http/access-tokens.ts';
import type { HttpRequest } from '../../http/exchange.ts';
import { readForm } from '../../http/read-form.ts';
import { credentialId } from '../../lib/caller.ts';
import { call } from '../../lib/calls.ts';
import { splitScope } from '../../lib/openid-scopes.ts';
import { OAuthRefusal, sendJson } from './answers.ts';
import { claimsOfScope } from './claims.ts';
import type { Clients } from './clients.ts';
import { allowOrigin, allowRefusal } from './cors.ts';
import type { Exchange } from './exchange.ts';
import type { KeyRing } from './key-ring.ts';

/** GET and POST /oauth2/userinfo: the claims of the user that the token's scopes grant. */
export async function sendUserinfo(keyRing: KeyRing, clients: Clients, exchange: Exchange): Promise<void> {
  const { ctx, request, response, meter } = exchange;
  allowRefusal(exchange);
  const token = await readAccessToken(keyRing, ctx, await sentToken(request));
  const client = token && (await clients.find(ctx, token.client_id));
  if (!token || !client) throw unknownToken();
  allowOrigin(exchange, client);
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
