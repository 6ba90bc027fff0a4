import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { newApiKeyToken } from '../../lib/security/api-key.ts';
import type { Client } from '../support/client.ts';
import { eventAbout, eventOf, newCustomerId } from '../support/events.ts';
import { eventually } from '../support/until.ts';
import { covers } from './covers.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const id = (prefix: string) => new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`);

/** One request of each service operation, valid but for what a test changes about its headers. */
const serviceCalls = (orgId: string): [method: string, path: string, body?: object][] => [
  ['POST', '/events', eventOf(orgId)],
  ['POST', '/events/batch', { events: [eventOf(orgId)] }],
  ['GET', '/v1/story/resolve?q=nobody'],
  ['GET', '/v1/story/customers/nobody'],
  ['GET', '/v1/story/customers/nobody/events'],
  ['DELETE', '/v1/story/customers/nobody'],
];

async function expectOfEach(client: Client, headers: Record<string, string | null>, status: number, error: string) {
  for (const [method, path, body] of serviceCalls(client.orgId)) {
    // At a platform with the default limits these come faster than wrong credentials are let through.
    const answer = await eventually(async () => {
      const sent = await client.send(method, path, body, headers);
      expect(sent.status).not.toBe(429);
      return sent;
    });
    expect({ method, path, status: answer.status, error: answer.body.error }).toEqual({ method, path, status, error });
  }
}

covers('tenant.required', async ({ own }) => {
  await expectOfEach(own, { 'x-tenant-id': null }, 400, 'TENANT_REQUIRED');
});

covers('tenant.malformed', async ({ own }) => {
  for (const tenant of ['', 'first', 'org_', `${own.orgId}x`, own.orgId.toUpperCase(), `${own.orgId}, ${own.orgId}`]) {
    await expectOfEach(own, { 'x-tenant-id': tenant }, 400, 'TENANT_INVALID');
  }
});

covers('tenant.foreign', async ({ own, other }) => {
  await expectOfEach(own, { 'x-tenant-id': other.orgId }, 403, 'TENANT_MISMATCH');
});

covers('tenant.inferred', async ({ own, other }) => {
  const inferred = await own.attempt('identity.me.read', {}, { 'x-tenant-id': null });
  expect(inferred).toMatchObject({ status: 200, body: { orgId: own.orgId } });
  const foreign = await own.attempt('identity.me.read', {}, { 'x-tenant-id': other.orgId });
  expect(foreign).toMatchObject({ status: 403, body: { error: 'TENANT_MISMATCH' } });
});

covers('credential.required', async ({ own }) => {
  await expectOfEach(own, { authorization: null }, 401, 'CREDENTIAL_REQUIRED');
  const { headers } = await own.attempt('identity.me.read', {}, { authorization: null });
  expect(headers['www-authenticate']).toMatch(/^Bearer realm=/);
});

covers('credential.invalid', async ({ own }) => {
  const unknown = newApiKeyToken();
  const mistyped = `${own.apiKey.slice(0, -1)}${own.apiKey.endsWith('0') ? '1' : '0'}`;
  for (const authorization of ['', 'Bearer', 'x', `Basic ${own.apiKey}`, `Bearer ${unknown}`, `Bearer ${mistyped}`]) {
    await expectOfEach(own, { authorization }, 401, 'CREDENTIAL_INVALID');
  }
  const { headers } = await own.attempt('identity.me.read', {}, { authorization: `Bearer ${unknown}` });
  expect(headers['www-authenticate']).toContain('error="invalid_token"');
});

covers('errors.shape', async ({ own }) => {
  const { headers, body } = await own.attempt('context.events.create', { body: { ...eventOf(own.orgId), eventId: 1 } });
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(body).toEqual({
    error: 'INPUT_INVALID',
    message: expect.stringMatching(/^body\.eventId .+/),
    requestId: headers['x-request-id'],
    details: [{ path: 'body.eventId', message: expect.stringMatching(/.+/) }],
  });
  const missing = await own.attempt('context.story.read', { path: { customerId: newCustomerId() }, query: {} });
  expect(missing.body).toEqual({
    error: 'STORY_NOT_FOUND',
    message: expect.any(String),
    requestId: missing.headers['x-request-id'],
  });
});

