import { beforeAll, describe, expect, test } from '@jest/globals';
import * as openid from 'openid-client';
import { newId } from '../../../lib/data/ids.ts';
import { clientOf } from '../../support/client.ts';
import {
  authorizationUrl,
  authorize,
  Browser,
  follow,
  newBrowser,
  newOAuthClient,
  type OAuthClient,
} from '../../support/oauth.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { createTenant, databaseUrlOf, setTrust } from '../../support/tenants.ts';

const appUris = ['https://app.example/callback', 'com.example.app:/callback'];
const loopbackUris = ['http://127.0.0.1/callback', 'http://[::1]:8080/callback'];
const pkceCodeVerifier = openid.randomPKCECodeVerifier();
const code_challenge = await openid.calculatePKCECodeChallenge(pkceCodeVerifier);
const pkce = { code_challenge, code_challenge_method: 'S256' };

/** A client as its organization registers it by the API. */
async function register(registration: object): Promise<OAuthClient> {
  const platform = await sharedPlatform();
  const databaseUrl = await databaseUrlOf(platform);
  const tenant = await createTenant(databaseUrl);
  await setTrust(databaseUrl, tenant.orgId, true);
  const api = clientOf({ url: platform.url, ...tenant });
  const slug = newId('app').replace('_', '-');
  await api.send('POST', '/applications', { name: 'App', slug });
  const body = { grantTypes: ['authorization_code', 'refresh_token'], scopes: ['openid', 'email'], ...registration };
  const answer = await api.send<{ clientId: string }>('POST', `/applications/${slug}/oauth-client`, body);
  if (answer.status !== 201) throw new Error(answer.text);
  const { clientId } = answer.body;
  return { ...tenant, url: platform.url, databaseUrl, clientId, clientSecret: '', redirectUri: '' };
}

/** What the client is told at the address, or the status of the page that is shown instead. */
async function outcome(browser: Browser, client: OAuthClient, asked: Record<string, string>) {
  const { end, answer, visited } = await authorize(browser, client, { scope: 'openid email', ...pkce, ...asked });
  const address = end?.href.split('?')[0] ?? null;
  return { address, ...Object.fromEntries(end?.searchParams ?? []), status: answer.status, visited };
}

describe('a client without a secret', () => {
  let client: OAuthClient;
  beforeAll(async () => {
    client = await register({
      redirectUris: [...appUris, ...loopbackUris],
      postLogoutRedirectUris: ['com.example.app:/bye', 'http://127.0.0.1/bye'],
      tokenEndpointAuthMethod: 'none',
    });
  });

  test.each([...appUris, 'http://127.0.0.1:51004/callback', 'http://[::1]:9/callback'])(
    'gets its tokens at %s with openid-client',
    async (redirectUri) => {
      const { browser, user } = await newBrowser(client);
      const execute = [openid.allowInsecureRequests];
      const issuer = new URL(`${client.url}/oauth2`);
      const server = await openid.discovery(issuer, client.clientId, undefined, openid.None(), { execute });
      const state = openid.randomState();
      const asked = { redirect_uri: redirectUri, scope: 'openid email', state, ...pkce };
      const { end } = await follow(browser, openid.buildAuthorizationUrl(server, asked).href);
      const checks = { pkceCodeVerifier, expectedState: state };
      const tokens = await openid.authorizationCodeGrant(server, end!, checks);
      expect(tokens.claims()).toMatchObject({ sub: user.userId, email: user.email });
    },
  );

  test('is asked about each time where another app could pose as it, and once where it could not', async () => {
    const { browser } = await newBrowser(client);
    const [web, app] = appUris as [string, string];
    expect((await outcome(browser, client, { redirect_uri: web })).visited).toContain('consent');
    expect((await outcome(browser, client, { redirect_uri: web })).visited).not.toContain('consent');
    for (const redirect_uri of [app, 'http://127.0.0.1:5/callback']) {
      const told = { address: redirect_uri, error: 'consent_required', state: 'state-of-a-test' };
      expect(await outcome(browser, client, { redirect_uri, prompt: 'none' })).toMatchObject(told);
      expect((await outcome(browser, client, { redirect_uri })).visited).toContain('consent');
    }
  });

  test('is told of a refusal, and comes back after a logout, at an address of its scheme', async () => {
    const { browser } = await newBrowser(client);
    const [, app] = appUris as [string, string];
    const url = authorizationUrl(client, { scope: 'openid', redirect_uri: app, ...pkce });
    const denied = await follow(browser, url, 'deny');
    expect(denied.end!.href).toMatch(/^com\.example\.app:\/callback\?error=access_denied&/);
    for (const uri of ['com.example.app:/bye', 'http://127.0.0.1:8000/bye']) {
      const query = { client_id: client.clientId, post_logout_redirect_uri: uri };
      const { end } = await follow(
        new Browser(client.url),
        `${client.url}/oauth2/session/end?${new URLSearchParams(query)}`,
      );
      expect(end!.href).toBe(uri);
    }
  });

  test('cannot choose another host, path, scheme or query with the port', async () => {
    const { browser } = await newBrowser(client);
    for (const redirect_uri of [
      'http://127.0.0.1:51004/callback/',
      'http://127.0.0.1:51004/callback?a=b',
      'http://127.0.0.1:51004/Callback',
      'http://127.0.0.1:51004',
      'http://127.0.0.2:51004/callback',
      'http://localhost:51004/callback',
      'http://[::2]:51004/callback',
      'https://127.0.0.1:51004/callback',
      'http://127.0.0.1:51004@evil.example/callback',
      'http://user@127.0.0.1:51004/callback',
      'http://127.0.0.1.evil.example:51004/callback',
      'http://127.0.0.1:/callback',
      'http://127.0.0.1:65536/callback',
      'http://127.0.0.1:51004/x/../callback',
      'http://127.0.0.1:51004\\@evil.example/callback',
      'https://app.example:8443/callback',
      'com.example.app:/callback2',
      'com.example.app://callback',
      'com.example.other:/callback',
    ]) {
      const { address, status } = await outcome(browser, client, { redirect_uri });
      expect({ redirect_uri, address, status }).toEqual({ redirect_uri, address: null, status: 400 });
    }
  });
});

