import { expect } from '@jest/globals';
import { type Client, clientOf } from '../support/client.ts';
import { eventOf, newCustomerId } from '../support/events.ts';
import { eventually } from '../support/until.ts';
import { covers } from './covers.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const applicationOf = async (client: Client) => (await client.call('identity.me.read', {})).id;

async function createKey(client: Client, scopes: string[], expiresAt?: string) {
  const path = { id: await applicationOf(client) };
  return client.call('identity.api-keys.create', { path, body: { name: 'A key', scopes, expiresAt } });
}

async function withScopes(client: Client, scopes: string[]): Promise<Client> {
  const { token } = await createKey(client, scopes);
  return clientOf({ ...client, apiKey: token });
}

covers('me.read', async ({ own }) => {
  const me = await own.call('identity.me.read', {});
  expect(me).toEqual({
    type: 'application',
    id: expect.stringMatching(/^app_/),
    slug: expect.any(String),
    name: expect.any(String),
    orgId: own.orgId,
    scopes: ['svc:admin'],
    keyId: expect.stringMatching(/^key_/),
  });
});

covers('keys.create', async ({ own }) => {
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const path = { id: await applicationOf(own) };
  const body = { name: 'Backend', scopes: ['svc:read', 'context.events.write'], expiresAt };
  const { status, body: key } = await own.attempt('identity.api-keys.create', { path, body });
  expect(status).toBe(201);
  expect(key).toEqual({
    ...body,
    id: expect.stringMatching(/^key_/),
    token: expect.any(String),
    lastUsedAt: null,
    createdAt: expect.stringMatching(timestamp),
    updatedAt: expect.stringMatching(timestamp),
  });
});

covers('keys.token-form', async ({ own }) => {
  const { token, id } = await createKey(own, ['svc:read']);
  expect(token).toMatch(/^svc_live_[0-9A-Za-z]{36}$/);
  const me = await clientOf({ ...own, apiKey: token }).call('identity.me.read', {});
  expect(me).toMatchObject({ keyId: id, scopes: ['svc:read'] });
});

covers('keys.list', async ({ own }) => {
  const { id, token } = await createKey(own, ['svc:read']);
  const path = { id: await applicationOf(own) };
  const { status, body, text } = await own.attempt('identity.api-keys.list', { path, query: { limit: 100 } });
  expect(status).toBe(200);
  const { token: _token, ...shown } = { ...(body.data.find((key) => key.id === id) as object), token };
  expect(shown).toMatchObject({ id, name: 'A key', scopes: ['svc:read'], expiresAt: null });
  expect(text).not.toContain('token');
  expect(text).not.toContain(token);
});

covers('keys.revoke', async ({ own }) => {
  const { id: keyId, token } = await createKey(own, ['svc:read']);
  const holder = clientOf({ ...own, apiKey: token });
  await holder.call('identity.me.read', {});
  const path = { id: await applicationOf(own), keyId };
  expect(await own.attempt('identity.api-keys.revoke', { path })).toMatchObject({ status: 204, text: '' });
  await eventually(async () => expect((await holder.attempt('identity.me.read', {})).status).toBe(401));
  expect((await own.attempt('identity.api-keys.revoke', { path })).status).toBe(404);
});

covers('keys.scopes', async ({ own }) => {
  const path = { id: await applicationOf(own) };
  for (const scopes of [
    undefined,
    null,
    [],
    'svc:read',
    ['root'],
    ['svc:everything'],
    [''],
    [1],
    ['*'],
    [{ $gt: '' }],
  ]) {
    const { status, body } = await own.attempt('identity.api-keys.create', { path, body: { name: 'A key', scopes } });
    expect({ scopes, status, error: body.error }).toEqual({ scopes, status: 400, error: 'INPUT_INVALID' });
    expect(body.details![0]!.path).toMatch(/^body\.scopes/);
  }
});

