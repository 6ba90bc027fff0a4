import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { idPattern, newId } from '../../../lib/data/ids.ts';
import { isApiKeyToken, newApiKeyToken } from '../../../lib/security/api-key.ts';
import { hashToken } from '../../../lib/security/token-hash.ts';
import type { ApiKeyDocument } from '../../../models/identity/api-key.ts';
import { toApiKeyDocument } from '../../../services/identity/new-api-key.ts';
import type { Client, Headers } from '../../support/client.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { changeApiKey, createTenant, databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { instantFromNow, makeSetting, type Setting, storedKeys, withKey } from './setting.ts';

let setting: Setting;
let path: string;
beforeAll(async () => {
  setting = await makeSetting();
  path = `/applications/${setting.tenant.applicationId}/api-keys`;
});

const hour = 3_600_000;
const body = { name: 'Shop backend', scopes: ['svc:read'] };
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

type ApiKey = {
  id: string;
  name: string;
  token: string;
  scopes: string[];
  expiresAt: string | null;
  createdAt: string;
};

function create(given: unknown, headers?: Headers, client: Client = setting.client) {
  return client.send<ApiKey>('POST', path, given, headers);
}

describe('POST /applications/:id/api-keys', () => {
  test('makes a key and shows its token', async () => {
    const expiresAt = instantFromNow(hour);
    const answer = await create({ ...body, expiresAt });
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({
      id: expect.stringMatching(idPattern('key')),
      name: 'Shop backend',
      scopes: ['svc:read'],
      token: expect.stringMatching(/^svc_live_[0-9A-Za-z]{36}$/),
      expiresAt,
      lastUsedAt: null,
      createdAt: expect.stringMatching(timestamp),
      updatedAt: answer.body.createdAt,
    });
    expect(isApiKeyToken(answer.body.token)).toBe(true);
  });

  test('keeps a thousand keys that have ended, without the oldest', async () => {
    const own = await makeSetting();
    const { orgId, applicationId } = own.tenant;
    const ended = Array.from({ length: 1001 }, (_, at) => ({
      ...toApiKeyDocument({
        _id: newId('key'),
        orgId,
        applicationId,
        name: `${at}`,
        scopes: [],
        token: newApiKeyToken(),
      }),
      ...(at % 2 === 0 ? { revokedAt: new Date(0) } : { expiresAt: new Date(0) }),
    }));
    await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
      database.collection<ApiKeyDocument>('identity_api_keys').insertMany(ended),
    );
    const answer = await own.client.send('POST', `/applications/${applicationId}/api-keys`, body);
    expect(answer.status).toBe(201);
    const stored = await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
      database.collection<ApiKeyDocument>('identity_api_keys').find({ orgId }).toArray(),
    );
    const names = new Set(stored.map(({ name }) => name));
    expect([names.has('0'), names.has('1000'), names.has('Shop backend')]).toEqual([false, true, true]);
    expect(stored.filter(({ revokedAt, expiresAt }) => revokedAt ?? expiresAt).length).toBeLessThanOrEqual(1000);
    expect(await own.client.send('GET', '/identity/me')).toMatchObject({ status: 200 });
  });

  test('makes a key that works at once, with its scopes and no others', async () => {
    const { body: key } = await create({ ...body, scopes: ['console.apps.read'] });
    const client = withKey(setting.client, key.token);
    expect(await client.send('GET', '/identity/me')).toMatchObject({
      status: 200,
      body: { keyId: key.id, scopes: ['console.apps.read'], id: setting.tenant.applicationId },
    });
    expect(await client.send('GET', path)).toMatchObject({ status: 200 });
    expect(await create(body, {}, client)).toMatchObject({ status: 403, body: { error: 'PERMISSION_DENIED' } });
  });

  test('stores the hash of the token and nothing it could be made from', async () => {
    const { body: key } = await create(body);
    const stored = (await storedKeys(setting, setting.tenant)).find(({ _id }) => _id === key.id);
    expect(stored).toMatchObject({ tokenHash: hashToken(key.token), revokedAt: null });
    expect(JSON.stringify(stored)).not.toContain(key.token.slice(9, 20));
  });

  test.each<[string, object, object]>([
    ['without an expiry never expires', {}, { expiresAt: null }],
    ['with the expiry null never expires', { expiresAt: null }, { expiresAt: null }],
    ['has its name without the space around it', { name: '  Till 4\n' }, { name: 'Till 4' }],
    ['may have a name of 100 characters', { name: 'ü'.repeat(100) }, { name: 'ü'.repeat(100) }],
    [
      'has each scope once, in the order sent',
      { scopes: ['svc:write', 'mail.send', 'svc:write'] },
      {
        scopes: ['svc:write', 'mail.send'],
      },
    ],
    [
      'may have a permission of the tenant as its scope',
      { scopes: ['shop.orders.refund'] },
      {
        scopes: ['shop.orders.refund'],
      },
    ],
    ['may have everything its maker has', { scopes: ['svc:admin'] }, { scopes: ['svc:admin'] }],
  ])('a key %s', async (_name, given, shown) => {
    expect(await create({ ...body, ...given })).toMatchObject({ status: 201, body: shown });
  });
});

