import { call } from '../../../lib/calls.ts';
import type { Visit } from '../../../web/define-page.ts';
import { rememberDevice } from '../accounts/known-devices.ts';

type NewSession = { sessionToken: string; expiresAt: string; email: string };

/** Logs the browser in with a new session. Ends its previous session, because the token would be lost. */
export async function startBrowserSession({ browser, ctx }: Visit, session: NewSession): Promise<void> {
  browser.signIn(session.sessionToken, new Date(session.expiresAt));
  rememberDevice(browser, session.email);
  const tokenHash = browser.sessionTokenHash;
  if (tokenHash !== null) await call(ctx, 'identity.sessions.end', { body: { tokenHash } });
}
