import { randomBytes } from 'node:crypto';
import {
  type Client as AuthorizationClient,
  authorizationUrl,
  exchangeCode,
  goThrough,
  type TokenAnswer,
} from '../support/authorization.ts';
import { type Client, clientOf } from '../support/client.ts';
import { newUserAgent } from '../support/user-agent.ts';
import type { Person } from './platform.ts';

/** An OAuth client that acts for users, as its application knows it. */
export type Registered = AuthorizationClient & { slug: string };

type Registration = { redirectUris?: string[]; postLogoutRedirectUris?: string[]; isPublic?: boolean };

export const redirectUri = 'https://app.example.com/callback';
const scopes = ['openid', 'profile', 'email', 'offline_access', 'svc:read', 'console.orgs.write'];

/** Makes an application of the organization with a client for the code flow and refreshes. */
export async function registerClient(own: Client, registration: Registration = {}): Promise<Registered> {
  const { isPublic = false, ...uris } = registration;
  const slug = `acceptance-${randomBytes(8).toString('hex')}`;
  await own.call('identity.applications.create', { body: { name: 'Of a test', slug } });
  const body = {
    grantTypes: ['authorization_code' as const, 'refresh_token' as const],
    redirectUris: [redirectUri],
    scopes,
    tokenEndpointAuthMethod: isPublic ? ('none' as const) : ('client_secret_basic' as const),
    ...uris,
  };
  const { clientId, clientSecret = '' } = await own.call('identity.oauth-clients.create', { path: { slug }, body });
  return { url: own.url, slug, clientId, clientSecret, redirectUri: body.redirectUris[0]! };
}

/** Where a browser with this person's session is sent back to, once they have allowed what is asked for. */
export async function authorize(
  client: Registered,
  person: Person,
  request: Record<string, string | null> = {},
): Promise<URL> {
  const agent = newUserAgent(client.url, person.sessionToken);
  // A nonce is of OpenID Connect: a client that does not ask for openid sends none.
  const isOpenid = request.scope?.split(' ').includes('openid') ?? true;
  const asked = { ...(!isOpenid && { nonce: null }), ...request };
  return goThrough(agent, await agent.open(authorizationUrl(client, asked)), person);
}

/** The tokens that a person's approval of these scopes gives. */
export async function tokensFor(client: Registered, person: Person, scope: string): Promise<TokenAnswer> {
  const { status, text, body } = await exchangeCode(client, await authorize(client, person, { scope }));
  if (status !== 200) throw new Error(`The code was answered ${status}: ${text}`);
  return body;
}

/** A client of the APIs that sends an access token and names no organization. */
export function holderOf({ url }: { url: string }, accessToken: string): Client {
  const client = clientOf({ url, orgId: '', apiKey: accessToken });
  const noTenant = { 'x-tenant-id': null };
  return {
    ...client,
    attempt: (name, parts, headers) => client.attempt(name, parts, { ...noTenant, ...headers }),
    send: (method, path, body, headers) => client.send(method, path, body, { ...noTenant, ...headers }),
    call: (name, input, headers) => client.call(name, input, { ...noTenant, ...headers }),
  };
}
