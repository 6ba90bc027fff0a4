import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { AuditRecordDocument } from '../../../models/identity/audit-record.ts';
import {
  authorizationUrl,
  exchangeCode,
  goThrough,
  type Client as OAuthClient,
  requestToken,
} from '../../support/authorization.ts';
import type { Client } from '../../support/client.ts';
import { eventOf } from '../../support/events.ts';
import { type Answer, type ErrorBody, send } from '../../support/http.ts';
import { createOAuthClient } from '../../support/oauth-database-client.ts';
import { newOperatorClient } from '../../support/operators.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { type StorageClient, storageOf } from '../../support/storage-client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, slugOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { newUserAgent } from '../../support/user-agent.ts';
import { joinAs, newUserClient, type User } from '../../support/user-client.ts';
import { askForSession, newShop, newVisitor, type Visitor } from '../../support/widget-client.ts';

const redirectUri = 'https://client.example.com/callback';
const refused = '403 ORGANIZATION_SUSPENDED';
const reason = 'Unpaid since January <b>&';

let databaseUrl: string;
let operator: Client & User;
let shop: Client & Tenant & { siteId: string };
let owner: Client & User;
let other: Client & Tenant;
let visitor: Visitor;
let storage: StorageClient;
let client: OAuthClient;
let tokens: { application: string; user: string; refresh: string };
let signed: string;
let signedUpload: string;

beforeAll(async () => {
  databaseUrl = await databaseUrlOf(await sharedPlatform());
  operator = await newOperatorClient();
  shop = await newShop();
  owner = await newUserClient({ orgId: shop.orgId });
  other = await newTenantClient();
  await joinAs(owner, { orgId: other.orgId, role: 'admin' });
  visitor = await newVisitor(shop);
  await visitor.say('Hello');
  await storeFiles();
  await issueTokens();
});

const bucket = () => slugOf(shop.orgId);

async function storeFiles(): Promise<void> {
  storage = await storageOf(shop);
  await shop.call('storage.buckets.create', { body: { name: bucket(), public: true } });
  await storage.put(bucket(), 'a.txt', 'a text');
  const read = await shop.call('storage.presign.download', { body: { bucket: bucket(), key: 'a.txt' } });
  signed = read.url;
  const body = { bucket: bucket(), key: 'b.txt', mimeType: 'text/plain' };
  signedUpload = (await shop.call('storage.presign.upload', { body })).uploadUrl;
}

async function issueTokens(): Promise<void> {
  const registered = await createOAuthClient(databaseUrl, shop, {
    redirectUris: [redirectUri],
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    scopes: ['openid', 'profile', 'offline_access', 'console.apps.read'],
  });
  client = { ...registered, url: shop.url, redirectUri };
  const scope = 'openid profile offline_access';
  const agent = newUserAgent(shop.url, owner.sessionToken);
  const first = await agent.open(authorizationUrl(client, { scope, prompt: 'consent' }));
  const { body } = await exchangeCode(client, await goThrough(agent, first, owner));
  const { body: own } = await requestToken(client, { grant_type: 'client_credentials' });
  tokens = { application: own.access_token, user: body.access_token, refresh: body.refresh_token! };
}

const outcome = ({ status, body }: Answer<ErrorBody>): string =>
  status < 300 ? `${status}` : `${status} ${(body as Partial<ErrorBody> | undefined)?.error}`;
const inTenant = () => ({ 'x-tenant-id': shop.orgId });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const get = (path: string, headers: Record<string, string> = {}) => send<ErrorBody>(shop.url, { path, headers });
const post = (path: string, headers: Record<string, string>, form: Record<string, string>) =>
  send<ErrorBody>(shop.url, {
    method: 'POST',
    path,
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams(form)),
  });
const basic = () => ({
  authorization: `Basic ${Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64')}`,
});