covers('errors.path', async ({ own }) => {
  for (const path of [
    '/event',
    '/v1/events',
    '/events/batch/x',
    '/v1/story',
    '/identity',
    '/applications/x/keys',
    '/organizations/x/y',
    '/list-aliases',
  ]) {
    const { status, body } = await own.send('GET', path);
    expect({ path, status, error: body.error }).toEqual({ path, status: 404, error: 'ROUTE_NOT_FOUND' });
  }
});

covers('errors.method', async ({ own }) => {
  const allowed: [method: string, path: string, allow: string][] = [
    ['DELETE', '/events', 'GET, HEAD, OPTIONS, POST'],
    ['PUT', '/access/check', 'OPTIONS, POST'],
    ['POST', '/v1/story/resolve', 'GET, HEAD, OPTIONS'],
    ['POST', '/v1/story/customers/x', 'DELETE, GET, HEAD, OPTIONS'],
    ['PATCH', '/applications/x/api-keys', 'GET, HEAD, OPTIONS, POST'],
    ['POST', '/identity/me', 'DELETE, GET, HEAD, OPTIONS, PATCH'],
    ['PUT', '/organizations/x/members/x', 'DELETE, OPTIONS, PATCH'],
    ['GET', '/organizations/invitations/x/accept', 'OPTIONS, POST'],
    ['DELETE', '/oauth2/token', 'OPTIONS, POST'],
  ];
  for (const [method, path, allow] of allowed) {
    const { status, headers, body } = await own.send(method, path);
    expect({ path, status, allow: headers.allow, error: body.error }).toEqual({
      path,
      status: 405,
      allow,
      error: 'METHOD_NOT_ALLOWED',
    });
  }
});

covers('errors.json', async ({ own }) => {
  for (const body of ['{', 'tenantId=x', '{"a":1,}', "{'a':1}", '\ufeff', Buffer.from([0xff])]) {
    const answer = await own.send('POST', '/events', body);
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status: 400, error: 'JSON_MALFORMED' });
  }
});

covers('errors.type', async ({ own }) => {
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', null];
  for (const type of types) {
    const { status, body } = await own.send('POST', '/events', eventOf(own.orgId), { 'content-type': type });
    expect({ type, status, error: body.error }).toEqual({ type, status: 415, error: 'CONTENT_TYPE_UNSUPPORTED' });
  }
});

covers('timestamps.shape', async ({ own }) => {
  const customerId = newCustomerId();
  const occurredAt = '2020-06-01T14:00:00+02:00';
  await own.call('context.events.create', { body: eventAbout(own.orgId, customerId, { occurredAt }) });
  const { updatedAt } = await own.call('context.story.read', { path: { customerId }, query: {} });
  const { data } = await own.call('context.story.events', { path: { customerId }, query: {} });
  expect(updatedAt).toMatch(timestamp);
  expect(data[0]!.occurredAt).toBe('2020-06-01T12:00:00.000Z');
  expect(data[0]!.receivedAt).toMatch(timestamp);
});

covers('ids.shape', async ({ own }) => {
  const me = await own.call('identity.me.read', {});
  expect(me).toMatchObject({
    id: expect.stringMatching(id('app')),
    orgId: expect.stringMatching(id('org')),
    keyId: expect.stringMatching(id('key')),
  });
  const { headers } = await own.attempt('identity.me.read', {});
  expect(headers['x-request-id']).toMatch(id('req'));
});

covers('lists.limit', async ({ own }) => {
  const customerId = newCustomerId();
  const events = Array.from({ length: 21 }, () => eventAbout(own.orgId, customerId));
  await own.call('context.events.create-batch', { body: { events } });
  const list = (query: object) => own.attempt('context.story.events', { path: { customerId }, query: { ...query } });
  expect((await list({})).body.data).toHaveLength(20);
  expect((await list({ limit: 1 })).body.data).toHaveLength(1);
  expect((await list({ limit: 100 })).body.data).toHaveLength(21);
  for (const limit of ['0', '-1', '101', 'abc', '', '1.5', '1e1', ' 1', '٣', ['1', '2']]) {
    const { status, body } = await list({ limit });
    expect({ limit, status, error: body.error }).toEqual({ limit, status: 400, error: 'INPUT_INVALID' });
    expect(body.details![0]!.path).toBe('query.limit');
  }
  expect((await list({ offset: 1 })).status).toBe(400);
});

