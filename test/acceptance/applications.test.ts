import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { type Client, clientOf } from '../support/client.ts';
import { eventually } from '../support/until.ts';
import { covers } from './covers.ts';
import { expectRefused } from './refusals.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const newSlug = () => `acceptance-${randomBytes(8).toString('hex')}`;
const callback = 'https://app.example.com/callback';

const make = (client: Client) =>
  client.call('identity.applications.create', { body: { name: 'Of a test', slug: newSlug() } });

async function withScopes(client: Client, scopes: string[]): Promise<Client> {
  const { id } = await client.call('identity.me.read', {});
  const { token } = await client.call('identity.api-keys.create', { path: { id }, body: { name: 'A key', scopes } });
  return clientOf({ ...client, apiKey: token });
}

covers('applications.create', async ({ own, owner }) => {
  const body = { name: 'Shop', slug: newSlug(), description: 'Sells\nthings' };
  const { status, body: made } = await own.attempt('identity.applications.create', { body });
  expect(status).toBe(201);
  expect(made).toEqual({
    id: expect.stringMatching(/^app_[0-9a-hjkmnp-tv-z]{26}$/),
    ...body,
    orgId: own.orgId,
    createdAt: expect.stringMatching(timestamp),
    updatedAt: expect.stringMatching(timestamp),
  });
  const tenant = { 'x-tenant-id': own.orgId };
  const byOwner = { body: { name: 'Shop', slug: newSlug() } };
  const ofOwner = await owner.attempt('identity.applications.create', byOwner, tenant);
  expect(ofOwner).toMatchObject({ status: 201, body: { orgId: own.orgId, description: '' } });
  await expectRefused(own, 'POST', '/applications', [
    [{ slug: newSlug() }, 'name'],
    [{ name: ' ', slug: newSlug() }, 'name'],
    [{ name: 'x'.repeat(10_000), slug: newSlug() }, 'name'],
    [{ name: 'Shop', slug: newSlug(), description: 7 }, 'description'],
    [{ name: 'Shop', slug: newSlug(), orgId: own.orgId }, 'orgId'],
  ]);
});

covers('applications.list', async ({ owner }) => {
  const slug = newSlug();
  const { id } = await owner.call('identity.organizations.create', { body: { name: 'Of a test', slug } });
  const tenant = { 'x-tenant-id': id };
  const create = () => owner.call('identity.applications.create', { body: { name: 'Shop', slug: newSlug() } }, tenant);
  const made = [await create(), await create(), await create()];
  const list = (query: { limit?: string; cursor?: string }) =>
    owner.call('identity.applications.list', { query }, tenant);
  expect(await list({})).toEqual({ data: made.toReversed(), nextCursor: null });
  const first = await list({ limit: '2' });
  const rest = await list({ limit: '2', cursor: first.nextCursor! });
  expect([...first.data, ...rest.data]).toEqual(made.toReversed());
  expect(rest.nextCursor).toBeNull();
  await owner.call('identity.organizations.delete', { path: { slug }, query: { confirm: slug } });
});

covers('applications.read', async ({ own }) => {
  const made = await make(own);
  const read = await own.attempt('identity.applications.read', { path: { slug: made.slug } });
  expect(read).toMatchObject({ status: 200, body: made });
});

covers('applications.update', async ({ own }) => {
  const made = await make(own);
  const path = { slug: made.slug };
  const described = await own.attempt('identity.applications.update', { path, body: { description: 'A shop' } });
  expect(described).toMatchObject({ status: 200, body: { ...path, name: made.name, description: 'A shop' } });
  const named = await own.call('identity.applications.update', { path, body: { name: 'Shop' } });
  expect(named).toMatchObject({ name: 'Shop', description: 'A shop' });
  expect(await own.call('identity.applications.read', { path })).toEqual(named);
  await expectRefused(own, 'PATCH', `/applications/${made.slug}`, [
    [{ slug: newSlug() }, 'slug'],
    [{ name: null }, 'name'],
  ]);
});

covers('applications.delete', async ({ own }) => {
  const { id, slug } = await make(own);
  const key = await own.call('identity.api-keys.create', {
    path: { id },
    body: { name: 'A key', scopes: ['svc:read'] },
  });
  const holder = clientOf({ ...own, apiKey: key.token });
  await holder.call('identity.me.read', {});
  expect(await own.attempt('identity.applications.delete', { path: { slug } })).toMatchObject({
    status: 204,
    text: '',
  });
  await eventually(async () => expect((await holder.attempt('identity.me.read', {})).status).toBe(401));
  expect((await own.attempt('identity.applications.read', { path: { slug } })).status).toBe(404);
  expect((await own.attempt('identity.applications.delete', { path: { slug } })).status).toBe(404);
});

covers('applications.slug', async ({ own, other }) => {
  const malformed = [undefined, '', 'A', 'a_b', '-a', 'a-', 'a b', 'ä', 'x'.repeat(64), 1, null];
  await expectRefused(
    own,
    'POST',
    '/applications',
    malformed.map((slug) => [{ name: 'Shop', slug }, 'slug']),
  );
  const { slug } = await make(own);
  for (const client of [own, other]) {
    const taken = await client.attempt('identity.applications.create', { body: { name: 'Shop', slug } });
    expect(taken).toMatchObject({ status: 409, body: { error: 'SLUG_TAKEN' } });
  }
  for (const length of [1, 63]) {
    const chosen = randomBytes(32).toString('hex').slice(0, length);
    const { status } = await own.attempt('identity.applications.create', { body: { name: 'Shop', slug: chosen } });
    // One character may well be taken: then its form was right.
    expect([201, 409]).toContain(status);
  }
});

