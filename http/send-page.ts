import type { BrowserMeta } from '../lib/contract/context.ts';
import { renderError } from '../lib/contract/render-error.ts';
import { day, fromNow } from '../lib/data/clock.ts';
import { hashToken } from '../lib/security/token-hash.ts';
import { type Browser, browserIdOf, browserOf, type PageCookie } from '../web/browser.ts';
import { renderErrorPage } from '../web/error-page.ts';
import { type PageAnswer, redirectTo } from '../web/page.ts';
import { type HttpRequest, type HttpResponse, isFromThisMachine, readCookie, setCookie } from './request.ts';
import { endEarly } from './response.ts';

/** A session lasts for 30 days after its last use, and so does its cookie. */
const sessionCookieLifetime = 30 * day;
/** Longer than any value that the platform sets. Pages get longer values truncated. */
const maxCookieLength = 1000;
const signInPath = '/self-service/login/browser';

/** The platform's cookies in the visitor's browser, parsed, for pages. */
export function browserMetaOf(request: HttpRequest): BrowserMeta {
  const session = readCookie(request, 'session');
  const mailboxToken = readCookie(request, 'mailbox');
  return {
    ...(mailboxToken !== undefined && { mailboxToken: mailboxToken.slice(0, maxCookieLength) }),
    id: browserIdOf(readCookie(request, 'browser')),
    sessionTokenHash: session ? hashToken(session) : null,
    device: readCookie(request, 'device')?.slice(0, maxCookieLength) ?? null,
    isThisMachine: isFromThisMachine(request),
  };
}

/** The browser of a request, for pages of the listener; new cookies are set on the response. */
export function browserAt(request: HttpRequest, response: HttpResponse): Browser {
  return browserOf(browserMetaOf(request), (cookie) => setPageCookie(response, cookie));
}

/** Sends a page, or redirects. */
export function sendPage(response: HttpResponse, { status, headers, cookies, html }: PageAnswer): void {
  for (const cookie of cookies) setPageCookie(response, cookie);
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

/** Redirects to the sign-in page, and from there to `returnPath`. */
export function redirectToLogin(response: HttpResponse, returnPath: string): void {
  redirect(response, `${signInPath}?${new URLSearchParams({ return_to: returnPath })}`);
}

/** Renders an error page. */
export function sendErrorPage(response: HttpResponse, error: unknown, requestId: string): void {
  if (response.headersSent) response.destroy();
  else sendPage(response, renderErrorPage(renderError(error, requestId)));
}

function setPageCookie(response: HttpResponse, { name, value, expiresAt }: PageCookie): void {
  setCookie(response, name, value, new Date(expiresAt));
}
