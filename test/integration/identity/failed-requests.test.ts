import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { CallInput, CallOutput } from '../../../lib/contract/context.ts';
import { day, minute } from '../../../lib/data/clock.ts';
import { firstIdAt, newId, randomId } from '../../../lib/data/ids.ts';
import { type Client, clientOf, type Headers } from '../../support/client.ts';
import { eventAbout } from '../../support/events.ts';
import { createOAuthClient } from '../../support/oauth-database-client.ts';
import { runJob } from '../../support/operator.ts';
import { sharedOperatedPlatform, sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, slugOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { newUserClient } from '../../support/user-client.ts';
import { newShop, newVisitor } from '../../support/widget-client.ts';

type FailedRequest = CallOutput<'identity.requests.read'>;
type Query = CallInput<'identity.requests.list'>['query'];

let tenant: Client & Tenant;
let path: { slug: string };
beforeAll(async () => {
  tenant = await newTenantClient({ plan: 'scale' });
  path = { slug: slugOf(tenant.orgId) };
});

const list = async (query: Query = {}, client: Client = tenant, slug = path.slug) =>
  await client.call('identity.requests.list', { path: { slug }, query });

/** Sends a request that is refused, and gives its record once it is stored. */
async function fail(
  method: string,
  address: string,
  { body, headers = {}, client = tenant }: { body?: unknown; headers?: Headers; client?: Client } = {},
): Promise<FailedRequest> {
  const requestId = newId('req');
  const { status } = await client.send(method, address, body, { 'x-request-id': requestId, ...headers });
  expect(status).toBeGreaterThanOrEqual(400);
  // A user's client names no organization; all of them here are members of this one.
  const reader = client.orgId === '' ? tenant : client;
  return await eventually(async () => {
    const { data } = await list({ requestId }, reader, slugOf(reader.orgId));
    expect(data).toHaveLength(1);
    return data[0]!;
  });
}

async function stored(orgId: string) {
  return await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
    database.collection('identity_failed_requests').find({ orgId }).toArray(),
  );
}

