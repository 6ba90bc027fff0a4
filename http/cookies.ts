import type { IncomingMessage, ServerResponse } from 'node:http';
import { settings } from '../lib/settings.ts';
import type { PageCookie } from '../web/browser.ts';

const isSecure = settings.PUBLIC_URL.startsWith('https:');
/**
 * Under https the prefix makes browsers reject a cookie that another host or an insecure page set (RFC 6265bis 4.1.3).
 */
const prefix = isSecure ? '__Host-' : '';

/** The cookies of the platform's pages; all are host-only and HttpOnly. */
export type CookieName = PageCookie['name'];

/** The name of the cookie in browsers. */
export const cookieName = (name: CookieName): string => `${prefix}platform_${name}`;

/** The value of a cookie; undefined when it is absent, or sent twice, which no browser does. */
export function readCookie({ headers }: Pick<IncomingMessage, 'headers'>, name: CookieName): string | undefined {
  const wanted = `${cookieName(name)}=`;
  const values = (headers.cookie ?? '').split(/; */).filter((pair) => pair.startsWith(wanted));
  return values.length === 1 ? values[0]?.slice(wanted.length) : undefined;
}

/** Sets a cookie of the platform until `expiresAt`, or until the browser closes when that is absent. */
export function setCookie(response: ServerResponse, name: CookieName, value: string, expiresAt?: Date): void {
  const lifetime = expiresAt ? `; Expires=${expiresAt.toUTCString()}` : '';
  append(response, `${cookieName(name)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}${lifetime}`);
}

export function clearCookie(response: ServerResponse, name: CookieName): void {
  setCookie(response, name, '', new Date(0));
}

const secure = isSecure ? '; Secure' : '';

function append(response: ServerResponse, cookie: string): void {
  const former = response.getHeader('Set-Cookie');
  response.setHeader('Set-Cookie', former === undefined ? cookie : [former, cookie].flat().map(String));
}
