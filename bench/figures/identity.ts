import { compare } from '../compare.ts';
import type { Figure } from '../figure.ts';
import { type HttpRequest, loadWith } from '../load/http-request.ts';
import type { LoadResult } from '../load/result.ts';
import type { Options } from '../options.ts';
import { startServer } from '../processes.ts';
import type { BareProviderOptions } from '../servers/bare-provider.ts';
import type { BareScryptOptions } from '../servers/bare-scrypt.ts';
import { type Platform, startPlatform } from '../servers/platform.ts';
import { compareWithBare, getMe } from './beside-bare.ts';

const leastTokenRatio = 0.6;
const leastMeRatio = 0.15;
const connections = 32;
/**
 * Below the number of attempts after which an account is locked for an address: each attempt counts until it succeeds.
 */
const loginConnections = 8;
const scope = 'console.apps.read';
const formType = 'application/x-www-form-urlencoded';

type Client = { clientId: string; clientSecret: string };

/** Measures tokens per second, requests with each kind of credential, and password logins. */
export async function measureIdentity(options: Options): Promise<Figure[]> {
  const platform = await startPlatform();
  const client = await createClient(platform);
  const token = await requestToken(platform, client);
  const figures = [
    await compareTokens(options, platform, client),
    await compareWithBare(options, {
      name: 'GET /identity/me, API key',
      target: platform,
      request: getMe,
      atLeast: leastMeRatio,
    }),
    await compareWithBare(options, {
      name: 'GET /identity/me, access token',
      target: { ...platform, apiKey: token },
      request: getMe,
      atLeast: leastMeRatio,
    }),
    await compareLogins(options, platform),
  ];
  await platform.stop();
  return figures;
}

async function compareTokens(options: Options, platform: Platform, client: Client): Promise<Figure> {
  const bareOptions: BareProviderOptions = { ...client, scope };
  const bare = await startServer<{ port: number }>('servers/bare-provider.ts', bareOptions);
  const request = (path: string): HttpRequest => ({ method: 'POST', path, ...tokenForm(client), status: 200 });
  const figure = await compare(options, {
    name: 'access tokens by client credentials',
    subject: () => load(options, platform.port, request('/oauth2/token')),
    besideName: 'oidc-provider alone, in memory',
    beside: () => load(options, bare.address.port, request('/token')),
    unit: 'tokens/s',
    atLeast: leastTokenRatio,
  });
  await bare.stop();
  return figure;
}

async function compareLogins(options: Options, platform: Platform): Promise<Figure> {
  const parameters: BareScryptOptions = { costExponent: 14, blockSize: 8, parallelization: 5 };
  const bare = await startServer<{ port: number }>('servers/bare-scrypt.ts', parameters);
  const login = await loginRequest(platform);
  const figure = await compare(options, {
    name: 'logins with a password',
    subject: () => load(options, platform.port, login, loginConnections),
    besideName: 'scrypt alone',
    beside: () => load(options, bare.address.port, login, loginConnections),
    unit: 'logins/s',
  });
  await bare.stop();
  return figure;
}

function load(options: Options, port: number, request: HttpRequest, inFlight = connections): Promise<LoadResult> {
  const time = { seconds: options.seconds, warmUpSeconds: options.seconds / 3 };
  return loadWith(request, { ...time, port, connections: inFlight });
}

async function createClient({ port, apiKey }: Platform): Promise<Client> {
  const answer = await fetch(`http://127.0.0.1:${port}/applications/first-app/oauth-client`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ grantTypes: ['client_credentials'], redirectUris: [], scopes: [scope] }),
  });
  if (!answer.ok) throw new Error(`No OAuth client could be made: ${await answer.text()}`);
  return (await answer.json()) as Client;
}

async function requestToken({ port }: Platform, client: Client): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/oauth2/token`, { method: 'POST', ...tokenForm(client) });
  const { access_token: token } = (await answer.json()) as { access_token?: string };
  if (token === undefined) throw new Error('The platform gave no access token.');
  return token;
}

function tokenForm({ clientId, clientSecret }: Client): Pick<HttpRequest, 'headers'> & { body: string } {
  const fields = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope };
  return { headers: { 'Content-Type': formType }, body: String(new URLSearchParams(fields)) };
}

/** The login form of one browser, submitted repeatedly. */
async function loginRequest({ port, publicUrl, adminEmail, adminPassword }: Platform): Promise<HttpRequest> {
  const page = await fetch(`http://127.0.0.1:${port}/self-service/login/browser`);
  const text = await page.text();
  const cookie = page.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  const hidden = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1];
  if (hidden.length === 0 || action === undefined) throw new Error('The login page has no form.');
  const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
  return {
    method: 'POST',
    path: action,
    headers: { 'Content-Type': formType, Cookie: cookie.join('; '), Origin: publicUrl },
    body: String(new URLSearchParams({ ...fields, email: adminEmail, password: adminPassword })),
    status: 303,
  };
}
