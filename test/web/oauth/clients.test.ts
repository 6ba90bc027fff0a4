import { beforeAll, describe, expect, test } from '@jest/globals';
import { send } from '../../support/http.ts';
import { basic, hashOf, newOAuthClient, type OAuthClient, post, random } from '../../support/oauth.ts';
import { withDatabase } from '../../support/tenants.ts';

let client: OAuthClient;
beforeAll(async () => {
  client = await newOAuthClient();
});

const form = { grant_type: 'client_credentials' };

describe('a confidential client', () => {
  test('proves itself in the header or in the form', async () => {
    expect(await post(client, 'token', form)).toMatchObject({ status: 200 });
    const inForm = { ...form, client_id: client.clientId, client_secret: client.clientSecret };
    expect(await post(client, 'token', inForm, {})).toMatchObject({ status: 200 });
    const both = await post(client, 'token', inForm);
    expect(both).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test.each<[string, () => [Record<string, string>, Record<string, string>]]>([
    ['with another secret', () => [form, { authorization: basic({ ...client, clientSecret: random() }) }]],
    [
      'with the hash of its secret',
      () => [form, { authorization: basic({ ...client, clientSecret: hashOf(client.clientSecret) }) }],
    ],
    [
      'with what stands in place of a secret',
      () => [form, { authorization: basic({ ...client, clientSecret: 'hashed' }) }],
    ],
    ['without a secret', () => [{ ...form, client_id: client.clientId }, {}]],
    [
      'that nobody knows',
      () => [form, { authorization: basic({ ...client, clientId: 'cli_00000000000000000000000000' }) }],
    ],
    ['with a name that is none', () => [form, { authorization: basic({ ...client, clientId: '{"$ne":""}' }) }]],
  ])('is refused %s', async (_what, make) => {
    const answer = await post(client, 'token', ...make());
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });

  test('has two secrets while it changes them, each until it expires', async () => {
    const own = await newOAuthClient();
    const [next, old] = [random(), random()];
    const secrets = [
      { hash: hashOf(next), expiresAt: null },
      { hash: hashOf(own.clientSecret), expiresAt: new Date(Date.now() + 60_000) },
      { hash: hashOf(old), expiresAt: new Date(Date.now() - 1) },
    ];
    // What the gateway remembers from this call must not keep the new secret from working at once.
    expect(await post(own, 'token', form)).toMatchObject({ status: 200 });
    await withDatabase(own.databaseUrl, (database) =>
      database
        .collection<{ _id: string }>('identity_oauth_clients')
        .updateOne({ _id: own.clientId }, { $set: { secrets } }),
    );
    const statusWith = async (clientSecret: string) =>
      (await post(own, 'token', form, { authorization: basic({ ...own, clientSecret }) })).status;
    expect(await statusWith(next)).toBe(200);
    expect(await statusWith(own.clientSecret)).toBe(200);
    expect(await statusWith(old)).toBe(401);
  });
});

describe('the token endpoint', () => {
  test.each([
    ['a scope that the client is not registered for', { scope: 'svc:admin' }, 'invalid_scope'],
    ['one such scope among others', { scope: 'mail.send svc:admin' }, 'invalid_scope'],
    ['a scope of users', { scope: 'openid' }, 'invalid_scope'],
    ['a scope that does not exist', { scope: 'teapot' }, 'invalid_scope'],
    ['another resource', { resource: 'https://other.example' }, 'invalid_target'],
    ['another grant', { grant_type: 'password', username: 'a', password: 'b' }, 'unsupported_grant_type'],
    ['no grant', { grant_type: '' }, 'invalid_request'],
  ])('refuses %s', async (_what, more, error) => {
    expect(await post(client, 'token', { ...form, ...more })).toMatchObject({ status: 400, body: { error } });
  });

  test('gives less where less is asked for', async () => {
    const { body } = await post(client, 'token', { ...form, scope: 'mail.send' });
    expect(body.scope).toBe('mail.send');
  });

  test('gives nothing by a way that the client is not registered for', async () => {
    const own = await newOAuthClient({ grantTypes: ['authorization_code'] });
    expect(await post(own, 'token', form)).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } });
    const open = await newOAuthClient({ isPublic: true, grantTypes: ['authorization_code'] });
    const answer = await post(open, 'token', { ...form, client_id: open.clientId }, {});
    expect(answer).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } });
  });

  test('takes a form and nothing else, and no more than it needs', async () => {
    const authorization = basic(client);
    const path = '/oauth2/token';
    const json = { authorization, 'content-type': 'application/json' };
    const inJson = await send(client.url, { method: 'POST', path, headers: json, body: JSON.stringify(form) });
    expect(inJson).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const large = await post(client, 'token', { ...form, scope: 'x'.repeat(60_000) });
    expect(large).toMatchObject({ status: 413, body: { error: 'BODY_TOO_LARGE' } });
    expect(await send(client.url, { path })).toMatchObject({ status: 405, headers: { allow: 'OPTIONS, POST' } });
  });

  test('answers nothing that others may keep', async () => {
    const { headers } = await post(client, 'token', form);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': expect.stringMatching(/json/) });
  });
});