/** What acts for the organization or opens what is its own, each with its outcome where the organization is in force. */
const actors: Record<string, [expected: string, ask: () => Promise<Answer<ErrorBody>>]> = {
  'an API key': ['200', () => shop.send('GET', '/identity/me')],
  'an API key that writes': ['201', () => shop.send('POST', '/events', eventOf(shop.orgId))],
  'a token of the application': ['200', () => get('/identity/me', bearer(tokens.application))],
  'a token of a user': ['200', () => get('/identity/me', bearer(tokens.user))],
  'the claims of a user’s token': ['200', () => get('/oauth2/userinfo', bearer(tokens.user))],
  'a new token of the application': ['200', () => post('/oauth2/token', basic(), { grant_type: 'client_credentials' })],
  'a question about a token': ['200', () => post('/oauth2/introspect', basic(), { token: tokens.user })],
  'a session that names it in the path': ['200', () => owner.send('GET', `/organizations/${bucket()}`)],
  'a session that names it in a header': ['200', () => owner.send('GET', '/v1/mail/templates', undefined, inTenant())],
  'a check of access': [
    '200',
    () =>
      owner.send(
        'POST',
        '/access/check',
        { userId: owner.userId, permission: 'a.b', context: { orgId: shop.orgId } },
        inTenant(),
      ),
  ],
  'a visitor': ['200', () => visitor.send('GET', '/v1/widget/messages?after=0')],
  'a visitor who writes': [
    '200',
    () => visitor.send('POST', '/v1/widget/messages', { text: 'a', echoId: newId('req') }),
  ],
  'a new visitor': ['200', () => askForSession<ErrorBody>(shop.url, { tenantId: shop.orgId })],
  'the look of the widget': [
    '200',
    () => get(`/v1/widget/site?tenantId=${shop.orgId}`, { origin: 'https://shop.example.com' }),
  ],
  'a public file': ['200', () => storage.getPublic(bucket(), 'a.txt')],
  'a public file by its other address': [
    '200',
    () => send<ErrorBody>(storage.url, { path: `/v1/objects/${bucket()}/a.txt`, headers: inTenant() }),
  ],
  'a signed address': ['200', () => send<ErrorBody>(storage.url, { path: pathOf(signed) })],
};

const pathOf = (url: string): string => url.slice(new URL(url).origin.length);

async function outcomes(): Promise<Record<string, string>> {
  const asked = Object.entries(actors).map(async ([name, [, ask]]) => [name, outcome(await ask())] as const);
  return Object.fromEntries(await Promise.all(asked));
}

const expected = (of: (whenInForce: string) => string) =>
  Object.fromEntries(Object.entries(actors).map(([name, [status]]) => [name, of(status)]));

const path = () => ({ orgId: shop.orgId });
const suspend = (why = reason) =>
  operator.call('identity.operator.organizations.suspend', { path: path(), body: { reason: why } });
const restore = () => operator.call('identity.operator.organizations.restore', { path: path() });
const recordsOf = (action: string) =>
  withDatabase(databaseUrl, (database) =>
    database.collection<AuditRecordDocument>('identity_audit_records').find({ orgId: shop.orgId, action }).toArray(),
  );

afterEach(() => restore());

