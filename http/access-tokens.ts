import { type JWTPayload, jwtVerify } from 'jose';
import type { Caller, Ctx } from '../lib/caller.ts';
import { call } from '../lib/calls.ts';
import { splitScope } from '../lib/openid-scopes.ts';
import { settings } from '../lib/settings.ts';
import type { SigningKeyReader } from './signing-keys.ts';

/** The issuer of all tokens, and the base URL of the OpenID provider. */
export const issuer = `${settings.PUBLIC_URL}/oauth2`;
/** The audience of access tokens: all APIs of the platform. */
export const audience = settings.PUBLIC_URL;

/** The claims of an access token of the platform; `grant` is absent in a token without a user. */
export type AccessToken = JWTPayload & {
  jti: string;
  sub: string;
  exp: number;
  client_id: string;
  org: string;
  scope?: string;
  grant?: string;
};

/** How far the clocks of two nodes may differ, in seconds. */
const clockTolerance = 5;

/**
 * The claims of an access token that the platform signed for its APIs and that has not expired; otherwise null (RFC
 * 9068 section 4).
 */
export async function readAccessToken(
  readKeys: SigningKeyReader,
  ctx: Ctx,
  token: string,
): Promise<AccessToken | null> {
  const { keySet } = await readKeys(ctx);
  try {
    const { payload } = await jwtVerify(token, keySet, {
      algorithms: ['RS256'],
      typ: 'at+jwt',
      issuer,
      audience,
      clockTolerance,
      requiredClaims: ['jti', 'sub', 'exp', 'client_id', 'org'],
    });
    return payload as AccessToken;
  } catch {
    return null;
  }
}

/** Finds the caller of a token that {@link readAccessToken} has verified; null when the token is no longer valid. */
export async function callerOf(ctx: Ctx, token: AccessToken): Promise<Caller | null> {
  const { jti, sub, client_id: clientId, scope = '', grant } = token;
  const { caller } = await call(ctx, 'identity.tokens.verify', {
    body: {
      jti,
      clientId,
      userId: sub === clientId ? null : sub,
      grantRef: grant ?? null,
      scope: splitScope(scope),
    },
  });
  return caller;
}

/** Finds the caller of an access token; null when the token is not valid. */
export async function verifyAccessToken(readKeys: SigningKeyReader, ctx: Ctx, text: string): Promise<Caller | null> {
  const token = await readAccessToken(readKeys, ctx, text);
  return token && callerOf(ctx, token);
}