covers('lists.cursor', async ({ own }) => {
  const customerId = newCustomerId();
  const events = Array.from({ length: 3 }, () => eventAbout(own.orgId, customerId));
  await own.call('context.events.create-batch', { body: { events } });
  const list = (cursor: string) =>
    own.attempt('context.story.events', { path: { customerId }, query: { limit: 1, cursor } });
  const { nextCursor } = await own.call('context.story.events', { path: { customerId }, query: { limit: '1' } });
  expect((await list(nextCursor!)).body.data).toHaveLength(1);
  const text = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const mangled = [
    nextCursor!.slice(0, -1),
    `${nextCursor}A`,
    'x',
    '',
    text(['2020-01-01T00:00:00.000Z']),
    text(['yesterday', 'x']),
    text({ $gt: '' }),
    text([{ $gt: '' }, 'x']),
  ];
  for (const cursor of mangled) {
    const { status, body } = await list(cursor);
    expect({ cursor, status, error: body.error }).toEqual({ cursor, status: 400, error: 'CURSOR_INVALID' });
  }
});

covers('request-id.echo', async ({ own }) => {
  for (const given of ['a', 'order-17.retry:2', 'A'.repeat(128)]) {
    const { headers } = await own.send('GET', '/health/alive', undefined, { 'x-request-id': given });
    expect(headers['x-request-id']).toBe(given);
  }
  for (const given of ['', 'A'.repeat(129), 'a b', 'ä', '<script>', 'a,b']) {
    const { headers } = await own.send('GET', '/health/alive', undefined, {
      'x-request-id': Buffer.from(given).toString('latin1'),
    });
    expect(headers['x-request-id']).toMatch(id('req'));
  }
  const refused = await own.send('GET', '/nothing', undefined, { 'x-request-id': 'mine' });
  expect(refused.body.requestId).toBe('mine');
});

covers('idempotency.replay', async ({ own }) => {
  const key = { 'idempotency-key': randomUUID() };
  const body = { events: [eventOf(own.orgId), eventOf(own.orgId)] };
  const first = await own.attempt('context.events.create-batch', { body }, key);
  const again = await own.attempt('context.events.create-batch', { body }, key);
  expect(first.body.results.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
  expect(again).toMatchObject({ status: first.status, text: first.text });
  expect(again.headers['idempotency-replayed']).toBe('true');

  const { id: application } = await own.call('identity.me.read', {});
  const input = { path: { id: application }, body: { name: 'Once', scopes: ['svc:read'] } };
  const made = await own.attempt('identity.api-keys.create', input, key);
  expect((await own.attempt('identity.api-keys.create', input, key)).text).toBe(made.text);

  const event = { body: eventOf(own.orgId) };
  expect((await own.attempt('context.events.create', event, key)).status).toBe(201);
  expect((await own.attempt('context.events.create', event, key)).status).toBe(201);
  expect((await own.attempt('context.events.create', event)).status).toBe(409);
});

covers('idempotency.mismatch', async ({ own }) => {
  const key = { 'idempotency-key': randomUUID() };
  await own.call('context.events.create-batch', { body: { events: [eventOf(own.orgId)] } }, key);
  const fresh = eventOf(own.orgId);
  const refused = await own.attempt('context.events.create-batch', { body: { events: [fresh] } }, key);
  expect(refused).toMatchObject({ status: 409, body: { error: 'IDEMPOTENCY_MISMATCH' } });
  expect((await own.attempt('context.events.create', { body: fresh })).status).toBe(201);
});

covers('idempotency.scope', async ({ own, other }) => {
  const key = { 'idempotency-key': randomUUID() };
  for (const client of [own, other]) {
    const body = { events: [eventOf(client.orgId)] };
    const { results } = await client.call('context.events.create-batch', { body }, key);
    expect(results).toMatchObject([{ eventId: body.events[0]!.eventId, status: 'accepted' }]);
  }
});
