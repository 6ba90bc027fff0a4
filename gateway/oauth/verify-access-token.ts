import { type JWTPayload, jwtVerify } from 'jose';
import type { Caller } from '../../lib/caller.ts';
import { call } from '../../lib/calls.ts';
import { audience, type Ctx, issuer } from './exchange.ts';
import type { KeyRing } from './key-ring.ts';
import { splitScope } from './split-scope.ts';

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

/** How far the clocks of two gateways may differ, in seconds. */
const clockTolerance = 5;

/**
 * The claims of a token that the platform signed for its APIs and that is not expired; else null (RFC 9068 section 4).
 */
export async function readAccessToken(keyRing: KeyRing, ctx: Ctx, token: string): Promise<AccessToken | null> {
  const { keySet } = await keyRing(ctx);
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

/** The caller of an access token that {@link readAccessToken} has read; null when the token is no longer valid. */
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
