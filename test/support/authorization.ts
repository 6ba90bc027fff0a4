import { randomBytes } from 'node:crypto';
import { send } from './http.ts';
import type { OAuthClient } from './oauth-database-client.ts';
import type { Page, UserAgent } from './user-agent.ts';
import type { User } from './user-client.ts';

/** What a token endpoint answers. */
export type TokenAnswer = {
  access_token: string;
  id_token?: string;
  refresh_token?: string;
  scope?: string;
  expires_in: number;
  token_type: string;
  error?: string;
  error_description?: string;
};

/** An authorization request as a client makes it; what is null is left out. */
export type AuthorizationRequest = Record<string, string | null>;

/** A client's part of the code flow against a platform, with nothing but HTTP. */
export type Client = OAuthClient & { url: string; redirectUri: string };

/** The address a client sends a browser to. */
export function authorizationUrl({ url, clientId, redirectUri }: Client, request: AuthorizationRequest = {}): string {
  const parameters = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid',
    state: randomBytes(8).toString('hex'),
    nonce: randomBytes(8).toString('hex'),
    ...request,
  };
  const present = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null);
  return `${url}/oauth2/auth?${new URLSearchParams(present)}`;
}

/** What a person does with the pages they meet on the way: log in when asked, allow when asked. */
export async function goThrough(agent: UserAgent, first: Page, user: Pick<User, 'email' | 'password'>): Promise<URL> {
  let page = first;
  for (let steps = 0; page.status === 200 && steps < 4; steps += 1) {
    // An error of a client without trust is a link on the page that asks first.
    const { pathname, searchParams } = new URL(page.url);
    if (pathname === '/self-service/leave') return new URL(searchParams.get('return_to')!);
    const isLogin = /name="password"/.test(page.text);
    page = isLogin
      ? await agent.submit(page, { email: user.email, password: user.password })
      : await agent.submit(page, {}, /^Allow/);
  }
  return agent.leftTo(page);
}

/** Exchanges something at the token endpoint, authenticated by Basic. */
export function requestToken({ url, clientId, clientSecret }: Client, form: Record<string, string>) {
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return send<TokenAnswer>(url, {
    method: 'POST',
    path: '/oauth2/token',
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams(form)),
  });
}

/** Exchanges the code that came back to the client. */
export function exchangeCode(client: Client, callback: URL, extra: Record<string, string> = {}) {
  const code = callback.searchParams.get('code') ?? '';
  return requestToken(client, { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri, ...extra });
}
