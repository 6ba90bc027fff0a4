import { decodeJwt } from 'jose';
import type { ErrorOut, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { issuer } from '../../http/access-tokens.ts';
import { clearCookie, readCookie } from '../../http/request.ts';
import { call } from '../../lib/contract/context.ts';
import { hashToken } from '../../lib/security/token-hash.ts';
import { flowField } from '../../web/flow.ts';
import { type Html, html } from '../../web/html.ts';
import { renderIcon } from '../../web/icons.ts';
import { type PageAnswer, renderPage } from '../../web/page.ts';
import { describeScope } from '../../web/scope-words.ts';
import type { Client } from './clients.ts';
import { currentExchange } from './request.ts';
import { texts } from './texts.ts';

type Consent = { client: Client; email: string; scopes: string[]; action: string; flow: string };

/** Whether a scope gives a permission in the organization; the others concern the user alone. */
const isPermission = (scope: string): boolean => /[.:]/.test(scope);

/**
 * The content of the consent page: the application, its scopes and the user. The application controls only its name.
 */
export function consentBody({ client, email, scopes, action, flow }: Consent): Html {
  const { applicationName: application, organizationName: organization } = client;
  const { heading, request, bounds, removal, allow, deny } = texts().consent;
  return html`<h1>${heading(application)}</h1>
<p>${request({ application, organization, email })}</p>
<ul class="grants">${scopes.map((scope) => html`<li>${renderIcon('check', 'sm')}<span>${describeScope(scope)}</span></li>`)}</ul>
<p>${scopes.some(isPermission) && html`${bounds(organization)} `}${removal}</p>
<form method="post" action="${action}">
${flowField(flow)}
<button type="submit" name="decision" value="allow" class="btn primary">${allow}</button>
<button type="submit" name="decision" value="deny" class="btn">${deny}</button>
</form>`;
}

/** Shows a page of the platform from within the provider, which sets its cookies before the answer is sent. */
export function renderPageIn(ctx: KoaContextWithOIDC, { status, headers, html }: PageAnswer): void {
  ctx.status = status;
  ctx.set(headers);
  ctx.body = html;
}

/**
 * Renders the error of an authorization whose redirect address is not verified. A redirect to it would make the
 * platform an open redirector.
 */
export function renderError(ctx: KoaContextWithOIDC, { error, error_description: description }: ErrorOut): void {
  const { title, byCode, other, next, forDevelopers } = texts().errors;
  const known: Record<string, string | undefined> = byCode;
  const isOurs = error === 'server_error';
  const body = html`<h1>${title}</h1>
<p>${known[error] ?? other}</p>
<p>${next}</p>
${!isOurs && html`<p class="hint">${forDevelopers(error, description)}</p>`}`;
  renderPageIn(ctx, renderPage({ title, status: ctx.status, body }));
}

type LogoutClient = NonNullable<KoaContextWithOIDC['oidc']['client']>;
type LogoutState = { secret?: string; postLogoutRedirectUri?: string };

const logoutUrl = `${issuer}/session/end`;
const loggedOutUrl = `${logoutUrl}/success`;

/**
 * Reduces the query of a logout to its valid parts: the client, its registered address, and the state. The provider
 * would reject the logout because of any other part, although the user wants to log out. Invalid parts are dropped
 * (OpenID Connect RP-Initiated Logout 1.0, section 4).
 */
export async function validLogout(provider: Provider, query: URLSearchParams): Promise<URLSearchParams> {
  const client = await clientOf(provider, query);
  const uri = single(query, 'post_logout_redirect_uri');
  const state = single(query, 'state');
  if (!client) return new URLSearchParams();
  const valid = new URLSearchParams({ client_id: client.clientId });
  if (uri === null || !client.postLogoutRedirectUriAllowed(uri)) return valid;
  valid.set('post_logout_redirect_uri', uri);
  if (state !== null) valid.set('state', state);
  return valid;
}

/** The client that requests a logout, by its id, by an ID token, or by both if they agree. */
async function clientOf(provider: Provider, query: URLSearchParams): Promise<LogoutClient | undefined> {
  const clientId = single(query, 'client_id');
  const ofToken = await audienceOf(provider, single(query, 'id_token_hint') ?? '');
  if (clientId !== null && ofToken && ofToken.clientId !== clientId) return undefined;
  return ofToken ?? (clientId === null ? undefined : await provider.Client.find(clientId));
}

/** The client that an ID token was issued to, expired or not; undefined when the platform has not signed it. */
async function audienceOf(provider: Provider, idToken: string): Promise<LogoutClient | undefined> {
  const client = await provider.Client.find(claimedAudience(idToken));
  if (!client) return undefined;
  try {
    await provider.IdToken.validate(idToken, client);
    return client;
  } catch {
    return undefined;
  }
}

function claimedAudience(idToken: string): string {
  try {
    return String(decodeJwt(idToken).aud);
  } catch {
    return '';
  }
}

/** The value of a parameter that occurs once; null for an empty one (RFC 6749 section 3.1). */
function single(query: URLSearchParams, name: string): string | null {
  const [value = '', ...others] = query.getAll(name);
  return value === '' || others.length > 0 ? null : value;
}

/** Asks the user to confirm the logout (OpenID Connect RP-Initiated Logout 1.0, section 2). */
export function logoutPage(ctx: KoaContextWithOIDC): void {
  const { client } = ctx.oidc;
  const { title, heading, askedBy, asked, effect, confirm, cancel } = texts().logout;
  const body = html`<h1>${heading}</h1>
<p>${client?.clientName ? askedBy(client.clientName) : asked}
${effect}</p>
<form method="post" action="${withQuery(`${logoutUrl}/confirm`, ctx.querystring)}">
<input type="hidden" name="xsrf" value="${stateOf(ctx).secret}">
<button type="submit" name="logout" value="yes" class="btn primary">${confirm}</button>
<a class="btn" href="/account">${cancel}</a>
</form>`;
  renderPageIn(ctx, renderPage({ title, formsLeave: true, body }));
}

export function loggedOutPage(ctx: KoaContextWithOIDC): void {
  const { title, heading, next } = texts().loggedOut;
  const body = html`<h1>${heading}</h1>
<p>${next}</p>`;
  renderPageIn(ctx, renderPage({ title, body }));
}

/**
 * Completes the provider's answers to a logout. Without a session no confirmation is shown, and no form that a script
 * would have to submit. A form that was submitted twice, or after another one was opened, starts again. The browser is
 * not redirected to an address that was removed, alone or with its client, after the confirmation.
 */
export async function completeLogout(ctx: KoaContextWithOIDC): Promise<void> {
  const { oidc } = ctx;
  if (oidc?.route === 'end_session' && ctx.status === 200 && !oidc.session?.accountId) seeOther(ctx, addressAfter(ctx));
  if (oidc?.route !== 'end_session_confirm') return;
  const isConfirmed = ctx.status === 303 && oidc.params?.logout;
  if (isConfirmed) await leave(ctx);
  else if (ctx.status < 500) seeOther(ctx, withQuery(logoutUrl, ctx.querystring));
}

/** The redirect target of a browser that was logged out before; the request contains only validated parts. */
function addressAfter({ oidc: { params } }: KoaContextWithOIDC): string {
  const { post_logout_redirect_uri: uri, state } = params ?? {};
  if (typeof uri !== 'string') return loggedOutUrl;
  const url = new URL(uri);
  if (typeof state === 'string') url.searchParams.set('state', state);
  return url.href;
}

/** Ends the platform's session together with the provider's, before the redirect. */
async function leave(ctx: KoaContextWithOIDC): Promise<void> {
  await endPlatformSession();
  const { postLogoutRedirectUri: uri } = stateOf(ctx);
  if (uri === undefined || uri.startsWith(`${issuer}/`)) return;
  if (!ctx.oidc.client?.postLogoutRedirectUriAllowed(uri)) seeOther(ctx, loggedOutUrl);
}

async function endPlatformSession(): Promise<void> {
  const { ctx, request, response } = currentExchange();
  const token = readCookie(request, 'session');
  if (!token) return;
  await call(ctx, 'identity.sessions.end', { body: { tokenHash: hashToken(token) } });
  clearCookie(response, 'session');
}

function stateOf({ oidc }: KoaContextWithOIDC): LogoutState {
  return (oidc.session?.state ?? {}) as LogoutState;
}

function seeOther(ctx: KoaContextWithOIDC, location: string): void {
  ctx.status = 303;
  ctx.redirect(location);
}

const withQuery = (url: string, query: string): string => (query === '' ? url : `${url}?${query}`);
