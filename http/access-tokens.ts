import { createLocalJWKSet, type JWK, type JWTPayload, jwtVerify } from 'jose';
import type { Logger } from 'moleculer';
import { type Caller, type CallOutput, type Ctx, call } from '../lib/contract/context.ts';
import { now } from '../lib/data/clock.ts';
import { decrypt } from '../lib/security/encryption.ts';
import { splitScope } from '../lib/security/oauth-scopes.ts';
import { settings } from '../lib/settings/settings.ts';

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

type SigningKey = CallOutput<'identity.oauth.signing-keys'>['keys'][number];

/** The keys of access tokens: all verification keys, and the private keys, the current signing key first. */
export type SigningKeys = {
  /** Changes exactly when the keys change. */
  name: string;
  keySet: ReturnType<typeof createLocalJWKSet>;
  jwks: JWK[];
};

/** Returns the current keys; throws when they could never be read. */
export type SigningKeyReader = (ctx: Ctx) => Promise<SigningKeys>;

const sealPurpose = 'oauth.signing-key';
const reuseMilliseconds = 1000;

/** Reads the keys, and caches them for a second. While they cannot be read, the last known ones are used. */
export function createSigningKeyReader(logger: Logger): SigningKeyReader {
  let keys: SigningKey[] = [];
  let current: SigningKeys | undefined;
  let askAgainAt = 0;
  let asking: Promise<void> | undefined;

  async function ask(ctx: Ctx): Promise<void> {
    try {
      keys = (await call(ctx, 'identity.oauth.signing-keys', {})).keys;
    } catch (error) {
      if (keys.length === 0) throw error;
      logger.warn('The signing keys could not be read; using the last known ones.', { error });
    } finally {
      askAgainAt = performance.now() + reuseMilliseconds;
      asking = undefined;
    }
  }

  return async (ctx) => {
    if (keys.length === 0 || performance.now() >= askAgainAt) {
      asking ??= ask(ctx);
      await asking;
    }
    const ordered = signingFirst(keys);
    const name = ordered.map(({ kid }) => kid).join(' ');
    if (current?.name !== name) current = { name, ...open(ordered) };
    return current;
  };
}

/** Sorts the current signing key first: the newest whose `signsFrom` has passed. */
function signingFirst(keys: SigningKey[]): SigningKey[] {
  const signing = keys.findLast(({ signsFrom }) => new Date(signsFrom) <= now()) ?? keys[0];
  return signing ? [signing, ...keys.filter((key) => key !== signing)] : [];
}

function open(keys: SigningKey[]): Omit<SigningKeys, 'name'> {
  const jwks = keys.map(({ sealed }) => JSON.parse(decrypt(sealPurpose, sealed)) as JWK);
  return { jwks, keySet: createLocalJWKSet({ keys: jwks.map(publicPart) }) };
}

function publicPart({ kty, n, e, kid, alg, use }: JWK): JWK {
  return { kty, n, e, kid, alg, use } as JWK;
}
