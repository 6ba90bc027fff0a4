import { call } from '../../lib/calls.ts';
import { hashToken } from '../../lib/token-hash.ts';
import { readCookie, setCookie } from '../cookies.ts';
import type { Visit } from './visit.ts';

type NewSession = { sessionToken: string; expiresAt: string };

/** Logs the browser in by a session that was just made. The one it had before is ended: nobody would see it again. */
export async function enterSession({ request, response, ctx }: Visit, session: NewSession): Promise<void> {
  setCookie(response, 'session', session.sessionToken, new Date(session.expiresAt));
  const former = readCookie(request, 'session');
  if (former) await call(ctx, 'identity.sessions.end', { body: { tokenHash: hashToken(former) } });
}