covers('applications.permission', async ({ own }) => {
  const { slug } = await make(own);
  const calls: [method: string, path: string, permission: string, body?: object][] = [
    ['GET', '/applications', 'console.apps.read'],
    ['GET', `/applications/${slug}`, 'console.apps.read'],
    ['GET', `/applications/${slug}/oauth-client`, 'console.apps.read'],
    ['POST', '/applications', 'console.apps.write', { name: 'Shop', slug: newSlug() }],
    ['PATCH', `/applications/${slug}`, 'console.apps.write', { name: 'Shop' }],
    ['DELETE', `/applications/${slug}`, 'console.apps.write'],
    ['DELETE', `/applications/${slug}/oauth-client`, 'console.apps.write'],
  ];
  for (const [method, path, permission, body] of calls) {
    const others = ['console.apps.read', 'console.apps.write'].filter((scope) => scope !== permission);
    const { status, body: refusal } = await (await withScopes(own, ['svc:write', ...others])).send(method, path, body);
    expect({ method, path, status, error: refusal.error }).toEqual({
      method,
      path,
      status: 403,
      error: 'PERMISSION_DENIED',
    });
    expect(refusal.message).toContain(permission);
  }
  const reader = await withScopes(own, ['console.apps.read']);
  expect((await reader.attempt('identity.applications.read', { path: { slug } })).status).toBe(200);
});

covers('applications.foreign', async ({ own, other, otherOwner }) => {
  const { slug } = await make(own);
  const body = { grantTypes: ['client_credentials'], scopes: ['svc:read'] };
  await own.attempt('identity.oauth-clients.create', { path: { slug }, body });
  for (const stranger of [other, otherOwner]) {
    const attempts = [
      await stranger.attempt('identity.applications.read', { path: { slug } }),
      await stranger.attempt('identity.applications.update', { path: { slug }, body: { name: 'Mine' } }),
      await stranger.attempt('identity.applications.delete', { path: { slug } }),
      await stranger.attempt('identity.oauth-clients.read', { path: { slug } }),
      await stranger.attempt('identity.oauth-clients.create', { path: { slug }, body }),
      await stranger.attempt('identity.oauth-clients.delete', { path: { slug } }),
    ];
    expect(attempts.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  }
  expect(await own.call('identity.applications.read', { path: { slug } })).toMatchObject({ name: 'Of a test' });
});

covers('clients.create', async ({ own }) => {
  const { slug } = await make(own);
  const body = {
    grantTypes: ['authorization_code', 'client_credentials'],
    redirectUris: [callback],
    scopes: ['openid', 'profile', 'svc:read'],
  };
  const { status, body: made } = await own.attempt('identity.oauth-clients.create', { path: { slug }, body });
  expect(status).toBe(201);
  expect(made).toMatchObject({ ...body, clientId: expect.stringMatching(/^cli_[0-9a-hjkmnp-tv-z]{26}$/) });
  expect(made.clientSecret!.length).toBeGreaterThanOrEqual(32);
});

covers('clients.read', async ({ own }) => {
  const { slug } = await make(own);
  expect((await own.attempt('identity.oauth-clients.read', { path: { slug } })).status).toBe(404);
  const body = { grantTypes: ['client_credentials' as const], scopes: ['svc:read'] };
  const { clientSecret, ...shown } = await own.call('identity.oauth-clients.create', { path: { slug }, body });
  const { status, body: read, text } = await own.attempt('identity.oauth-clients.read', { path: { slug } });
  expect({ status, read }).toEqual({ status: 200, read: shown });
  expect(text).not.toContain(clientSecret);
  expect(text).not.toMatch(/hash/i);
});

covers('clients.fields', async ({ own }) => {
  const { slug } = await make(own);
  const good = { grantTypes: ['authorization_code'], redirectUris: [callback], scopes: ['openid'] };
  const uris = ['/callback', 'http://app.example.com/', 'https://*.example.com/', 'javascript:alert(1)', 7];
  const odd = [`${callback}#x`, 'https://user:pass@example.com/', 'https://example.com\\@evil.example/', 'data:,x'];
  await expectRefused(own, 'POST', `/applications/${slug}/oauth-client`, [
    [{ ...good, grantTypes: [] }, 'grantTypes'],
    [{ ...good, grantTypes: ['password'] }, 'grantTypes.0'],
    [{ ...good, redirectUris: [] }, 'redirectUris'],
    ...[...uris, ...odd].map((uri): [object, string] => [{ ...good, redirectUris: [uri] }, 'redirectUris.0']),
    [{ ...good, scopes: [] }, 'scopes'],
    [{ ...good, scopes: ['openid', 'root'] }, 'scopes.1'],
    [{ ...good, clientSecret: 'mine' }, 'clientSecret'],
  ]);
  expect((await own.attempt('identity.oauth-clients.read', { path: { slug } })).status).toBe(404);
});

covers('clients.grant', async ({ own }) => {
  const { slug } = await make(own);
  const limited = await withScopes(own, ['console.apps.write', 'svc:read']);
  const create = (scope: string) =>
    limited.attempt('identity.oauth-clients.create', {
      path: { slug },
      body: { grantTypes: ['client_credentials'], scopes: [scope] },
    });
  for (const scope of ['svc:admin', 'svc:write', 'context.events.write', 'console.orgs.read']) {
    expect(await create(scope)).toMatchObject({ status: 403, body: { error: 'SCOPE_NOT_HELD' } });
  }
  expect((await create('context.story.read')).status).toBe(201);
});
