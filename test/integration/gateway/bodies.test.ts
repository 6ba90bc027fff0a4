import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { eventOf } from '../../support/events.ts';
import { exchangeBytes, openConnection } from '../../support/raw-http.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';

let own: Client;
beforeAll(async () => {
  own = await newTenantClient();
});

const countStored = async (): Promise<number> =>
  withDatabase(await databaseUrlOf(await sharedPlatform()), async (database) => {
    const collections = ['context_events', 'context_customers', 'context_identifiers', 'identity_api_keys'];
    const counts = collections.map((name) => database.collection(name).countDocuments({ orgId: own.orgId }));
    return (await Promise.all(counts)).reduce((sum, count) => sum + count);
  });

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const withPayload = (payload: string) =>
  JSON.stringify({ ...eventOf(own.orgId), payload: 'HERE' }).replace('"HERE"', payload);

type Case = [what: string, body: () => string | Uint8Array, status: number, error: string];

const cases: Case[] = [
  ['no body', () => '', 400, 'INPUT_INVALID'],
  ['an empty object', () => '{}', 400, 'INPUT_INVALID'],
  ['an array', () => JSON.stringify([eventOf(own.orgId)]), 400, 'INPUT_INVALID'],
  ['null', () => 'null', 400, 'INPUT_INVALID'],
  ['a number', () => '1e999', 400, 'INPUT_INVALID'],
  ['a text', () => '"event"', 400, 'INPUT_INVALID'],
  ['half an object', () => '{"eventId":', 400, 'JSON_MALFORMED'],
  ['a form', () => 'eventId=1&tenantId=2', 400, 'JSON_MALFORMED'],
  ['two objects', () => '{}{}', 400, 'JSON_MALFORMED'],
  ['a null byte', () => '\u0000', 400, 'JSON_MALFORMED'],
  ['bytes that are not UTF-8', () => Buffer.from([0x22, 0xc3, 0x28, 0x22]), 400, 'JSON_MALFORMED'],
  ['UTF-16', () => Buffer.from('{}', 'utf16le'), 400, 'JSON_MALFORMED'],
  ['1,000 levels', () => nested(1000), 400, 'INPUT_INVALID'],
  ['a payload of 1,000 levels', () => withPayload(nested(1000)), 400, 'INPUT_INVALID'],
  ['20,000 levels of arrays', () => `${'['.repeat(20_000)}${']'.repeat(20_000)}`, 400, 'INPUT_INVALID'],
  ['__proto__', () => '{"__proto__":{"scopes":["svc:admin"]}}', 400, 'INPUT_INVALID'],
  ['__proto__ deep in the payload', () => withPayload('{"a":[{"__proto__":{}}]}'), 400, 'INPUT_INVALID'],
  [
    'constructor',
    () => JSON.stringify({ ...eventOf(own.orgId), constructor: { prototype: {} } }),
    400,
    'INPUT_INVALID',
  ],
  [
    'an operator for the event id',
    () => JSON.stringify({ ...eventOf(own.orgId), eventId: { $gt: '' } }),
    400,
    'INPUT_INVALID',
  ],
  [
    'an operator for the tenant',
    () => JSON.stringify({ ...eventOf(own.orgId), tenantId: { $ne: null } }),
    400,
    'INPUT_INVALID',
  ],
  [
    "an operator for the actor's id",
    () => JSON.stringify({ ...eventOf(own.orgId), actor: { type: 'customer', id: { $regex: '.' } } }),
    400,
    'INPUT_INVALID',
  ],
  ['an unknown field', () => JSON.stringify({ ...eventOf(own.orgId), extra: 1 }), 400, 'INPUT_INVALID'],
  ['1 byte over the largest limit', () => Buffer.alloc(768 * 1024 + 1, 32), 413, 'BODY_TOO_LARGE'],
];

describe.each(cases)('a body that is %s', (_what, body, status, error) => {
  test.each(['/events', '/events/batch', '/applications/app_x/api-keys'])(
    `to %s is ${status} and stores nothing`,
    async (path) => {
      const before = await countStored();
      const answer = await own.send('POST', path, body());
      expect({ status: answer.status, error: answer.body.error }).toEqual({ status, error });
      expect(answer.body.message).toMatch(/^\S.*[.)]$/s);
      expect(answer.text.length).toBeLessThan(5000);
      expect(await countStored()).toBe(before);
    },
  );
});

