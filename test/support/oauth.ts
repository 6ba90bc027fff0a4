import { createHash, randomBytes } from 'node:crypto';
import { now } from '../../lib/data/clock.ts';
import { newId } from '../../lib/data/ids.ts';
import type { OAuthClientDocument } from '../../models/identity/oauth-client.ts';
import { originsOf } from '../../services/identity/redirect-uris.ts';
import { type Answer, send } from './http.ts';
import { sharedPlatform } from './shared-platform.ts';
import { createTenant, databaseUrlOf, introduce, setTrust, type Tenant, withDatabase } from './tenants.ts';
import { createUser, type User } from './user-client.ts';

/** An OAuth client of a test's own, with its organization; a public one has no secret. */
export type OAuthClient = Tenant & {
  url: string;
  databaseUrl: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
};

export type OAuthClientOptions = {
  isPublic?: boolean;
  scopes?: string[];
  grantTypes?: OAuthClientDocument['grantTypes'];
  redirectUris?: string[];
  postLogoutRedirectUris?: string[];
  /** Whether the operator trusts its organization; true when absent. */
  isTrusted?: boolean;
  /** A platform of the test's own; the shared one when absent. */
  platform?: { url: string; dataDir: string; firstRun?: { publicUrl: string } };
  /** Its database, where it is not the embedded one. */
  databaseUrl?: string;
};

export const usualScopes = ['openid', 'profile', 'email', 'offline_access', 'context.story.read', 'mail.send'];
const usualGrants: OAuthClientDocument['grantTypes'] = ['authorization_code', 'client_credentials', 'refresh_token'];

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
export const random = (): string => randomBytes(24).toString('base64url');

/** Makes a client straight in the database, with an organization and an application of its own. */
export async function newOAuthClient(options: OAuthClientOptions = {}): Promise<OAuthClient> {
  const platform = options.platform ?? (await sharedPlatform());
  const databaseUrl = options.databaseUrl ?? (await databaseUrlOf(platform));
  introduce(databaseUrl, { url: platform.url, ...platform.firstRun });
  const tenant = await createTenant(databaseUrl);
  const clientId = newId('cli');
  const clientSecret = random();
  const { redirectUris = [`https://${tenant.orgId.replace('_', '-')}.example/callback`] } = options;
  const document: OAuthClientDocument = {
    _id: clientId,
    orgId: tenant.orgId,
    applicationId: tenant.applicationId,
    grantTypes: options.grantTypes ?? usualGrants,
    redirectUris,
    postLogoutRedirectUris: options.postLogoutRedirectUris ?? [],
    redirectOrigins: originsOf(redirectUris),
    scopes: options.scopes ?? usualScopes,
    tokenEndpointAuthMethod: options.isPublic ? 'none' : 'client_secret_basic',
    secrets: options.isPublic ? [] : [{ hash: hashOf(clientSecret), expiresAt: null }],
    createdAt: now(),
    updatedAt: now(),
  };
  await withDatabase(databaseUrl, (database) =>
    database.collection<OAuthClientDocument>('identity_oauth_clients').insertOne(document),
  );
  await setTrust(databaseUrl, tenant.orgId, options.isTrusted ?? true);
  return { ...tenant, url: platform.url, databaseUrl, clientId, clientSecret, redirectUri: redirectUris[0] ?? '' };
}

/** A browser without a screen: it keeps cookies by their path, and follows no redirect by itself. */
export class Browser {
  readonly url: string;
  readonly #cookies = new Map<string, { name: string; value: string; path: string }>();

  constructor(url: string) {
    this.url = url;
  }

  setCookie(name: string, value: string, path = '/'): void {
    this.#cookies.set(`${name} ${path}`, { name, value, path });
  }

