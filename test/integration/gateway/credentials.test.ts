import { beforeAll, describe, expect, test } from '@jest/globals';
import { newApiKeyToken } from '../../../lib/security/api-key.ts';
import type { Client } from '../../support/client.ts';
import { eventOf } from '../../support/events.ts';
import { send } from '../../support/http.ts';
import { newBrowser, newOAuthClient, tokensOf } from '../../support/oauth.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { changeApiKey, databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';

type Party = Client & Tenant;
let own: Party;
let other: Party;
let expired: Party;
let revoked: Party;

const storedEvents = async (orgId: string): Promise<number> =>
  withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
    database.collection('context_events').countDocuments({ orgId }),
  );

beforeAll(async () => {
  [own, other, expired, revoked] = await Promise.all([
    newTenantClient(),
    newTenantClient(),
    newTenantClient(),
    newTenantClient(),
  ]);
  const databaseUrl = await databaseUrlOf(await sharedPlatform());
  await changeApiKey(databaseUrl, expired.keyId, { expiresAt: new Date(Date.now() - 1) });
  await changeApiKey(databaseUrl, revoked.keyId, { revokedAt: new Date() });
});

const mistype = (token: string) => `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`;

type Case = [what: string, headers: () => Record<string, string | string[] | null>, status: number, error: string];

const cases: Case[] = [
  ['no credential', () => ({ authorization: null }), 401, 'CREDENTIAL_REQUIRED'],
  ['an empty credential', () => ({ authorization: '' }), 401, 'CREDENTIAL_INVALID'],
  ['a malformed credential', () => ({ authorization: 'Bearer key' }), 401, 'CREDENTIAL_INVALID'],
  ['a scheme alone', () => ({ authorization: 'Bearer' }), 401, 'CREDENTIAL_INVALID'],
  ['the key without a scheme', () => ({ authorization: own.apiKey }), 401, 'CREDENTIAL_INVALID'],
  ['Basic in place of Bearer', () => ({ authorization: `Basic ${own.apiKey}` }), 401, 'CREDENTIAL_INVALID'],
  ['a mistyped key', () => ({ authorization: `Bearer ${mistype(own.apiKey)}` }), 401, 'CREDENTIAL_INVALID'],
  ['a key nobody made', () => ({ authorization: `Bearer ${newApiKeyToken()}` }), 401, 'CREDENTIAL_INVALID'],
  ['a key that is 10,000 long', () => ({ authorization: `Bearer ${'a'.repeat(10_000)}` }), 401, 'CREDENTIAL_INVALID'],
  ['an expired key', () => ({ authorization: `Bearer ${expired.apiKey}` }), 401, 'CREDENTIAL_INVALID'],
  ['a revoked key', () => ({ authorization: `Bearer ${revoked.apiKey}` }), 401, 'CREDENTIAL_INVALID'],
  ['a key in a cookie', () => ({ authorization: null, cookie: `token=${own.apiKey}` }), 401, 'CREDENTIAL_REQUIRED'],
  ['a key in x-api-key', () => ({ authorization: null, 'x-api-key': own.apiKey }), 401, 'CREDENTIAL_REQUIRED'],
  ["another organization's key", () => ({ authorization: `Bearer ${other.apiKey}` }), 403, 'TENANT_MISMATCH'],
  ["another organization's tenant", () => ({ 'x-tenant-id': other.orgId }), 403, 'TENANT_MISMATCH'],
  ['no tenant', () => ({ 'x-tenant-id': null }), 400, 'TENANT_REQUIRED'],
  ['an empty tenant', () => ({ 'x-tenant-id': '' }), 400, 'TENANT_INVALID'],
  ['a malformed tenant', () => ({ 'x-tenant-id': 'org_1' }), 400, 'TENANT_INVALID'],
  ['an operator for a tenant', () => ({ 'x-tenant-id': '{"$gt":""}' }), 400, 'TENANT_INVALID'],
  ['two tenants', () => ({ 'x-tenant-id': [own.orgId, other.orgId] }), 400, 'TENANT_INVALID'],
  ['the same tenant twice', () => ({ 'x-tenant-id': [own.orgId, own.orgId] }), 400, 'TENANT_INVALID'],
];

describe.each(cases)('a request with %s', (_what, headers, status, error) => {
  test(`is ${status} ${error} and stores nothing`, async () => {
    const before = await storedEvents(own.orgId);
    for (const [method, path, body] of [
      ['POST', '/events', eventOf(own.orgId)],
      ['POST', '/events/batch', { events: [eventOf(own.orgId)] }],
      ['GET', '/v1/story/customers/nobody'],
      ['DELETE', '/v1/story/customers/nobody'],
    ] as const) {
      const answer = await own.send(method, path, body, headers());
      expect({ path, status: answer.status, error: answer.body.error }).toEqual({ path, status, error });
      expect(answer.headers['www-authenticate'] !== undefined).toBe(status === 401);
      expect(answer.text).not.toContain(own.apiKey);
    }
    expect(await storedEvents(own.orgId)).toBe(before);
  });
});

describe('a credential', () => {
  test('in the query is not taken, and refused where no parameter of that name exists', async () => {
    const { status } = await own.send('GET', `/identity/me?access_token=${own.apiKey}`, undefined, {
      authorization: null,
    });
    expect(status).toBe(401);
  });

  test('tells nobody whether a key is expired, revoked or was never made', async () => {
    const answers = await Promise.all(
      [expired.apiKey, revoked.apiKey, newApiKeyToken(), mistype(own.apiKey)].map((key) =>
        own.send('GET', '/identity/me', undefined, { authorization: `Bearer ${key}` }),
      ),
    );
    expect(new Set(answers.map(({ body }) => `${body.error} ${body.message}`)).size).toBe(1);
  });

  test('may be introduced by bearer in any case', async () => {
    const { status } = await own.send('GET', '/identity/me', undefined, { authorization: `bEARER ${own.apiKey}` });
    expect(status).toBe(200);
  });
});

test('a key or an access token that was just used is no session cookie', async () => {
  const { url } = await sharedPlatform();
  const client = await newOAuthClient();
  const { access_token: accessToken } = await tokensOf((await newBrowser(client)).browser, client);
  for (const token of [own.apiKey, accessToken]) {
    for (let round = 0; round < 3; round += 1) {
      const used = await send(url, { path: '/identity/me', headers: { authorization: `Bearer ${token}` } });
      expect(used.status).toBe(200);
      const cookie = `platform_session=${token}`;
      expect((await send(url, { path: '/identity/me', headers: { cookie } })).status).toBe(401);
    }
  }
});
