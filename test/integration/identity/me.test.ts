import { beforeAll, describe, expect, test } from '@jest/globals';
import { newApiKeyToken } from '../../../lib/security/api-key.ts';
import { send } from '../../support/http.ts';
import { createTenant, withDatabase } from '../../support/tenants.ts';
import { makeSetting, type Setting } from './setting.ts';

let setting: Setting;
beforeAll(async () => {
  setting = await makeSetting();
});

describe('GET /identity/me', () => {
  test('answers the application that the key belongs to, and what the key may do', async () => {
    const { tenant, client } = setting;
    const { status, body } = await client.send('GET', '/identity/me');
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        type: 'application',
        id: tenant.applicationId,
        slug: tenant.applicationId.replace('_', '-'),
        name: 'Application of a test',
        orgId: tenant.orgId,
        scopes: ['svc:admin'],
        keyId: tenant.keyId,
      },
    });
  });

  test('needs no tenant header and no permission', async () => {
    const { orgId, apiKey } = await createTenant(setting.databaseUrl, { scopes: ['mail.send'] });
    const headers = { authorization: `Bearer ${apiKey}` };
    const { status, body } = await send(setting.url, { path: '/identity/me', headers });
    expect({ status, body }).toMatchObject({ status: 200, body: { orgId, scopes: ['mail.send'] } });
  });

  test('takes the scheme in any case, as RFC 9110 says', async () => {
    const headers = { authorization: `bEARER ${setting.tenant.apiKey}` };
    expect(await send(setting.url, { path: '/identity/me', headers })).toMatchObject({ status: 200 });
  });

  test('answers HEAD like GET, without a body', async () => {
    expect(await setting.client.send('HEAD', '/identity/me')).toMatchObject({ status: 200, text: '' });
  });

  test.each<[string, string | null, string, string]>([
    ['no credential', null, 'CREDENTIAL_REQUIRED', 'Bearer realm="platform"'],
    ['another scheme', 'Basic dXNlcjpwYXNz', 'CREDENTIAL_INVALID', 'Bearer realm="platform", error="invalid_token"'],
    ['no token', 'Bearer ', 'CREDENTIAL_INVALID', 'Bearer realm="platform", error="invalid_token"'],
    ['a token of no known form', 'Bearer abc', 'CREDENTIAL_INVALID', 'Bearer realm="platform", error="invalid_token"'],
    [
      'a key that nobody was given',
      `Bearer ${newApiKeyToken()}`,
      'CREDENTIAL_INVALID',
      'Bearer realm="platform", error="invalid_token"',
    ],
    [
      'two tokens',
      `Bearer ${newApiKeyToken()} ${newApiKeyToken()}`,
      'CREDENTIAL_INVALID',
      'Bearer realm="platform", error="invalid_token"',
    ],
  ])('refuses %s with 401 and a challenge', async (_name, authorization, error, challenge) => {
    const { status, body, headers } = await setting.client.send('GET', '/identity/me', undefined, { authorization });
    expect({ status, error: body.error, challenge: headers['www-authenticate'] }).toEqual({
      status: 401,
      error,
      challenge,
    });
  });

  test('refuses a key with one character mistyped', async () => {
    const { apiKey } = setting.tenant;
    const mistyped = apiKey.slice(0, 20) + (apiKey[20] === 'a' ? 'b' : 'a') + apiKey.slice(21);
    const headers = { authorization: `Bearer ${mistyped}` };
    expect(await setting.client.send('GET', '/identity/me', undefined, headers)).toMatchObject({ status: 401 });
  });

  test('refuses the key of an application that is gone', async () => {
    const gone = await createTenant(setting.databaseUrl);
    await withDatabase(setting.databaseUrl, (database) =>
      database.collection<{ _id: string }>('identity_applications').deleteOne({ _id: gone.applicationId }),
    );
    const headers = { authorization: `Bearer ${gone.apiKey}`, 'x-tenant-id': gone.orgId };
    const { status, body } = await setting.client.send('GET', '/identity/me', undefined, headers);
    expect({ status, error: body.error }).toEqual({ status: 401, error: 'CREDENTIAL_INVALID' });
  });

  test('refuses a tenant header of another organization, and one that is no id', async () => {
    const ask = (tenantId: string) =>
      setting.client.send('GET', '/identity/me', undefined, { 'x-tenant-id': tenantId });
    expect(await ask(setting.stranger.orgId)).toMatchObject({ status: 403, body: { error: 'TENANT_MISMATCH' } });
    expect(await ask('first')).toMatchObject({ status: 400, body: { error: 'TENANT_INVALID' } });
  });

  test('refuses a query parameter it does not know', async () => {
    expect(await setting.client.send('GET', '/identity/me?expand=all')).toMatchObject({
      status: 400,
      body: { error: 'INPUT_INVALID', details: [{ path: 'query.expand' }] },
    });
  });

  test('takes no POST and no PUT', async () => {
    const { status, body, headers } = await setting.client.send('PUT', '/identity/me');
    expect({ status, error: body.error, allow: headers.allow }).toEqual({
      status: 405,
      error: 'METHOD_NOT_ALLOWED',
      allow: 'DELETE, GET, HEAD, OPTIONS, PATCH',
    });
  });
});
