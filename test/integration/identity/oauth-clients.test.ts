import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { idPattern, newId } from '../../../lib/data/ids.ts';
import { type Client, clientOf } from '../../support/client.ts';
import type { Answer, ErrorBody } from '../../support/http.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import type { Tenant } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';

type OAuthClient = { clientId: string; clientSecret?: string; previousSecretExpiresAt: string | null };
type Token = { access_token: string; error?: string };

let tenant: Client & Tenant;
let slug: string;
let path: string;
beforeAll(async () => {
  tenant = await newTenantClient({ plan: 'scale' });
});
beforeEach(async () => {
  slug = newId('app').replace('_', '-');
  path = `/applications/${slug}/oauth-client`;
  expect((await tenant.send('POST', '/applications', { name: 'Shop', slug })).status).toBe(201);
});

const machine = { grantTypes: ['client_credentials'], scopes: ['svc:read'] };
const web = {
  grantTypes: ['authorization_code', 'refresh_token'],
  redirectUris: ['https://app.example.com/callback'],
  scopes: ['openid', 'profile', 'email', 'offline_access'],
};

const save = (body: object, client: Client = tenant) => client.send<OAuthClient & ErrorBody>('POST', path, body);
const read = () => tenant.send<OAuthClient>('GET', path);

/** A token for a client by its secret; in the body, for both ways of RFC 6749 work for a client of Basic. */
function askToken({ clientId }: OAuthClient, secret: string): Promise<Answer<Token>> {
  const basic = Buffer.from(`${clientId}:${secret}`).toString('base64');
  return tenant.send<Token>('POST', '/oauth2/token', 'grant_type=client_credentials&scope=svc:read', {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${basic}`,
    'x-tenant-id': null,
  });
}

async function acts(action: string): Promise<Record<string, unknown>[]> {
  const log = `/organizations/${tenant.orgId.replace('_', '-')}/audit-log?action=${action}`;
  return (await tenant.send<{ data: Record<string, unknown>[] }>('GET', log)).body.data;
}

describe('POST /applications/:slug/oauth-client', () => {
  test('makes a client, and shows its secret once', async () => {
    const { status, body } = await save(machine);
    expect(status).toBe(201);
    expect(body).toEqual({
      clientId: expect.stringMatching(idPattern('cli')),
      clientSecret: expect.stringMatching(/^cs_[0-9A-Za-z]{30}$/),
      ...machine,
      redirectUris: [],
      postLogoutRedirectUris: [],
      tokenEndpointAuthMethod: 'client_secret_basic',
      previousSecretExpiresAt: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const { clientSecret, ...shown } = body;
    const again = await read();
    expect(again.body).toEqual(shown);
    expect(again.text).not.toMatch(/secret":|hash|cs_/);
    const [act] = await acts('oauth-client.created');
    expect(act).toMatchObject({ target: { type: 'oauth-client', id: body.clientId }, after: machine });
    expect(JSON.stringify(act)).not.toContain(clientSecret!.slice(3));
  });

  test('replays the first answer, with its secret, for the same Idempotency-Key', async () => {
    const key = { 'idempotency-key': newId('req') };
    const first = await tenant.send<OAuthClient>('POST', path, machine, key);
    const second = await tenant.send<OAuthClient>('POST', path, machine, key);
    expect(second.body).toEqual(first.body);
  });

  test('sets all fields as sent and replaces the secret, and the former one works on', async () => {
    const first = (await save(machine)).body;
    const second = (await save({ ...machine, scopes: ['svc:read', 'context.story.read'] })).body;
    expect(second.clientId).toBe(first.clientId);
    expect(second.clientSecret).not.toBe(first.clientSecret);
    expect(second).toMatchObject({ scopes: ['svc:read', 'context.story.read'] });
    const hours = (Date.parse(second.previousSecretExpiresAt!) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    for (const secret of [first.clientSecret, second.clientSecret]) {
      expect((await askToken(first, secret!)).status).toBe(200);
    }
    expect((await askToken(first, 'cs_000000000000000000000000000000')).status).toBe(401);
    const [act] = await acts('oauth-client.updated');
    expect(act).toMatchObject({
      before: { scopes: ['svc:read'] },
      after: { scopes: ['svc:read', 'context.story.read'] },
    });
  });

  test('makes one client of many creations at once, and every secret that was answered works', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => save(machine)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ body }) => body.clientId)).size).toBe(1);
    for (const { body } of answers) expect((await askToken(body, body.clientSecret!)).status).toBe(200);
  });

  test('makes a public client, which has no secret and may return to an app', async () => {
    const body = { ...web, redirectUris: ['com.example.app:/callback'], tokenEndpointAuthMethod: 'none' };
    const answer = await save(body);
    expect({ status: answer.status, redirectUris: (answer.body as object as typeof web).redirectUris }).toEqual({
      status: 201,
      redirectUris: ['com.example.app:/callback'],
    });
    expect(answer.body).not.toHaveProperty('clientSecret');
  });

  test.each([
    'https://app.example.com/callback',
    'https://app.example.com/callback?tenant=1',
    'https://app.example.com',
    'http://localhost:8080/callback',
    'http://127.0.0.1/callback',
    'http://[::1]:3000/callback',
  ])('takes the address %s as it is written', async (uri) => {
    const { status, body } = await save({ ...web, redirectUris: [uri], postLogoutRedirectUris: [uri] });
    expect(status).toBe(201);
    expect(body).toMatchObject({ redirectUris: [uri], postLogoutRedirectUris: [uri] });
  });

  test.each([
    '/callback',
    'app.example.com/callback',
    'nonsense',
    '',
    '//app.example.com',
    'https:app.example.com',
    'https:///app.example.com',
    'https:\\\\app.example.com',
    'https://app.example.com\\@evil.example',
    'http://app.example.com/callback',
    'http://localhost.evil.example/callback',
    'http://localhost@evil.example/callback',
    'https://user:password@app.example.com/',
    'https://user@app.example.com/',
    'https://@app.example.com/',
    'https://*.example.com/callback',
    'https://app.example.com/*',
    'https://app.example.com/#fragment',
    'https://app.example.com/#',
    'https://app.example.com/a b',
    ' https://app.example.com/',
    'https://app.example.com/\r\nLocation: x',
    'https://\u0435xample.com/',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://app.example.com/',
    'com.example.app:/callback',
    `https://app.example.com/${'x'.repeat(2100)}`,
  ])('refuses the address %j', async (uri) => {
    const after = await save({ ...web, redirectUris: ['https://ok.example.com/', uri] });
    expect({ status: after.status, path: after.body.details?.[0]?.path }).toEqual({
      status: 400,
      path: 'body.redirectUris.1',
    });
    const logout = await save({ ...web, postLogoutRedirectUris: [uri] });
    expect({ status: logout.status, path: logout.body.details?.[0]?.path }).toEqual({
      status: 400,
      path: 'body.postLogoutRedirectUris.0',
    });
    expect((await read()).status).toBe(404);
  });

  test.each([
    ['no grant type', { grantTypes: [] }, 'body.grantTypes'],
    ['an unknown grant type', { grantTypes: ['implicit'] }, 'body.grantTypes.0'],
    ['no address for authorization_code', { redirectUris: [] }, 'body.redirectUris'],
    ['refresh_token alone', { grantTypes: ['refresh_token'] }, 'body.grantTypes'],
    ['no scope', { scopes: [] }, 'body.scopes'],
    ['an unknown scope', { scopes: ['context.story.reed'] }, 'body.scopes.0'],
    [
      'more than 50 addresses',
      { redirectUris: Array.from({ length: 51 }, (_, n) => `https://a.example/${n}`) },
      'body.redirectUris',
    ],
    ['an unknown way of authentication', { tokenEndpointAuthMethod: 'tls' }, 'body.tokenEndpointAuthMethod'],
    ['a secret of its choice', { clientSecret: 'cs_1' }, 'body.clientSecret'],
    [
      'client_credentials without a secret',
      { grantTypes: ['client_credentials'], tokenEndpointAuthMethod: 'none' },
      'body.tokenEndpointAuthMethod',
    ],
  ])('refuses %s', async (_case, given, field) => {
    const { status, body } = await save({ ...web, ...given });
    expect({ status, path: body.details?.[0]?.path }).toEqual({ status: 400, path: field });
    expect((await read()).status).toBe(404);
  });

  test('grants no scope that the credential does not hold', async () => {
    const keys = `/applications/${tenant.applicationId}/api-keys`;
    const key = await tenant.send<{ token: string }>('POST', keys, { name: 'k', scopes: ['console.apps.write'] });
    const weak = clientOf({ ...tenant, apiKey: key.body.token });
    const refused = await save({ ...machine, scopes: ['context.story.read'] }, weak);
    expect({ status: refused.status, error: refused.body.error }).toEqual({ status: 403, error: 'SCOPE_NOT_HELD' });
    expect((await read()).status).toBe(404);
    expect((await save(web, weak)).status).toBe(201);
  });
});

describe('DELETE /applications/:slug/oauth-client', () => {
  test('removes the client, and its tokens fail', async () => {
    const { body } = await save(machine);
    const token = (await askToken(body, body.clientSecret!)).body.access_token;
    const ofToken = clientOf({ ...tenant, apiKey: token });
    expect((await ofToken.send('GET', '/identity/me')).status).toBe(200);
    expect((await tenant.send('DELETE', path)).status).toBe(204);
    await until(async () => (await ofToken.send('GET', '/identity/me')).status === 401);
    await until(async () => (await askToken(body, body.clientSecret!)).status === 401);
    expect((await read()).status).toBe(404);
    expect((await tenant.send('DELETE', path)).status).toBe(404);
    const [act] = await acts('oauth-client.deleted');
    expect(act).toMatchObject({ target: { type: 'oauth-client', id: body.clientId }, before: machine });
  });

  test('lets the application have a new client, with another id', async () => {
    const first = (await save(machine)).body;
    await tenant.send('DELETE', path);
    expect((await save(machine)).body.clientId).not.toBe(first.clientId);
  });
});
