import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { type Answer, send } from './http.ts';
import { mailboxCookie } from './mailbox.ts';
import { createOAuthClient } from './oauth-database-client.ts';
import type { Platform } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';
import { createTenant, databaseUrlOf, setTrust, withDatabase } from './tenants.ts';
import { eventually } from './until.ts';
import { decodeEntities } from './user-agent.ts';

type Fields = Record<string, string> | string | Uint8Array;
type Headers = Record<string, string>;

/** A browser with cookies that shows every answer by itself: it follows no redirect. */
export type Visitor = {
  url: string;
  cookies: Map<string, string>;
  get: (path: string, headers?: Headers) => Promise<Answer>;
  /** Posts these fields, or this text or these bytes as they are, as from a page of the platform. */
  post: (path: string, fields: Fields, headers?: Headers) => Promise<Answer>;
  /** Posts the fields with the token of the first form on the page at `formPath`. */
  postFrom: (formPath: string, path: string, fields?: Record<string, string>) => Promise<Answer>;
};

/** A browser of a test's own at the shared platform; it may have a session already. */
export async function newVisitor(sessionToken?: string): Promise<Visitor> {
  const { url } = await sharedPlatform();
  return visitorOf(url, sessionToken);
}

/** The same at any platform. */
export function visitorOf(url: string, sessionToken?: string): Visitor {
  const cookies = new Map<string, string>();
  if (sessionToken !== undefined) cookies.set('platform_session', sessionToken);

  async function request(method: string, path: string, headers: Headers, body?: string | Uint8Array): Promise<Answer> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const content = body === undefined ? {} : { body };
    const answer = await send(url, { method, path, headers: { cookie, ...headers }, ...content });
    for (const line of answer.headers['set-cookie'] ?? []) keep(cookies, line);
    return answer;
  }

  const get: Visitor['get'] = (path, headers = {}) => request('GET', path, headers);
  const post: Visitor['post'] = (path, fields, headers = {}) => {
    const isRaw = typeof fields === 'string' || fields instanceof Uint8Array;
    const body = isRaw ? fields : String(new URLSearchParams(fields));
    const defaults = { origin: new URL(url).origin, 'content-type': 'application/x-www-form-urlencoded' };
    return request('POST', path, { ...defaults, ...headers }, body);
  };
  const postFrom: Visitor['postFrom'] = async (formPath, path, fields = {}) =>
    post(path, { flow: flowOf(await get(formPath)), ...fields });
  return { url, cookies, get, post, postFrom };
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';');
  const [name = '', value = ''] = pair.split('=');
  if (/; Expires=Thu, 01 Jan 1970/.test(line)) cookies.delete(name);
  else cookies.set(name, value);
}

/** The token of the first form on a page. */
export function flowOf({ text }: Pick<Answer, 'text'>): string {
  const flow = /name="flow" value="([^"]*)"/.exec(text)?.[1];
  if (flow === undefined) throw new Error(`No form: ${text.slice(0, 2000)}`);
  return flow;
}

/** What a page says, without its tags. */
export function wordsOf({ text }: Pick<Answer, 'text'>): string {
  const body = text.slice(text.indexOf('<main'), text.indexOf('</main>'));
  return decodeEntities(body.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

/** The link in the newest mail to an address that leads to a page, as a path with its query. */
export async function mailedLink(email: string, page: string, other?: Platform): Promise<string> {
  const platform = other ?? (await sharedPlatform());
  const databaseUrl = await databaseUrlOf(platform);
  return eventually(async () => {
    const [newest] = await withDatabase(databaseUrl, (database) =>
      database.collection<{ _id: string }>('mail_messages').find({ to: email }).sort({ _id: -1 }).limit(1).toArray(),
    );
    if (!newest) throw new Error(`No mail to ${email}.`);
    const { text } = await send(platform.url, {
      path: `/dev/mailbox/${newest._id}`,
      headers: { cookie: mailboxCookie(platform) },
    });
    const link = new RegExp(`${platform.url}(${page}[^\\s<"]*)`).exec(decodeEntities(text))?.[1];
    if (!link) throw new Error(`No link to ${page} in the mail to ${email}: ${text}`);
    return link;
  });
}

/** The origin of a new OAuth client of an organization of its own, and what has the operator trust it or not. */
export async function newClientOrigin(): Promise<{ origin: string; trust: (isTrusted: boolean) => Promise<void> }> {
  const databaseUrl = await databaseUrlOf(await sharedPlatform());
  const origin = `https://${randomBytes(8).toString('hex')}.example:8443`;
  const tenant = await createTenant(databaseUrl);
  await createOAuthClient(databaseUrl, tenant, { redirectUris: [`${origin}/callback`] });
  return { origin, trust: (isTrusted) => setTrust(databaseUrl, tenant.orgId, isTrusted) };
}

/** The page that asks before a browser leaves for this address. */
export const leavePageOf = (address: string): string =>
  `/self-service/leave?${new URLSearchParams({ return_to: address })}`;

/** Expects a page that shows these words, with the headers that every page has. */
export function expectPage(answer: Answer, status: number, words?: RegExp): void {
  expect({ status: answer.status, words: wordsOf(answer) }).toEqual({
    status,
    words: words ? expect.stringMatching(words) : expect.any(String),
  });
  expect(answer.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    // Only a page that is kept up to date asks the platform for more; one with files has them from the storage.
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:( http:\/\/[\w.:]+)?; font-src 'self'; base-uri 'none'; frame-ancestors 'none'(?:; form-action 'self'(?:\1)?)?(?:; connect-src 'self'(?: http:\/\/[\w.:]+)?)?(?:; media-src\1)?(?:; frame-src 'self')?$/,
    ),
  });
  // Browsers apply `form-action` to the redirects after a form too, so a page has none whose form may lead elsewhere.
  const leaving =
    /<form[^>]* action="[^"]*(?:\/self-service\/(?:login|logout|registration\/confirm)|\/oauth2\/|\/checkout)\b/;
  const isClosed = String(answer.headers['content-security-policy']).includes("form-action 'self'");
  expect(isClosed || leaving.test(answer.text)).toBe(true);
  // Scripts are the platform's own files alone.
  const text = answer.text.replace(
    /<script type="module" src="\/self-service\/[\w-]+\.js\?v=[\w-]{12}"><\/script>/g,
    '',
  );
  expect(text).not.toMatch(/<script|<[^>]* (?:style|on\w+)=|(?:href|action)="javascript:/i);
}

/** Expects a redirect with GET to this address. */
export function expectRedirect({ status, headers }: Answer, location: string): void {
  expect({ status, location: headers.location }).toEqual({ status: 303, location });
}