covers('keys.expiry', async ({ own }) => {
  const path = { id: await applicationOf(own) };
  const past = new Date(Date.now() - 1000).toISOString();
  for (const expiresAt of [past, 'tomorrow', 0, '2999-01-01', {}]) {
    const { status, body } = await own.attempt('identity.api-keys.create', {
      path,
      body: { name: 'A key', scopes: ['svc:read'], expiresAt },
    });
    expect({ expiresAt, status, error: body.error }).toEqual({ expiresAt, status: 400, error: 'INPUT_INVALID' });
  }
  const soon = new Date(Date.now() + 3000).toISOString();
  const { token } = await createKey(own, ['svc:read'], soon);
  const holder = clientOf({ ...own, apiKey: token });
  await eventually(async () => expect((await holder.attempt('identity.me.read', {})).status).toBe(401));
  expect(Date.now()).toBeGreaterThan(Date.parse(soon) - 50);
});

covers('keys.grant', async ({ own }) => {
  const limited = await withScopes(own, ['console.apps.write', 'svc:read']);
  const path = { id: await applicationOf(own) };
  for (const scope of ['svc:admin', 'svc:write', 'context.events.write', 'console.orgs.write', 'tenant.own.key']) {
    const answer = await limited.attempt('identity.api-keys.create', { path, body: { name: 'More', scopes: [scope] } });
    expect({ scope, status: answer.status, error: answer.body.error }).toEqual({
      scope,
      status: 403,
      error: 'SCOPE_NOT_HELD',
    });
  }
  const granted = await limited.attempt('identity.api-keys.create', {
    path,
    body: { name: 'Less', scopes: ['context.story.read'] },
  });
  expect(granted.status).toBe(201);
});

covers('keys.user', async ({ own, owner, otherOwner }) => {
  const tenant = { 'x-tenant-id': own.orgId };
  const path = { id: await applicationOf(own) };
  const body = { name: 'A key', scopes: ['svc:admin'] };
  const { id: keyId, token } = await owner.call('identity.api-keys.create', { path, body }, tenant);
  expect(await clientOf({ ...own, apiKey: token }).call('identity.me.read', {})).toMatchObject({ keyId });
  const { data } = await owner.call('identity.api-keys.list', { path, query: {} }, tenant);
  expect(data.map(({ id }) => id)).toContain(keyId);
  expect((await otherOwner.attempt('identity.api-keys.revoke', { path: { ...path, keyId } })).status).toBe(404);
  expect((await owner.attempt('identity.api-keys.revoke', { path: { ...path, keyId } }, tenant)).status).toBe(204);
});

covers('keys.foreign', async ({ own, other }) => {
  const path = { id: await applicationOf(other) };
  const { id: keyId } = await createKey(other, ['svc:read']);
  const body = { name: 'A key', scopes: ['svc:read'] };
  expect((await own.attempt('identity.api-keys.list', { path })).status).toBe(404);
  expect((await own.attempt('identity.api-keys.create', { path, body })).status).toBe(404);
  expect((await own.attempt('identity.api-keys.revoke', { path: { ...path, keyId } })).status).toBe(404);
  const unknown = await own.attempt('identity.api-keys.list', { path: { id: 'app_unknown' } });
  const foreign = await own.attempt('identity.api-keys.list', { path });
  expect(unknown.body).toEqual({ ...foreign.body, requestId: expect.any(String) });
});

const story = { path: { customerId: newCustomerId() } };

covers('scopes.read', async ({ own }) => {
  const reader = await withScopes(own, ['svc:read']);
  expect((await reader.attempt('context.story.read', story)).status).toBe(404);
  expect((await reader.attempt('context.events.create', { body: eventOf(own.orgId) })).status).toBe(403);
  expect((await reader.attempt('identity.api-keys.list', { path: { id: 'app_x' } })).status).toBe(403);
});

covers('scopes.write', async ({ own }) => {
  const writer = await withScopes(own, ['svc:write']);
  expect((await writer.attempt('context.story.read', story)).status).toBe(404);
  expect((await writer.attempt('context.events.create', { body: eventOf(own.orgId) })).status).toBe(201);
  expect((await writer.attempt('identity.api-keys.list', { path: { id: 'app_x' } })).status).toBe(403);
});

covers('scopes.single', async ({ own }) => {
  const sender = await withScopes(own, ['context.events.write']);
  expect((await sender.attempt('context.events.create', { body: eventOf(own.orgId) })).status).toBe(201);
  const refused = await sender.attempt('context.story.read', story);
  expect(refused).toMatchObject({ status: 403, body: { error: 'PERMISSION_DENIED' } });
  expect(refused.body.message).toContain('context.story.read');
  expect((await sender.attempt('identity.me.read', {})).status).toBe(200);
});