describe('an address that can be registered', () => {
  test.each([
    'com.example.app:callback',
    'com.example.app://callback?a=b',
    'COM.example.app:/',
    'https://localhost/callback',
    'https://127.0.0.1:8443/callback',
    'http://localhost/callback',
    'http://127.1/callback',
  ])('can be used: %s', async (uri) => {
    const redirectUris = ['https://app.example/callback', uri];
    const client = await register({ redirectUris, tokenEndpointAuthMethod: 'none' });
    for (const redirect_uri of redirectUris) {
      const { browser } = await newBrowser(client);
      expect(await outcome(browser, client, { redirect_uri })).toMatchObject({ code: expect.any(String) });
    }
  });
});

describe('a client with a secret', () => {
  test('may return to any port of the loopback interface, and is asked about once', async () => {
    const client = await newOAuthClient({ redirectUris: loopbackUris });
    const { browser } = await newBrowser(client);
    const uris = ['http://127.0.0.1/callback', 'http://127.0.0.1:65535/callback', 'http://[::1]/callback'];
    for (const [index, redirect_uri] of uris.entries()) {
      const told = await outcome(browser, client, { redirect_uri });
      expect(told).toMatchObject({ address: redirect_uri, code: expect.any(String) });
      expect(told.visited.includes('consent')).toBe(index === 0);
    }
  });
});

describe('an error of a client of an organization without trust', () => {
  test('leads to the loopback interface by way of the page that asks, which names the port', async () => {
    const client = await newOAuthClient({ redirectUris: ['http://127.0.0.1/callback'], isTrusted: false });
    const redirect_uri = 'http://127.0.0.1:51004/callback';
    const { headers } = await new Browser(client.url).go(authorizationUrl(client, { redirect_uri, prompt: 'none' }));
    const page = await new Browser(client.url).go(headers.location!);
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('http://127.0.0.1:51004') });
  });

  test('stays here where it would start an app', async () => {
    const redirectUris = ['com.example.app:/callback'];
    const client = await newOAuthClient({ isPublic: true, redirectUris, isTrusted: false });
    const { status, headers } = await new Browser(client.url).go(authorizationUrl(client, { prompt: 'none', ...pkce }));
    expect({ status, location: headers.location }).toEqual({ status: 400, location: undefined });
  });
});