describe('POST /operator/organizations/:orgId/suspend', () => {
  test('refuses all that acts for the organization from its answer on, until it is restored', async () => {
    const streams = await Promise.all([visitor.listen()]);
    expect(await outcomes()).toEqual(expected((status) => status));
    const { suspension } = await suspend();
    expect(suspension).toEqual({ since: expect.any(String), reason });
    expect(await outcomes()).toEqual(expected(() => refused));
    await Promise.all(streams.map(({ ended }) => ended));

    const upload = await send<ErrorBody>(storage.url, {
      method: 'PUT',
      path: pathOf(signedUpload),
      headers: { 'content-type': 'text/plain' },
      body: 'b',
    });
    expect(outcome(upload)).toBe(refused);
    const rotated = await requestToken(client, { grant_type: 'refresh_token', refresh_token: tokens.refresh });
    expect(rotated).toMatchObject({ status: 403, body: { error: 'ORGANIZATION_SUSPENDED' } });
    const started = await get(new URL(authorizationUrl(client)).href.slice(shop.url.length));
    expect(started.status).toBe(403);
    expect(started.text).toContain('This organization is suspended');

    expect((await restore()).suspension).toBeNull();
    // The messages of a visitor are counted by the second, and the upload is signed for one.
    await eventually(async () => expect(await outcomes()).toEqual(expected((status) => status)));
    const again = await requestToken(client, { grant_type: 'refresh_token', refresh_token: tokens.refresh });
    expect(again.status).toBe(200);
  });

  test('leaves the invoices to the sessions of its members', async () => {
    await suspend();
    const invoices = `/v1/orgs/${shop.orgId}/invoices`;
    expect(outcome(await owner.send('GET', invoices))).toBe('200');
    expect(outcome(await shop.send('GET', invoices))).toBe(refused);
    expect(outcome(await get(invoices, bearer(tokens.user)))).toBe(refused);
    expect(outcome(await other.send('GET', invoices))).toBe('404 NOT_FOUND');
  });

  test('leaves its members their account, and their other organizations', async () => {
    const alone = await newUserClient({ orgId: shop.orgId, role: 'admin' });
    await suspend();
    const me = await owner.call('identity.me.read', {});
    expect(me).toMatchObject({
      organizations: [{ id: shop.orgId, suspension: { since: expect.any(String), reason } }, { id: other.orgId }],
    });
    expect((me as { organizations: object[] }).organizations[1]).not.toHaveProperty('suspension');
    const { data } = await owner.call('identity.organizations.list', { query: {} });
    expect(data).toMatchObject([{ id: shop.orgId, suspension: { reason } }, { id: other.orgId }]);
    expect((await owner.send('GET', `/organizations/${slugOf(other.orgId)}`)).status).toBe(200);
    expect(outcome(await other.send('GET', '/identity/me'))).toBe('200');
    expect((await alone.send('GET', '/identity/me')).status).toBe(200);
    expect(outcome(await alone.send('GET', '/identity/users'))).toBe(refused);
    await restore();
    await eventually(async () => expect((await alone.send('GET', '/identity/users')).status).toBe(200));
  });

  test('takes no new member', async () => {
    const guest = await newUserClient();
    await owner.call('identity.invitations.create', {
      path: { slug: bucket() },
      body: { email: guest.email, role: 'member' },
    });
    const token = newId('inv');
    await withDatabase(databaseUrl, async (database) => {
      const { createHash } = await import('node:crypto');
      const tokenHash = createHash('sha256').update(token).digest('hex');
      await database.collection('identity_invitations').updateOne({ email: guest.email }, { $set: { tokenHash } });
    });
    await suspend();
    const accept = () => guest.send('POST', `/organizations/invitations/${token}/accept`);
    expect(outcome(await accept())).toBe(refused);
    await restore();
    expect((await accept()).status).toBe(200);
  });

  test('is recorded once, and keeps the first reason', async () => {
    const before = {
      suspended: await recordsOf('organization.suspended'),
      restored: await recordsOf('organization.restored'),
    };
    const { suspension } = await suspend('The first');
    expect(await suspend('Another')).toMatchObject({ suspension });
    await restore();
    expect(await restore()).toMatchObject({ suspension: null });
    const by = { type: 'operator', id: operator.userId, credentialId: operator.sessionId };
    const suspended = (await recordsOf('organization.suspended')).slice(before.suspended.length);
    expect(suspended).toMatchObject([{ actor: by, after: { reason: 'The first' } }]);
    const restored = (await recordsOf('organization.restored')).slice(before.restored.length);
    expect(restored).toMatchObject([{ actor: by, before: { reason: 'The first', since: suspension!.since } }]);
  });

  test('is found in the list by its state, and read by the operator', async () => {
    const list = async (state: 'active' | 'suspended') =>
      (await operator.call('identity.operator.organizations.list', { query: { search: shop.orgId, state } })).data;
    expect(await list('suspended')).toEqual([]);
    await suspend();
    expect(await list('suspended')).toMatchObject([{ id: shop.orgId, suspension: { reason } }]);
    expect(await list('active')).toEqual([]);
    const all = await operator.call('identity.operator.organizations.list', {
      query: { state: 'suspended', limit: '100' },
    });
    expect(all.data.map(({ id }) => id)).toContain(shop.orgId);
    expect(all.data.every(({ suspension }) => suspension !== null)).toBe(true);
    const users = await operator.call('identity.operator.users.list', { query: { search: owner.userId } });
    expect(users.data[0]!.organizations[0]).toMatchObject({ id: shop.orgId, suspension: { reason } });
    for (const below of ['', '/audit-log', '/oauth-clients', '/invoices']) {
      expect((await operator.send('GET', `/operator/organizations/${shop.orgId}${below}`)).status).toBe(200);
    }
    await restore();
    expect(await list('active')).toMatchObject([{ id: shop.orgId, suspension: null }]);
  });

  test.each([
    ['no reason', {}],
    ['an empty reason', { reason: ' ' }],
    ['a reason that is too long', { reason: 'a'.repeat(501) }],
    ['a reason of two lines', { reason: 'a\nb' }],
    ['an unknown field', { reason: 'a', until: '2030-01-01' }],
  ])('refuses %s, and suspends nothing', async (_name, body) => {
    const answer = await operator.send('POST', `/operator/organizations/${shop.orgId}/suspend`, body);
    expect(outcome(answer)).toBe('400 INPUT_INVALID');
    expect(outcome(await shop.send('GET', '/identity/me'))).toBe('200');
  });

  test.each([newId('org'), 'x', '$ne'])('does not know %s', async (orgId) => {
    const at = `/operator/organizations/${orgId}`;
    expect(outcome(await operator.send('POST', `${at}/suspend`, { reason }))).toBe('404 NOT_FOUND');
    expect(outcome(await operator.send('POST', `${at}/restore`))).toBe('404 NOT_FOUND');
  });

  test('is for operators alone', async () => {
    const at = `/operator/organizations/${shop.orgId}`;
    for (const someone of [owner, shop]) {
      expect(outcome(await someone.send('POST', `${at}/suspend`, { reason }))).toBe('403 PERMISSION_DENIED');
      expect(outcome(await someone.send('POST', `${at}/restore`))).toBe('403 PERMISSION_DENIED');
    }
    expect(outcome(await shop.send('GET', '/identity/me'))).toBe('200');
  });
});
