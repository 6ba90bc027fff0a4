import type { BrowserMeta } from '../lib/contract/context.ts';
import { renderError } from '../lib/contract/render-error.ts';
import { day, fromNow } from '../lib/data/clock.ts';
import { defaultLanguage, type Language, languageOf, preferredLanguage } from '../lib/format/language.ts';
import { hashToken } from '../lib/security/token-hash.ts';
import { settings } from '../lib/settings/settings.ts';
import { type Browser, browserIdOf, browserOf, type PageCookie } from '../web/browser.ts';
import { renderErrorPage } from '../web/error-page.ts';
import { type PageAnswer, redirectTo } from '../web/page.ts';
import { type PageContext, runInPageContext, themeOf } from '../web/page-context.ts';
import { type HttpRequest, type HttpResponse, isFromThisMachine, readCookie, setCookie } from './request.ts';
import { endEarly } from './response.ts';

/** A session lasts for 30 days after its last use, and so does its cookie. */
const sessionCookieLifetime = 30 * day;
/** Longer than any value that the platform sets. Pages get longer values truncated. */
const maxCookieLength = 1000;
const ownOrigin = new URL(settings.PUBLIC_URL).origin;
const signInPath = '/self-service/login/browser';

/** The platform's cookies in the visitor's browser, parsed, for pages. */
export function browserMetaOf(request: HttpRequest): BrowserMeta {
  const session = readCookie(request, 'session');
  const mailboxToken = readCookie(request, 'mailbox');
  const organizationId = readCookie(request, 'organization');
  const theme = readCookie(request, 'theme');
  const referer = URL.parse(request.headers.referer ?? '');
  return {
    ...(mailboxToken !== undefined && { mailboxToken: mailboxToken.slice(0, maxCookieLength) }),
    ...(organizationId !== undefined && { organizationId: organizationId.slice(0, maxCookieLength) }),
    ...(theme !== undefined && { theme: theme.slice(0, maxCookieLength) }),
    ...(referer?.origin === ownOrigin && { referer: referer.pathname + referer.search }),
    id: browserIdOf(readCookie(request, 'browser')),
    sessionTokenHash: session ? hashToken(session) : null,
    device: readCookie(request, 'device')?.slice(0, maxCookieLength) ?? null,
    isThisMachine: isFromThisMachine(request),
  };
}

/** The language that the visitor chose, otherwise the one that their browser prefers. */
export function languageAt(request: HttpRequest): Language {
  const { cookie, 'accept-language': accepted } = request.headers;
  // Most requests are of programs, which say nothing.
  if (cookie === undefined && accepted === undefined) return defaultLanguage;
  return languageOf(readCookie(request, 'language')) ?? preferredLanguage(accepted) ?? defaultLanguage;
}

/** How pages are rendered for a request. */
export function pageContextOf(request: HttpRequest): PageContext {
  return { language: languageAt(request), theme: themeOf(readCookie(request, 'theme')) };
}

/** The browser of a request, for pages of the listener; new cookies are set on the response. */
export function browserAt(request: HttpRequest, response: HttpResponse): Browser {
  return browserOf(browserMetaOf(request), (cookie) => setPageCookie(response, cookie));
}

/** Sends a page, or redirects. */
export function sendPage(response: HttpResponse, { status, headers, cookies, html }: PageAnswer): void {
  setPageCookies(response, cookies);
  const length = { 'Content-Length': Buffer.byteLength(html) };
  endEarly(response, status, { ...headers, ...length }, html);
}

/** Redirects the browser with 303. */
export function redirect(response: HttpResponse, location: string): void {
  sendPage(response, redirectTo(location));
}

/** Extends the cookie of a session in use along with the session. */
export function renewSessionCookie(request: HttpRequest, response: HttpResponse): void {
  const token = readCookie(request, 'session');
  if (token) setCookie(response, 'session', token, fromNow(sessionCookieLifetime));
}

/** Redirects to the sign-in page, and from there to `returnPath`. `isAgain`: for a user whose session is too old. */
export function redirectToLogin(response: HttpResponse, returnPath: string, isAgain = false): void {
  const query = { return_to: returnPath, ...(isAgain && { refresh: 'true', notice: 'session-too-old' }) };
  redirect(response, `${signInPath}?${new URLSearchParams(query)}`);
}

/** Renders an error page. */
export function sendErrorPage(request: HttpRequest, response: HttpResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const rendered = renderError(error, request.requestId);
  request.answeredError = rendered.body;
  sendPage(
    response,
    runInPageContext(pageContextOf(request), () => renderErrorPage(rendered)),
  );
}

export function setPageCookies(response: HttpResponse, cookies: readonly PageCookie[]): void {
  for (const cookie of cookies) setPageCookie(response, cookie);
}

function setPageCookie(response: HttpResponse, { name, value, expiresAt }: PageCookie): void {
  setCookie(response, name, value, new Date(expiresAt));
}
