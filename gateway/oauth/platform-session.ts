import { readCookie } from '../../http/cookies.ts';
import type { HttpRequest } from '../../http/exchange.ts';
import type { Ctx } from '../../lib/caller.ts';
import { call } from '../../lib/calls.ts';
import { second } from '../../lib/clock.ts';
import { hashToken } from '../../lib/token-hash.ts';

/** The platform's session of a browser. It determines who is logged in; the provider's session does not. */
export type PlatformSession = { sessionId: string; userId: string; authenticatedAt: Date };

/** Reads the session of the cookie. It is not cached, so that a logout takes effect immediately. */
export async function findPlatformSession(ctx: Ctx, request: HttpRequest): Promise<PlatformSession | null> {
  const token = readCookie(request, 'session');
  if (!token) return null;
  const { caller, authenticatedAt } = await call(ctx, 'identity.sessions.verify', {
    body: { tokenHash: hashToken(token) },
  });
  if (!caller || authenticatedAt === null) return null;
  return { sessionId: caller.sessionId, userId: caller.id, authenticatedAt: new Date(authenticatedAt) };
}

/** The time of the login in seconds since 1970, as in the claim `auth_time`. */
export function authTimeOf({ authenticatedAt }: PlatformSession): number {
  return Math.floor(authenticatedAt.getTime() / second);
}
