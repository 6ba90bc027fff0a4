import { beforeAll, describe, expect, test } from '@jest/globals';
import { newApiKeyToken } from '../../../lib/security/api-key.ts';
import type { Headers } from '../../support/client.ts';
import { addApplication, makeSetting, type Setting, storedKeys, withKey } from './setting.ts';

let setting: Setting;
let path: string;
beforeAll(async () => {
  setting = await makeSetting();
  path = `/applications/${setting.tenant.applicationId}/api-keys`;
});

type ApiKey = { id: string; token: string };

async function create(scopes = ['svc:read']): Promise<ApiKey> {
  const { body } = await setting.client.send<ApiKey>('POST', path, { name: 'To be revoked', scopes });
  return body;
}

const me = (token: string) => withKey(setting.client, token).send('GET', '/identity/me');

describe('DELETE /applications/:id/api-keys/:keyId', () => {
  test('revokes the key: the very next request with it is refused', async () => {
    const { id, token } = await create();
    expect(await me(token)).toMatchObject({ status: 200 });
    const answer = await setting.client.send('DELETE', `${path}/${id}`);
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(await me(token)).toMatchObject({ status: 401, body: { error: 'CREDENTIAL_INVALID' } });
  });

  test('keeps the record of the key, with the time of its revocation', async () => {
    const { id } = await create();
    const before = Date.now();
    await setting.client.send('DELETE', `${path}/${id}`);
    const stored = (await storedKeys(setting, setting.tenant)).find(({ _id }) => _id === id)!;
    expect(stored.revokedAt).toEqual(stored.updatedAt);
    expect((stored.revokedAt as Date).getTime()).toBeGreaterThanOrEqual(before);
  });

  test('leaves every other key as it was', async () => {
    const [kept, revoked] = [await create(), await create()];
    await setting.client.send('DELETE', `${path}/${revoked.id}`);
    expect(await me(kept.token)).toMatchObject({ status: 200 });
  });

  test('revokes the key that the request itself carries', async () => {
    const { id, token } = await create(['console.apps.write']);
    expect(await withKey(setting.client, token).send('DELETE', `${path}/${id}`)).toMatchObject({ status: 204 });
    expect(await me(token)).toMatchObject({ status: 401 });
  });

  test('of ten at once revokes once', async () => {
    const { id } = await create();
    const answers = await Promise.all(Array.from({ length: 10 }, () => setting.client.send('DELETE', `${path}/${id}`)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([204, ...Array.from({ length: 9 }, () => 404)]);
  });
});

describe('DELETE /applications/:id/api-keys/:keyId refuses', () => {
  /** Runs a request that must be refused, and shows that it changed nothing. */
  async function refused(given: string, headers?: Headers, client = setting.client) {
    const before = await storedKeys(setting, setting.tenant);
    const strangers = await storedKeys(setting, setting.stranger);
    const { status, body } = await client.send('DELETE', given, undefined, headers);
    expect(await storedKeys(setting, setting.tenant)).toEqual(before);
    expect(await storedKeys(setting, setting.stranger)).toEqual(strangers);
    return { status, error: body.error, message: body.message };
  }

  const noKey = {
    status: 404,
    error: 'NOT_FOUND',
    message: 'The application has no such API key, or it is revoked already.',
  };

  test('a key that is revoked already', async () => {
    const { id } = await create();
    await setting.client.send('DELETE', `${path}/${id}`);
    expect(await refused(`${path}/${id}`)).toEqual(noKey);
  });

  test('a key of another organization, by its own application, by ours, and by its right name elsewhere', async () => {
    const { keyId, applicationId, apiKey } = setting.stranger;
    expect(await refused(`${path}/${keyId}`)).toEqual(noKey);
    expect(await refused(`/applications/${applicationId}/api-keys/${keyId}`)).toEqual(noKey);
    expect(await refused(`/applications/${applicationId}/api-keys/${setting.tenant.keyId}`)).toEqual(noKey);
    expect(await me(setting.tenant.apiKey)).toMatchObject({ status: 200 });
    const asStranger = { authorization: `Bearer ${apiKey}`, 'x-tenant-id': null };
    expect(await refused(`${path}/${setting.tenant.keyId}`, asStranger)).toEqual(noKey);
  });

  test('a key of another application of the same organization', async () => {
    const sibling = await addApplication(setting, setting.tenant);
    expect(await refused(`/applications/${sibling}/api-keys/${setting.tenant.keyId}`)).toEqual(noKey);
  });

  test.each(['key_1', '$ne', '%7B%22$gt%22:%22%22%7D', 'a%2Fb', newApiKeyToken()])('the key id %s', async (id) => {
    expect(await refused(`${path}/${id}`)).toEqual(noKey);
  });

  test('a path with a null byte', async () => {
    expect(await refused(`${path}/key%00`)).toMatchObject({ status: 400, error: 'PATH_INVALID' });
  });

  test.each<[string, Headers, number, string]>([
    ['no credential', { authorization: null }, 401, 'CREDENTIAL_REQUIRED'],
    ['an unknown key', { authorization: `Bearer ${newApiKeyToken()}` }, 401, 'CREDENTIAL_INVALID'],
    ['a tenant header that is no id', { 'x-tenant-id': 'first' }, 400, 'TENANT_INVALID'],
  ])('%s', async (_name, headers, status, error) => {
    expect(await refused(`${path}/${setting.tenant.keyId}`, headers)).toMatchObject({ status, error });
  });

  test('our tenant header with a key of another organization, and theirs with ours', async () => {
    const authorization = `Bearer ${setting.stranger.apiKey}`;
    const target = `${path}/${setting.tenant.keyId}`;
    expect(await refused(target, { authorization })).toMatchObject({ status: 403, error: 'TENANT_MISMATCH' });
    const theirs = { 'x-tenant-id': setting.stranger.orgId };
    expect(await refused(target, theirs)).toMatchObject({ status: 403, error: 'TENANT_MISMATCH' });
  });

  test('whoever may only read applications, and whoever holds only service permissions', async () => {
    for (const scopes of [['console.apps.read'], ['svc:write']]) {
      const { token } = await create(scopes);
      const client = withKey(setting.client, token);
      expect(await refused(`${path}/${setting.tenant.keyId}`, {}, client)).toMatchObject({
        status: 403,
        error: 'PERMISSION_DENIED',
      });
    }
  });

  test('a query parameter', async () => {
    expect(await refused(`${path}/${setting.tenant.keyId}?force=true`)).toMatchObject({
      status: 400,
      error: 'INPUT_INVALID',
    });
  });

  test('every key at once', async () => {
    expect(await refused(path)).toMatchObject({ status: 405, error: 'METHOD_NOT_ALLOWED' });
  });
});