describe('a refusal says what to correct', () => {
  test.each<[string, string, string, Record<string, string>, RegExp]>([
    ['a missing field', '/v1/mail/send', '{}', {}, /^body\.to is required \(string\)\. \(and 1 more; see details\)$/],
    [
      'a field near another',
      '/v1/mail/send',
      '{"to":"a@example.com","template":"x"}',
      {},
      /^body\.template is not a field; did you mean templateId\? \(and 1 more; see details\)$/,
    ],
    ['broken JSON', '/v1/mail/send', '{\n  "to": "a",\n}', {}, /: unexpected “}” at line 3, column 1\.$/],
    ['half of JSON', '/v1/mail/send', '{"to":', {}, /: it ends too early, at line 1, column 7\.$/],
    [
      'a form',
      '/v1/mail/send',
      'to=a',
      { 'content-type': 'application/x-www-form-urlencoded' },
      /^Send the body as JSON.+Content-Type: application\/json\. The request has application\/x-www-form-urlencoded\.$/,
    ],
  ])('of %s', async (_what, path, body, headers, message) => {
    const { body: answer } = await own.send('POST', path, body, headers);
    expect(answer.message).toMatch(message);
  });

  test('of an unknown field or parameter, with the one that is meant unless it is sent', async () => {
    const mail = { to: 'a@example.com', template: 'x', variables: {}, variable: {}, subject: '' };
    const { body } = await own.send('POST', '/v1/mail/send', mail);
    expect(body.details).toEqual([
      { path: 'body.templateId', message: 'Required (string).' },
      { path: 'body.template', message: 'Not a field; did you mean templateId?' },
      { path: 'body.variable', message: 'Not a field.' },
      { path: 'body.subject', message: 'Not a field.' },
    ]);
    const only = await own.send('POST', '/v1/mail/send', { to: 'a@example.com', templateId: 'x', template_id: 'y' });
    expect(only.body.message).toBe('body.template_id is not a field.');
    const list = await own.send('GET', '/applications?limt=5');
    expect(list.body.message).toBe('query.limt is not a parameter; did you mean limit?');
  });

  test('of an event of a batch', async () => {
    const events = [{ ...eventOf(own.orgId), ocurredAt: 'x' }, { ...eventOf(own.orgId), eventName: 'order' }, 7];
    const { body } = await own.send<{ results: { message: string }[] }>('POST', '/events/batch', { events });
    expect(body.results.map(({ message }) => message)).toEqual([
      'ocurredAt is not a field.',
      'eventName must be 2 to 6 dotted parts, such as order.created.',
      'event must be an object.',
    ]);
  });
});

describe('a body', () => {
  test('that declares another length than it has is refused, and the connection is not poisoned', async () => {
    const answer = await own.send('POST', '/events', JSON.stringify(eventOf(own.orgId)), { 'content-length': '10' });
    expect(answer.status).toBe(400);
    expect((await own.send('GET', '/identity/me')).status).toBe(200);
  });

  test('may come in chunks', async () => {
    const answer = await own.send('POST', '/events', eventOf(own.orgId), { 'transfer-encoding': 'chunked' });
    expect(answer.status).toBe(201);
  });

  test.each([
    ['/applications/app_x/api-keys', 'application/json'],
    ['/self-service/login', 'application/x-www-form-urlencoded'],
  ])('to %s that is too large without saying so is 413, and harms nobody', async (path, type) => {
    const headers = ['Host: x', `Authorization: Bearer ${own.apiKey}`, `Content-Type: ${type}`];
    const head = `POST ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = `4000\r\n${'a'.repeat(0x4000)}\r\n`;
    expect(await exchangeBytes(own.url, head + chunk.repeat(8))).toMatch(/^HTTP\/1\.1 413 /);
    expect((await own.send('GET', '/identity/me')).status).toBe(200);
  });

  test('that is cut off harms nobody', async () => {
    const head = `POST /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${own.apiKey}\r\n`;
    const socket = await openConnection(
      own.url,
      `${head}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a"`,
    );
    socket.resetAndDestroy();
    expect((await own.send('GET', '/identity/me')).status).toBe(200);
  });

  test('that is compressed is 415', async () => {
    const answer = await own.send('POST', '/events', eventOf(own.orgId), { 'content-encoding': 'gzip' });
    expect(answer).toMatchObject({ status: 415, body: { error: 'CONTENT_TYPE_UNSUPPORTED' } });
  });

  test.each([
    ['{"at":"once"}', 400, 'INPUT_INVALID', [{ path: 'body.at', message: 'Not a field.' }]],
    ['[]', 400, 'INPUT_INVALID', [{ path: 'body', message: 'Must be absent or an empty object.' }]],
    ['null', 400, 'INPUT_INVALID', [{ path: 'body', message: 'Must be absent or an empty object.' }]],
    ['{"at":', 400, 'JSON_MALFORMED', undefined],
    ['{}', 409, 'PLAN_IS_FREE', undefined],
    ['', 409, 'PLAN_IS_FREE', undefined],
  ])('%j to a POST that takes none is %i %s', async (body, status, error, details) => {
    const answer = await own.send('POST', `/v1/orgs/${own.orgId}/resume`, body);
    expect(answer).toMatchObject({ status, body: { error } });
    expect(answer.body.details).toEqual(details);
  });

  test('of another type to a POST that takes none is 415', async () => {
    const type = { 'content-type': 'text/plain' };
    const answer = await own.send('POST', `/v1/orgs/${own.orgId}/resume`, 'now', type);
    expect(answer).toMatchObject({ status: 415, body: { error: 'CONTENT_TYPE_UNSUPPORTED' } });
  });

  test('is not read where it has no meaning', async () => {
    const answer = await own.send('DELETE', '/v1/story/customers/nobody', '{"$where":"1"}');
    expect(answer).toMatchObject({ status: 404, body: { error: 'STORY_NOT_FOUND' } });
  });

  test('may hold what a database reserves in its payload, which comes back as it was', async () => {
    const customerId = `customer-${crypto.randomUUID()}`;
    const payload = { $set: { 'a.b': 1 }, 'x.y': [{ $gt: '' }], constructor: 1, '': null, 'ключ\u0000': '\u0000' };
    const event = eventOf(own.orgId, { actor: { type: 'customer', id: customerId }, payload });
    await own.call('context.events.create', { body: event });
    const { data } = await own.call('context.story.events', { path: { customerId }, query: {} });
    expect(data[0]!.payload).toEqual(payload);
  });
});