  cookie(name: string): string | undefined {
    return [...this.#cookies.values()].find((one) => one.name === name)?.value;
  }

  async go(address: string, form?: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
    const { pathname, search } = new URL(address, this.url);
    const posted = form && {
      method: 'POST',
      body: new URLSearchParams(form).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: this.url },
    };
    const answer = await send(this.url, {
      ...posted,
      path: `${pathname}${search}`,
      headers: { accept: 'text/html', ...posted?.headers, cookie: this.#cookieHeader(pathname), ...headers },
    });
    for (const line of answer.headers['set-cookie'] ?? []) this.#keep(line);
    return answer;
  }

  #cookieHeader(pathname: string): string {
    const fits = (path: string) => path === '/' || pathname === path || pathname.startsWith(`${path}/`);
    const fitting = [...this.#cookies.values()].filter(({ path }) => fits(path));
    return fitting.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    const path = /; *path=([^;]+)/i.exec(line)?.[1] ?? '/';
    const expires = /; *expires=([^;]+)/i.exec(line)?.[1];
    if (expires && new Date(expires) <= new Date()) this.#cookies.delete(`${name} ${path}`);
    else this.setCookie(name, value, path);
  }
}

/** A browser in which a user of the test's own is logged in, by default a member of the client's organization. */
export async function newBrowser(client: OAuthClient, role?: 'owner' | 'admin' | 'member' | 'stranger') {
  const membership = role === 'stranger' ? {} : { orgId: client.orgId, role: role ?? 'owner' };
  const user: User = await createUser(client.databaseUrl, membership);
  const browser = new Browser(client.url);
  browser.setCookie('platform_session', user.sessionToken);
  return { browser, user };
}

export type Asked = Record<string, string | undefined>;

export function authorizationUrl(client: OAuthClient, asked: Asked = {}): string {
  const query = {
    client_id: client.clientId,
    response_type: 'code',
    redirect_uri: client.redirectUri,
    scope: 'openid profile email offline_access context.story.read',
    state: 'state-of-a-test',
    ...asked,
  };
  const sent = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${client.url}/oauth2/auth?${new URLSearchParams(sent)}`;
}

/** What the user does when they are asked; `look` stops there. */
export type Decision = 'allow' | 'deny' | 'look';

export type Way = { end: URL | null; answer: Answer; visited: string[] };

/**
 * Asks for an authorization and goes on until the browser is sent away from the platform's OAuth paths, or is shown
 * something else than the question, which it answers. `end` is where it was sent.
 */
export function authorize(
  browser: Browser,
  client: OAuthClient,
  asked: Asked = {},
  decision: Decision = 'allow',
): Promise<Way> {
  return follow(browser, authorizationUrl(client, asked), decision);
}

/** As {@link authorize}, from any address on. */
export async function follow(browser: Browser, from: string, decision: Decision = 'allow'): Promise<Way> {
  const visited: string[] = [];
  let address = from;
  for (let step = 0; step < 12; step += 1) {
    visited.push(new URL(address).pathname);
    let answer = await browser.go(address);
    if (decision !== 'look' && answer.status === 200 && answer.text.includes('name="decision"')) {
      visited.push('consent');
      const flow = /name="flow" value="([^"]+)"/.exec(answer.text)?.[1] ?? '';
      answer = await browser.go(address, { decision, flow });
    }
    const { location } = answer.headers;
    if (location === undefined) return { end: null, answer, visited };
    const next = new URL(location, browser.url);
    if (next.origin !== browser.url || !next.pathname.startsWith('/oauth2/')) return { end: next, answer, visited };
    address = next.href;
  }
  throw new Error(`The browser is sent around in circles: ${visited.join(' ')}`);
}

/** The code of an authorization that was given; throws with what came instead. */
export async function codeOf(browser: Browser, client: OAuthClient, asked: Asked = {}): Promise<string> {
  const { end, answer } = await authorize(browser, client, asked);
  const code = end?.searchParams.get('code');
  if (!code) throw new Error(`No code, but ${end ?? `${answer.status} ${answer.text}`}`);
  return code;
}

export type Tokens = {
  access_token: string;
  refresh_token?: string;
  id_token?: string;
  expires_in: number;
  scope: string;
  token_type: string;
  error?: string;
  error_description?: string;
};

export const basic = ({ clientId, clientSecret }: OAuthClient): string =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;

/** Posts a form to a path of /oauth2 as the client does, or as the headers say. */
export function post<T = Tokens>(
  client: OAuthClient,
  path: string,
  form: Record<string, string>,
  headers: Record<string, string> = { authorization: basic(client) },
): Promise<Answer<T>> {
  return send<T>(client.url, {
    method: 'POST',
    path: `/oauth2/${path}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  });
}

/** Exchanges a code as the client does. */
export function exchange(
  client: OAuthClient,
  code: string,
  more: Record<string, string> = {},
): Promise<Answer<Tokens>> {
  return post(client, 'token', { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri, ...more });
}

export function refresh(client: OAuthClient, refreshToken: string, more: Record<string, string> = {}) {
  return post(client, 'token', { grant_type: 'refresh_token', refresh_token: refreshToken, ...more });
}

/** The tokens of a whole flow. */
export async function tokensOf(browser: Browser, client: OAuthClient, asked: Asked = {}): Promise<Tokens> {
  const { status, body, text } = await exchange(client, await codeOf(browser, client, asked));
  if (status !== 200) throw new Error(`The code was answered ${status}: ${text}`);
  return body;
}

/** The status of GET /identity/me with a token. */
export async function statusOf(client: OAuthClient, token: string): Promise<number> {
  const { status } = await send(client.url, { path: '/identity/me', headers: { authorization: `Bearer ${token}` } });
  return status;
}

/** Types the user's address and password into the login page at an address, and gives where the browser is sent. */
export async function logIn(browser: Browser, address: string, { email, password }: Pick<User, 'email' | 'password'>) {
  const { text } = await browser.go(address);
  const unescaped = (value: string | undefined) => (value ?? '').replaceAll('&amp;', '&');
  const action = unescaped(/<form[^>]* action="([^"]+)"/.exec(text)?.[1]);
  const flow = /name="flow" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const { headers } = await browser.go(action, { email, password, flow });
  return new URL(headers.location ?? '', browser.url).href;
}
