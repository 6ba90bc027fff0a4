import type { errors, KoaContextWithOIDC } from 'oidc-provider';
import { issuer } from '../../http/access-tokens.ts';
import { call } from '../../lib/contract/context.ts';
import { settings } from '../../lib/settings/settings.ts';
import { registeredOf } from './clients.ts';
import { loggedOutPage, renderError } from './pages.ts';
import { currentExchange } from './request.ts';

type Refusal = errors.OIDCProviderError;

const leavePage = `${settings.PUBLIC_URL}/self-service/leave`;

/**
 * Replaces a redirect to a client without any user consent: the error of an authorization, or the end of a logout. An
 * untrusted client could otherwise use the platform as an open redirector, because anyone may register a redirect URI
 * (RFC 9700 section 4.11.2). The page for `return_to` asks for confirmation; without an origin to show, the
 * browser stays.
 *
 * @param refusal the error of an authorization
 */
export async function confirmBeforeLeaving(ctx: KoaContextWithOIDC, refusal: Refusal | undefined): Promise<void> {
  const { oidc } = ctx;
  const target = oidc?.client && targetOf(ctx, refusal);
  if (!oidc?.client || !target || (await isAgreedTo(oidc.client))) return;
  const { decision } = await call(currentExchange().ctx, 'identity.accounts.check-return-to', {
    body: { url: target },
  });
  if (decision === 'allowed') return;
  if (decision === 'ask') {
    ctx.status = 303;
    ctx.redirect(`${leavePage}?${new URLSearchParams({ return_to: target })}`);
    return;
  }
  ctx.remove('Location');
  ctx.status = refusal ? 400 : 200;
  if (refusal) renderError(ctx, refusal);
  else loggedOutPage(ctx);
}

/** The external address to which the answer would send the browser without its user's consent. */
function targetOf(ctx: KoaContextWithOIDC, refusal: Refusal | undefined): string | null {
  const { route, params } = ctx.oidc;
  // The user has seen the client's name and denied its request.
  const isDenied = route === 'resume' && refusal?.error === 'access_denied';
  if (isDenied || (!refusal && route !== 'end_session' && route !== 'end_session_confirm')) return null;
  if (ctx.status === 303) {
    const location = String(ctx.response.get('Location'));
    return location.startsWith(`${issuer}/`) ? null : location;
  }
  const redirectUri = params?.redirect_uri;
  // Without `allow_redirect` the provider has shown the error page.
  if (!refusal?.allow_redirect || params?.response_mode !== 'form_post' || typeof redirectUri !== 'string') return null;
  // The confirmation page links to the client, so the error goes into the query instead of a form.
  const url = new URL(redirectUri);
  url.searchParams.set('error', refusal.error);
  url.searchParams.set('iss', issuer);
  if (typeof params.state === 'string') url.searchParams.set('state', params.state);
  return url.href;
}

/** Whether the operator trusts the client, or the current user has granted it a scope. */
async function isAgreedTo(client: object): Promise<boolean> {
  const { clientId, isFirstParty, isTrusted } = registeredOf(client);
  if (isFirstParty || isTrusted) return true;
  const { ctx, platformSession } = currentExchange();
  const session = await platformSession();
  if (!session) return false;
  const { scopes } = await call(ctx, 'identity.oauth.consents.find', { body: { userId: session.userId, clientId } });
  return scopes.length > 0;
}
