import type { KoaContextWithOIDC } from 'oidc-provider';
import { issuer } from '../../http/access-tokens.ts';
import { clearCookie, readCookie } from '../../http/cookies.ts';
import { call } from '../../lib/calls.ts';
import { hashToken } from '../../lib/token-hash.ts';
import { html } from '../../web/html.ts';
import { currentExchange } from './exchange.ts';
import { showPageIn } from './show-page.ts';
import { texts } from './texts.ts';

/** Asks whether to log out (OpenID Connect RP-Initiated Logout 1.0, section 6). */
export function logoutPage(ctx: KoaContextWithOIDC): void {
  const { client, session } = ctx.oidc;
  const token = String((session?.state as { secret?: string } | undefined)?.secret ?? '');
  const { title, heading, askedBy, asked, effect, confirm, cancel } = texts().logout;
  showPageIn(ctx, {
    title,
    formsLeave: true,
    body: html`<h1>${heading}</h1>
<p>${client?.clientName ? askedBy(client.clientName) : asked}
${effect}</p>
<form method="post" action="${issuer}/session/end/confirm">
<input type="hidden" name="xsrf" value="${token}">
<button type="submit" name="logout" value="yes">${confirm}</button>
<a class="button quiet" href="/account">${cancel}</a>
</form>`,
  });
}

export function loggedOutPage(ctx: KoaContextWithOIDC): void {
  const { title, heading, next } = texts().loggedOut;
  showPageIn(ctx, {
    title,
    body: html`<h1>${heading}</h1>
<p>${next}</p>`,
  });
}

/** Ends the platform's session together with the provider's, before the redirect. */
export async function endPlatformSession(ctx: KoaContextWithOIDC): Promise<void> {
  const { ctx: callContext, request, response } = currentExchange();
  const token = readCookie(request, 'session');
  const isLoggedOut = ctx.oidc?.route === 'end_session_confirm' && ctx.oidc.params?.logout && ctx.status === 303;
  if (!isLoggedOut || !token) return;
  await call(callContext, 'identity.sessions.end', { body: { tokenHash: hashToken(token) } });
  clearCookie(response, 'session');
}