describe('GET /organizations/:slug/requests', () => {
  test('shows why a request was refused, who sent it, and by which key', async () => {
    const record = await fail('POST', `/applications/${tenant.applicationId}/api-keys`, {
      body: { nam: 'a' },
      headers: { 'user-agent': 'shop/1.4' },
    });
    expect(record).toEqual({
      id: expect.stringMatching(/^frq_/),
      requestId: expect.stringMatching(/^req_/),
      answeredAt: expect.any(String),
      method: 'POST',
      route: '/applications/:id/api-keys',
      path: `/applications/${tenant.applicationId}/api-keys`,
      status: 400,
      error: 'INPUT_INVALID',
      message: 'body.nam is not a field; did you mean name? (and 2 more; see details)',
      details: [
        { path: 'body.name', message: 'Required (string).' },
        { path: 'body.scopes', message: 'Required (array).' },
        { path: 'body.nam', message: 'Not a field; did you mean name?' },
      ],
      milliseconds: expect.any(Number),
      caller: { type: 'application', id: tenant.applicationId, credentialId: tenant.keyId },
      userAgent: 'shop/1.4',
      omitted: 0,
    });
    expect(Math.abs(Date.parse(record.answeredAt) - Date.now())).toBeLessThan(minute);
    expect(record.milliseconds).toBeGreaterThan(0);
  });

  test('has the requests that are refused before their action, and those of files', async () => {
    const other = await newTenantClient();
    const mismatch = await fail('GET', '/events', { headers: { 'x-tenant-id': other.orgId } });
    expect(mismatch).toMatchObject({ status: 403, error: 'TENANT_MISMATCH' });
    expect((await list({}, other, slugOf(other.orgId))).data).toEqual([]);
    expect(await fail('GET', '/events', { headers: { 'x-tenant-id': null } })).toMatchObject({
      error: 'TENANT_REQUIRED',
    });
    expect(await fail('POST', '/events', { body: '{bad' })).toMatchObject({ status: 400, error: 'JSON_MALFORMED' });
    const { firstRun } = await sharedPlatform();
    const file = await fail('GET', `${firstRun.storageUrl}/v1/objects/none/a.txt`);
    expect(file).toMatchObject({ status: 404, error: 'NOT_FOUND', route: '/v1/objects/:bucket/*key' });
  });

  test('has those of a user by their session, in a page too, and those of a widget', async () => {
    const owner = await newUserClient({ orgId: tenant.orgId });
    const record = await fail('GET', '/applications/none', { client: owner });
    expect(record.caller).toEqual({ type: 'user', id: owner.userId, credentialId: owner.sessionId });
    const page = await fail('GET', `/console/${path.slug}/logs/none`, { client: owner });
    expect(page).toMatchObject({ route: '/console/:slug/logs/:recordId', status: 404, error: 'NOT_FOUND' });
    const shop = await newShop();
    const visitor = await newVisitor(shop);
    const message = { text: 'Hello', echoId: randomUUID() };
    const sent = await visitor.send('POST', '/v1/widget/messages', message, { origin: 'https://other.example.com' });
    expect(sent).toMatchObject({ status: 403, body: { error: 'ORIGIN_REFUSED' } });
    await eventually(async () => {
      const { data } = await list({ requestId: sent.body.requestId }, shop, slugOf(shop.orgId));
      expect(data).toMatchObject([{ status: 403, caller: { type: 'website', id: shop.siteId, credentialId: null } }]);
    });
    expect(JSON.stringify(await stored(shop.orgId))).not.toContain(visitor.visitorId);
  });

  test('shows what OAuth refused a client, by the client that a request names', async () => {
    const shop = await newTenantClient();
    const redirectUris = ['https://shop.example.com/callback'];
    const { clientId, clientSecret } = await createOAuthClient(await databaseUrlOf(await sharedPlatform()), shop, {
      redirectUris,
    });
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const basic = (secret: string) => ({
      ...type,
      authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
    });
    const of = (query: object) => `?${new URLSearchParams({ client_id: clientId, response_type: 'code', ...query })}`;
    const form = (fields: object) => `${new URLSearchParams({ ...fields })}`;
    const code = { grant_type: 'authorization_code', code: 'none', redirect_uri: redirectUris[0]! };
    const elsewhere = of({ redirect_uri: 'https://elsewhere.example.com', scope: 'openid' });
    const client = shop;
    const records = [
      await fail('GET', `/oauth2/auth${elsewhere}`, { client, headers: { authorization: null } }),
      await fail('POST', '/oauth2/token', { client, body: form(code), headers: basic('a-wrong-secret') }),
      await fail('POST', '/oauth2/token', { client, body: form(code), headers: basic(clientSecret) }),
      await fail('POST', '/oauth2/introspect', { client, body: form({ token: 'x' }), headers: basic('wrong') }),
    ];
    expect(records).toMatchObject([
      { path: '/oauth2/auth', status: 400, error: 'invalid_redirect_uri' },
      { path: '/oauth2/token', status: 401, error: 'invalid_client' },
      { path: '/oauth2/token', status: 400, error: 'invalid_grant' },
      { path: '/oauth2/introspect', status: 401, error: 'invalid_client' },
    ]);
    for (const { caller, message } of records) {
      expect(caller).toEqual({ type: 'application', id: shop.applicationId, credentialId: clientId });
      expect(message).not.toBe('');
    }
    expect(JSON.stringify(await stored(shop.orgId))).not.toContain('a-wrong-secret');
    // A request that names no client is of no organization.
    const ofNobody = form({ ...code, client_id: newId('cli') });
    const nobody = await shop.send('POST', '/oauth2/token', ofNobody, { ...type, authorization: null });
    expect(nobody.status).toBe(401);
    await fail('GET', '/events/none', { client });
    expect(await stored(shop.orgId)).toHaveLength(5);
  });

  test('has nothing that succeeded, and nothing without a valid credential', async () => {
    const requestId = newId('req');
    const headers = { 'x-request-id': requestId };
    expect((await tenant.send('GET', '/identity/me', undefined, headers)).status).toBe(200);
    expect((await tenant.send('GET', '/events', undefined, { ...headers, authorization: null })).status).toBe(401);
    expect((await tenant.send('GET', '/events', undefined, { ...headers, authorization: 'Bearer x' })).status).toBe(
      401,
    );
    expect((await tenant.send('GET', '/none', undefined, headers)).status).toBe(404);
    // What comes after it is stored after it.
    await fail('GET', '/events/none');
    expect((await list({ requestId })).data).toEqual([]);
  });

  test('stores nothing secret of the query, the headers, the path and the body', async () => {
    const shop = await newTenantClient();
    const secret = 'a-secret-that-no-log-may-hold';
    const token = `${secret}-${'x'.repeat(20)}`;
    const headers = {
      'x-secret': secret,
      cookie: `secret=${secret}`,
      referer: `https://example.com/?${secret}`,
      'idempotency-key': secret,
      'user-agent': `shop ${shop.apiKey}`,
    };
    const about = { client: shop, headers };
    await fail('GET', `/v1/story/resolve?email=${secret}@example.com&name=${secret}`, about);
    await fail('POST', '/events', { ...about, body: { payload: { secret }, eventId: secret, [shop.apiKey]: 1 } });
    await fail('POST', '/v1/mail/send', { ...about, body: `{"to": "${secret}` });
    await fail('POST', `/organizations/invitations/${token}/accept`, about);
    await fail('GET', `/events/${shop.apiKey}`, about);
    const documents = await stored(shop.orgId);
    expect(documents.length).toBeGreaterThanOrEqual(5);
    const text = JSON.stringify(documents);
    expect(text).toContain('/organizations/invitations/***/accept');
    expect(text).not.toContain(secret);
    expect(text).not.toContain(shop.apiKey);
  });

  test('is filtered by status, class, method, error, caller, id and time, and refuses other filters', async () => {
    const shop = await newTenantClient();
    const slug = slugOf(shop.orgId);
    const missing = await fail('GET', '/events/none', { client: shop });
    const invalid = await fail('POST', '/events', { client: shop, body: {} });
    await withDatabase(await databaseUrlOf(await sharedPlatform()), async (database) => {
      const [one] = await database
        .collection<{ _id: string }>('identity_failed_requests')
        .find({ orgId: shop.orgId })
        .toArray();
      const failed = {
        ...one!,
        _id: firstIdAt('frq', new Date(Date.now() - day)),
        status: 500,
        error: 'INTERNAL',
        method: 'PUT',
      };
      await database.collection<{ _id: string }>('identity_failed_requests').insertOne(failed);
    });
    const yesterday = new Date(Date.now() - day / 2).toISOString();
    const cases: [Query, string[]][] = [
      [{}, ['POST', 'GET', 'PUT']],
      [{ status: '4xx' }, ['POST', 'GET']],
      [{ status: '5xx' }, ['PUT']],
      [{ status: '404' }, ['GET']],
      [{ method: 'POST' }, ['POST']],
      [{ error: 'INTERNAL' }, ['PUT']],
      [{ callerId: shop.applicationId, status: '400' }, ['POST']],
      [{ callerId: shop.keyId }, ['POST', 'GET', 'PUT']],
      [{ callerId: newId('key') }, []],
      [{ requestId: invalid.requestId }, ['POST']],
      [{ from: yesterday }, ['POST', 'GET']],
      [{ to: yesterday }, ['PUT']],
      [{ from: yesterday, to: yesterday }, []],
      [{ to: '0001-01-01T00:00:00.000Z' }, []],
    ];
    for (const [query, methods] of cases) {
      const { data } = await list(query, shop, slug);
      expect({ query, methods: data.map(({ method }) => method) }).toEqual({ query, methods });
    }
    expect(missing.status).toBe(404);
    for (const query of [
      { status: '200' },
      { status: 'abc' },
      { method: 'TRACE' },
      { from: 'yesterday' },
      { other: '1' },
    ]) {
      const answer = await shop.attempt('identity.requests.list', { path: { slug }, query });
      expect({ query, status: answer.status }).toEqual({ query, status: 400 });
    }
    const wrong = await shop.attempt('identity.requests.list', { path: { slug }, query: { cursor: 'x' } });
    expect(wrong.body.error).toBe('CURSOR_INVALID');
  });

  test('is read page by page, with an end in the time too', async () => {
    const shop = await newTenantClient();
    for (let index = 0; index < 5; index += 1) await shop.send('GET', `/events/${index}`);
    const slug = slugOf(shop.orgId);
    await eventually(async () => expect((await list({}, shop, slug)).data).toHaveLength(5));
    const paths: string[] = [];
    const to = new Date(Date.now() + minute).toISOString();
    let cursor: string | null = null;
    do {
      const page: CallOutput<'identity.requests.list'> = await list(
        { limit: '2', to, ...(cursor !== null && { cursor }) },
        shop,
        slug,
      );
      expect(page.data.length).toBeLessThanOrEqual(2);
      paths.push(...page.data.map((one) => one.path));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(paths.toSorted()).toEqual([0, 1, 2, 3, 4].map((index) => `/events/${index}`));
  });

  test('keeps a bounded number of a noisy client, and of another organization all', async () => {
    const [noisy, quiet] = [await newTenantClient(), await newTenantClient()];
    await Promise.all(Array.from({ length: 150 }, () => noisy.send('GET', '/events/none')));
    await fail('GET', '/events/none', { client: quiet });
    expect((await stored(quiet.orgId)).length).toBe(1);
    // The requests may fall into two minutes.
    const { length } = await stored(noisy.orgId);
    expect(length).toBeGreaterThanOrEqual(60);
    expect(length).toBeLessThanOrEqual(120);
  });

  test('needs console.audit.read, in the organization', async () => {
    const { token } = await tenant.call('identity.api-keys.create', {
      path: { id: tenant.applicationId },
      body: { name: 'Reader', scopes: ['context.story.read'] },
    });
    const record = await fail('GET', '/events/none');
    const reader = clientOf({ ...tenant, apiKey: token });
    const other = await newTenantClient();
    const nobody = clientOf({ ...tenant, apiKey: 'x' });
    for (const [client, status] of [
      [reader, 403],
      [other, 404],
      [nobody, 401],
    ] as const) {
      expect((await client.attempt('identity.requests.list', { path, query: {} })).status).toBe(status);
      const one = { path: { ...path, requestId: record.requestId } };
      expect((await client.attempt('identity.requests.read', one)).status).toBe(status);
    }
  });
});

describe('GET /organizations/:slug/requests/:requestId', () => {
  test('gives the newest request with the id, and each by the id of its record', async () => {
    const requestId = `trace.${newId('req')}`;
    const headers = { 'x-request-id': requestId };
    await tenant.send('GET', '/events/first', undefined, headers);
    await eventually(async () => expect((await list({ requestId })).data).toHaveLength(1));
    await tenant.send('GET', '/events/second', undefined, headers);
    await eventually(async () => expect((await list({ requestId })).data).toHaveLength(2));
    const [second, first] = (await list({ requestId })).data;
    const read = (id: string) => tenant.call('identity.requests.read', { path: { ...path, requestId: id } });
    expect(await read(requestId)).toEqual(second);
    expect(second!.path).toBe('/events/second');
    expect(await read(first!.id)).toEqual(first);
  });

  test('answers 404 for what is not there, and for a request of another organization', async () => {
    const record = await fail('GET', '/events/none');
    const other = await newTenantClient();
    for (const requestId of [record.requestId, record.id, newId('req'), '..', `${'x'.repeat(500)}`]) {
      const slug = slugOf(other.orgId);
      const answer = await other.attempt('identity.requests.read', { path: { slug, requestId } });
      expect({ requestId, status: answer.status }).toEqual({ requestId, status: 404 });
      expect(answer.text).not.toContain('/events/none');
    }
  });
});

describe('failed requests', () => {
  test('are kept for seven days, the last ten thousand of an organization', async () => {
    const platform = await sharedOperatedPlatform();
    const [many, old] = [newId('org'), newId('org')];
    const rowOf = (orgId: string, at: number) => ({
      _id: randomId('frq', new Date(at)),
      orgId,
      requestId: newId('req'),
      answeredAt: new Date(at),
    });
    const now = Date.now();
    const rows = [
      ...Array.from({ length: 10_003 }, (_none, index) => rowOf(many, now - index)),
      ...[6.9, 7.1, 30].map((days) => rowOf(old, now - days * day)),
    ];
    const collectionOf = async <T>(
      work: (rows: { _id: string; orgId: string; answeredAt: Date }[]) => T,
      orgId: string,
    ) =>
      work(
        await withDatabase(await databaseUrlOf(platform), (database) =>
          database
            .collection<{ _id: string; orgId: string; answeredAt: Date }>('identity_failed_requests')
            .find({ orgId })
            .sort({ _id: 1 })
            .toArray(),
        ),
      );
    await withDatabase(await databaseUrlOf(platform), async (database) => {
      for (let start = 0; start < rows.length; start += 1000) {
        await database
          .collection<{ _id: string }>('identity_failed_requests')
          .insertMany(rows.slice(start, start + 1000));
      }
    });
    await runJob(platform.url, 'identity.requests');
    await collectionOf((left) => {
      expect(left).toHaveLength(10_000);
      expect(left[0]!.answeredAt.getTime()).toBe(now - 9999);
    }, many);
    await collectionOf(
      (left) => expect(left.map(({ answeredAt }) => answeredAt.getTime())).toEqual([now - 6.9 * day]),
      old,
    );
  });

  test('whose path names a customer are erased with the customer', async () => {
    const [customer, other] = [`Ada ${newId('req')}`, newId('req')];
    const asked = (id: string) => fail('GET', `/v1/mail/messages/${encodeURIComponent(id)}`);
    const [about, aboutOther] = [await asked(customer), await asked(other)];
    await tenant.call('context.events.create', { body: eventAbout(tenant.orgId, customer) });
    await tenant.call('context.story.erase', { path: { customerId: customer } });
    const left = (await stored(tenant.orgId)).map(({ _id }) => String(_id));
    expect(left).toContain(aboutOther.id);
    expect(left).not.toContain(about.id);
    // A request about somebody unknown is no customer's data: there is nobody to erase.
    const unknown = await tenant.attempt('context.story.erase', { path: { customerId: other } });
    expect(unknown.status).toBe(404);
  });

  test('are erased with their organization', async () => {
    const shop = await newTenantClient();
    const owner = await newUserClient({ orgId: shop.orgId });
    await fail('GET', '/events/none', { client: shop });
    expect((await stored(shop.orgId)).length).toBeGreaterThan(0);
    await owner.call('identity.organizations.delete', {
      path: { slug: slugOf(shop.orgId) },
      query: { confirm: slugOf(shop.orgId) },
    });
    await eventually(async () => expect(await stored(shop.orgId)).toEqual([]));
  });
});