describe('POST /applications/:id/api-keys refuses', () => {
  const over = (limit: number) => ({ ...body, name: 'x'.repeat(limit - JSON.stringify({ ...body, name: '' }).length) });
  const bodyLimitBytes = 100 * 1024;

  /** Runs a request that must be refused, and shows that it changed nothing. */
  async function refused(request: () => ReturnType<typeof create>) {
    const before = await storedKeys(setting, setting.tenant);
    const { status, body: answer, headers } = await request();
    expect(await storedKeys(setting, setting.tenant)).toEqual(before);
    const { error, details, message } = answer as unknown as { error: string; message: string; details?: object[] };
    return { status, error, message, details, headers };
  }

  test.each<[string, unknown, string]>([
    ['no body', undefined, 'body'],
    ['an array', [body], 'body'],
    ['null', null, 'body'],
    ['a text', '"key"', 'body'],
    ['no name', { scopes: body.scopes }, 'body.name'],
    ['an empty name', { ...body, name: '' }, 'body.name'],
    ['a name of spaces', { ...body, name: ' \t ' }, 'body.name'],
    ['a name of 101 characters', { ...body, name: 'x'.repeat(101) }, 'body.name'],
    ['a name with a control character', { ...body, name: 'a\u0000b' }, 'body.name'],
    ['a name with half a character', { ...body, name: 'a\ud800b' }, 'body.name'],
    ['a number for a name', { ...body, name: 4 }, 'body.name'],
    ['an operator for a name', { ...body, name: { $gt: '' } }, 'body.name'],
    ['no scopes', { name: body.name }, 'body.scopes'],
    ['an empty list of scopes', { ...body, scopes: [] }, 'body.scopes'],
    ['a scope outside a list', { ...body, scopes: 'svc:read' }, 'body.scopes'],
    ['51 scopes', { ...body, scopes: Array.from({ length: 51 }, (_, place) => `shop.x${place}`) }, 'body.scopes'],
    ['an operator for scopes', { ...body, scopes: { $ne: [] } }, 'body.scopes'],
    ['a scope that is no text', { ...body, scopes: ['svc:read', 1] }, 'body.scopes.1'],
    ['an unknown group of scopes', { ...body, scopes: ['svc:all'] }, 'body.scopes.0'],
    ['a scope of OAuth alone', { ...body, scopes: ['openid'] }, 'body.scopes.0'],
    ['a mistyped permission of the platform', { ...body, scopes: ['mail.sent'] }, 'body.scopes.0'],
    ['an upper-case permission', { ...body, scopes: ['Mail.send'] }, 'body.scopes.0'],
    ['a pattern of permissions', { ...body, scopes: ['mail.*'] }, 'body.scopes.0'],
    ['an expiry in the past', { ...body, expiresAt: instantFromNow(-1) }, 'body.expiresAt'],
    ['an expiry in words', { ...body, expiresAt: 'tomorrow' }, 'body.expiresAt'],
    ['an expiry as a number', { ...body, expiresAt: Date.now() + hour }, 'body.expiresAt'],
    ['an expiry of a date alone', { ...body, expiresAt: '2040-01-31' }, 'body.expiresAt'],
    ['an expiry without milliseconds', { ...body, expiresAt: '2040-01-31T12:00:00Z' }, 'body.expiresAt'],
    ['an expiry with an offset', { ...body, expiresAt: '2040-01-31T12:00:00.000+02:00' }, 'body.expiresAt'],
    ['an expiry on no day', { ...body, expiresAt: '2040-02-30T12:00:00.000Z' }, 'body.expiresAt'],
    ['an operator for an expiry', { ...body, expiresAt: { $gt: '' } }, 'body.expiresAt'],
    ['a token of its own', { ...body, token: newApiKeyToken() }, 'body.token'],
    ['an id of its own', { ...body, id: 'key_1' }, 'body.id'],
    ['another organization', { ...body, orgId: 'org_1' }, 'body.orgId'],
    ['a prototype', `{"name":"x","scopes":["svc:read"],"__proto__":{"a":1}}`, 'body.__proto__'],
    ['a body nested 1,000 deep', '['.repeat(1000) + ']'.repeat(1000), 'body'],
  ])('%s with 400 that names the field', async (_name, given, field) => {
    const { status, error, details } = await refused(() => create(given));
    expect({ status, error, details }).toEqual({
      status: 400,
      error: 'INPUT_INVALID',
      details: [{ path: field, message: expect.stringMatching(/^[A-Z].+/) }],
    });
  });

  test('several wrong fields with every one of them', async () => {
    const { details } = await refused(() => create({ name: '', scopes: ['x'], more: 1 }));
    expect(details).toMatchObject([{ path: 'body.name' }, { path: 'body.scopes.0' }, { path: 'body.more' }]);
  });

  test.each([
    ['a body that is no JSON', '{"name":', {}, 400, 'JSON_MALFORMED'],
    ['a body that is not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), {}, 400, 'JSON_MALFORMED'],
    ['a body one byte over the limit', over(bodyLimitBytes + 1), {}, 413, 'BODY_TOO_LARGE'],
    ['a form', 'name=x', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'CONTENT_TYPE_UNSUPPORTED'],
    ['a body without a type', body, { 'content-type': null }, 415, 'CONTENT_TYPE_UNSUPPORTED'],
    ['a compressed body', body, { 'content-encoding': 'gzip' }, 415, 'CONTENT_TYPE_UNSUPPORTED'],
    ['a tenant header that is no id', body, { 'x-tenant-id': "' or 1=1" }, 400, 'TENANT_INVALID'],
    ['an Idempotency-Key with a space', body, { 'idempotency-key': 'a b' }, 400, 'INPUT_INVALID'],
    ['an Idempotency-Key of 256 characters', body, { 'idempotency-key': 'x'.repeat(256) }, 400, 'INPUT_INVALID'],
    ['no credential', body, { authorization: null }, 401, 'CREDENTIAL_REQUIRED'],
    ['an unknown key', body, { authorization: `Bearer ${newApiKeyToken()}` }, 401, 'CREDENTIAL_INVALID'],
    ['a key of no known form', body, { authorization: 'Bearer svc_live_1' }, 401, 'CREDENTIAL_INVALID'],
  ])('%s', async (_name, given, headers, status, error) => {
    expect(await refused(() => create(given, headers as Headers))).toMatchObject({ status, error });
  });

  test('a body at the limit for its name alone', async () => {
    expect(await refused(() => create(over(bodyLimitBytes)))).toMatchObject({
      status: 400,
      details: [{ path: 'body.name' }],
    });
  });

  test('a query parameter', async () => {
    const { status, details } = await refused(() => setting.client.send('POST', `${path}?name=x`, body));
    expect({ status, details }).toMatchObject({ status: 400, details: [{ path: 'query.name' }] });
  });

  test('whoever may only read applications, and whoever holds only service permissions', async () => {
    for (const scopes of [['console.apps.read'], ['svc:write'], ['mail.send', 'svc:read']]) {
      const { body: key } = await create({ ...body, scopes });
      const answer = await refused(() => create(body, {}, withKey(setting.client, key.token)));
      expect(answer).toMatchObject({
        status: 403,
        error: 'PERMISSION_DENIED',
        message: 'The credential lacks the permission console.apps.write.',
      });
    }
  });

  test.each([
    [['console.apps.write'], 'svc:admin'],
    [['console.apps.write'], 'svc:read'],
    [['console.apps.write'], 'console.apps.read'],
    [['console.apps.write', 'svc:read'], 'svc:write'],
    [['console.apps.write', 'svc:read'], 'context.events.write'],
    [['console.apps.write', 'svc:write'], 'console.users.read'],
    [['console.apps.write', 'shop.orders.read'], 'shop.orders.refund'],
  ])('to let a holder of %j grant %s', async (held, wanted) => {
    const { body: key } = await create({ ...body, scopes: held });
    const scopes = [held[0], wanted];
    const answer = await refused(() => create({ ...body, scopes }, {}, withKey(setting.client, key.token)));
    expect(answer).toMatchObject({ status: 403, error: 'SCOPE_NOT_HELD', message: expect.stringContaining(wanted) });
  });

  test('a key of another organization: 403 with our tenant header, 404 without one', async () => {
    const authorization = `Bearer ${setting.stranger.apiKey}`;
    expect(await refused(() => create(body, { authorization }))).toMatchObject({
      status: 403,
      error: 'TENANT_MISMATCH',
    });
    expect(await refused(() => create(body, { authorization, 'x-tenant-id': null }))).toMatchObject({
      status: 404,
      error: 'NOT_FOUND',
    });
  });

  test("an application that is not the organization's, whether it exists elsewhere or nowhere, in the same words", async () => {
    const elsewhere = setting.stranger.applicationId;
    const nowhere = `${elsewhere.slice(0, -4)}zzzz`;
    const answers = [];
    for (const id of [elsewhere, nowhere, 'x', '$ne', '%7B%7D', 'first-app', 'a%2Fb']) {
      const { status, error, message } = await refused(() =>
        setting.client.send('POST', `/applications/${id}/api-keys`, body),
      );
      answers.push({ status, error, message });
    }
    const refusal = {
      status: 404,
      error: 'NOT_FOUND',
      message: 'There is no such application in your organization.',
    };
    expect(answers).toEqual(answers.map(() => refusal));
    expect(await storedKeys(setting, setting.stranger)).toHaveLength(1);
  });

  test('another method with the methods there are', async () => {
    const { status, headers } = await refused(() => setting.client.send('PUT', path, body));
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD, OPTIONS, POST' });
  });
});

describe('POST /applications/:id/api-keys with an Idempotency-Key', () => {
  test('makes one key however often it is repeated, and answers the same', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const before = await storedKeys(setting, setting.tenant);
    const first = await create(body, headers);
    const second = await create({ scopes: body.scopes, name: body.name }, headers);
    expect(first.status).toBe(201);
    expect(second).toMatchObject({ status: 201, body: first.body, headers: { 'idempotency-replayed': 'true' } });
    expect(await storedKeys(setting, setting.tenant)).toHaveLength(before.length + 1);
  });

  test('makes one key of ten requests at once', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const before = await storedKeys(setting, setting.tenant);
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(body, headers)));
    const outcomes = answers.map(({ status, body: answer }) => `${status} ${answer.id ?? 'in progress'}`);
    const made = await storedKeys(setting, setting.tenant);
    expect(made).toHaveLength(before.length + 1);
    const id = made.at(-1)?._id;
    expect(outcomes).toContain(`201 ${id}`);
    expect(outcomes.filter((outcome) => outcome !== `201 ${id}` && outcome !== '409 in progress')).toEqual([]);
  });

  test('replays a key that has expired since', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const given = { ...body, expiresAt: instantFromNow(hour) };
    const first = await create(given, headers);
    await changeApiKey(setting.databaseUrl, first.body.id, { expiresAt: new Date(Date.now() - 1) });
    const client = withKey(setting.client, first.body.token);
    await until(async () => (await client.send('GET', '/identity/me')).status === 401);
    expect(await create(given, headers)).toMatchObject({ status: 201, body: first.body });
  });

  test.each<[string, object]>([
    ['name', { name: 'Another' }],
    ['scopes', { scopes: ['svc:write'] }],
    ['expiry', { expiresAt: '2040-01-31T12:00:00.000Z' }],
  ])('refuses it for a request with another %s, and makes nothing', async (_field, change) => {
    const headers = { 'idempotency-key': randomUUID() };
    await create(body, headers);
    const before = await storedKeys(setting, setting.tenant);
    expect(await create({ ...body, ...change }, headers)).toMatchObject({
      status: 409,
      body: { error: 'IDEMPOTENCY_MISMATCH' },
    });
    expect(await storedKeys(setting, setting.tenant)).toEqual(before);
  });

  test('does not show the token to a credential with other scopes', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const given = { ...body, scopes: ['svc:admin'] };
    await create(given, headers);
    const { body: weak } = await create({ ...body, scopes: ['console.apps.write'] });
    const answer = await create(given, headers, withKey(setting.client, weak.token));
    expect(answer).toMatchObject({ status: 409, body: { error: 'IDEMPOTENCY_MISMATCH' } });
    expect(answer.text).not.toContain('svc_live_');
  });

  test('does not meet the same Idempotency-Key of another organization', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await create(body, headers);
    const { applicationId, apiKey, orgId } = await createTenant(setting.databaseUrl);
    const other = await setting.client.send<ApiKey>('POST', `/applications/${applicationId}/api-keys`, body, {
      ...headers,
      authorization: `Bearer ${apiKey}`,
      'x-tenant-id': orgId,
    });
    expect(other.status).toBe(201);
    expect(other.body.token).not.toBe(first.body.token);
  });

  test('may be used again for the corrected request after a refusal', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const wrong = `/applications/${setting.stranger.applicationId}/api-keys`;
    expect(await setting.client.send('POST', wrong, body, headers)).toMatchObject({ status: 404 });
    expect(await create(body, headers)).toMatchObject({ status: 201 });
  });
});
