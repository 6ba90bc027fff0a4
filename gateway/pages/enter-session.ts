import { call } from '../../lib/calls.ts';
import { hashToken } from '../../lib/token-hash.ts';
import { readCookie, setCookie } from '../cookies.ts';
import type { Visit } from './visit.ts';

type NewSession = { sessionToken: string; expiresAt: string };

/** Logs the browser in with a new session. Its former session is ended, because its token would be lost. */
export async function enterSession({ request, response, ctx }: Visit, session: NewSession): Promise<void> {
  setCookie(response, 'session', session.sessionToken, new Date(session.expiresAt));
  const former = readCookie(request, 'session');
  if (former) await call(ctx, 'identity.sessions.end', { body: { tokenHash: hashToken(former) } });
}
