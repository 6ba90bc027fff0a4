import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { clientOf } from '../support/client.ts';
import { send } from '../support/http.ts';
import { covers } from './covers.ts';
import type { Person, Platform } from './platform.ts';
import { expectRefused } from './refusals.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const newSlug = () => `acceptance-${randomBytes(8).toString('hex')}`;

/** An organization that the suite makes, which nobody but its owner belongs to. */
const found = (owner: Person) =>
  owner.call('identity.organizations.create', { body: { name: 'Of a test', slug: newSlug() } });

/** The owner belongs to a hundred organizations at most, and the suite may meet them again. */
const dissolve = (owner: Person, slug: string) =>
  owner.call('identity.organizations.delete', { path: { slug }, query: { confirm: slug } });

async function slugOf({ own }: Pick<Platform, 'own'>): Promise<string> {
  return (await own.call('identity.organizations.list', { query: {} })).data[0]!.slug;
}

covers('organizations.create', async ({ owner }) => {
  const slug = newSlug();
  const { status, body } = await owner.attempt('identity.organizations.create', { body: { name: 'Moreau', slug } });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.stringMatching(/^org_[0-9a-hjkmnp-tv-z]{26}$/),
    slug,
    name: 'Moreau',
    role: 'owner',
    createdAt: expect.stringMatching(timestamp),
    updatedAt: expect.stringMatching(timestamp),
  });
  const { data } = await owner.call('identity.members.list', { path: { slug }, query: {} });
  expect(data).toMatchObject([{ email: owner.email, role: 'owner' }]);
  await expectRefused(owner, 'POST', '/organizations', [
    [{ slug: newSlug() }, 'name'],
    [{ name: '', slug: newSlug() }, 'name'],
    [{ name: 'x'.repeat(10_000), slug: newSlug() }, 'name'],
    [{ name: 'Moreau' }, 'slug'],
    [{ name: 'Moreau', slug: newSlug(), plan: 'scale' }, 'plan'],
  ]);
  await dissolve(owner, slug);
});

covers('organizations.list', async ({ own, owner }) => {
  const made = await found(owner);
  const { data } = await owner.call('identity.organizations.list', { query: { limit: '100' } });
  expect(data).toContainEqual(made);
  expect(data).toContainEqual(expect.objectContaining({ id: own.orgId, role: 'owner' }));
  const ofApplication = await own.call('identity.organizations.list', { query: {} });
  expect(ofApplication).toMatchObject({ data: [{ id: own.orgId }], nextCursor: null });
  await dissolve(owner, made.slug);
});

covers('organizations.read', async ({ own, owner }) => {
  const slug = await slugOf({ own });
  const { status, body } = await own.attempt('identity.organizations.read', { path: { slug } });
  expect(status).toBe(200);
  expect(body).toMatchObject({ id: own.orgId, slug, name: expect.any(String) });
  const asOwner = await owner.call('identity.organizations.read', { path: { slug } });
  expect(asOwner).toEqual({ ...body, role: 'owner' });
});

covers('organizations.update', async ({ owner }) => {
  const made = await found(owner);
  const path = { slug: made.slug };
  const changed = await owner.attempt('identity.organizations.update', { path, body: { name: 'Another name' } });
  expect(changed).toMatchObject({ status: 200, body: { id: made.id, slug: made.slug, name: 'Another name' } });
  expect(await owner.call('identity.organizations.read', { path })).toEqual(changed.body);
  const colored = await owner.call('identity.organizations.update', { path, body: { brand: { color: '#0B57d0' } } });
  expect(colored).toMatchObject({ name: 'Another name', brand: { color: '#0b57d0' } });
  await expectRefused(owner, 'PATCH', `/organizations/${made.slug}`, [
    [{ name: null }, 'name'],
    [{ brand: { color: 'blue' } }, 'brand.color'],
    [{ slug: newSlug() }, 'slug'],
  ]);
  await dissolve(owner, made.slug);
});

/** A PNG of one pixel. */
const image = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const setLogo = (person: Person, slug: string, body: Uint8Array | string = image) =>
  person.attempt('identity.logo.update', { path: { slug }, body });

covers('organizations.logo', async ({ owner, otherOwner }) => {
  const { slug } = await found(owner);
  const { status, body } = await setLogo(owner, slug);
  expect([status, body.brand?.logoUrl]).toEqual([200, expect.stringContaining(`/organizations/${slug}/logo/`)]);
  expect(await owner.call('identity.organizations.read', { path: { slug } })).toEqual(body);
  const svg = await setLogo(owner, slug, '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>');
  expect([svg.status, svg.body.error]).toEqual([400, 'INPUT_INVALID']);
  expect((await setLogo(owner, slug, Buffer.alloc(512 * 1024 + 1))).status).toBe(413);
  expect((await setLogo(otherOwner, slug)).status).toBe(404);
  expect(await owner.call('identity.organizations.read', { path: { slug } })).toEqual(body);
  await dissolve(owner, slug);
});

covers('organizations.logo.read', async ({ owner }) => {
  const { slug } = await found(owner);
  const { brand } = (await setLogo(owner, slug)).body;
  const { status, headers } = await send(owner.url, { path: new URL(brand!.logoUrl!).pathname });
  expect({ status, ...headers }).toMatchObject({
    status: 200,
    'content-type': 'image/png',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  });
  await dissolve(owner, slug);
});

covers('organizations.logo.remove', async ({ owner, otherOwner }) => {
  const { slug } = await found(owner);
  const path = { slug };
  const address = new URL((await setLogo(owner, slug)).body.brand!.logoUrl!).pathname;
  expect((await otherOwner.attempt('identity.logo.remove', { path })).status).toBe(404);
  expect((await owner.attempt('identity.logo.remove', { path })).status).toBe(204);
  expect((await send(owner.url, { path: address })).status).toBe(404);
  expect((await owner.attempt('identity.logo.remove', { path })).status).toBe(404);
  await dissolve(owner, slug);
});

covers('organizations.security.read', async ({ owner, otherOwner }) => {
  const { slug } = await found(owner);
  const rules = await owner.call('identity.security.read', { path: { slug } });
  expect(rules).toEqual({ allowedEmailDomains: [], maxSessionHours: null });
  expect((await otherOwner.attempt('identity.security.read', { path: { slug } })).status).toBe(404);
  await dissolve(owner, slug);
});

covers('organizations.security.update', async ({ owner, otherOwner }) => {
  const { slug } = await found(owner);
  const path = { slug };
  const body = { allowedEmailDomains: ['Acme.example'], maxSessionHours: 12 };
  const changed = await owner.call('identity.security.update', { path, body });
  expect(changed).toEqual({ allowedEmailDomains: ['acme.example'], maxSessionHours: 12 });
  expect(await owner.call('identity.security.read', { path })).toEqual(changed);
  const invitation = { email: 'grace@other.example', role: 'member' };
  const refused = await owner.attempt('identity.invitations.create', { path, body: invitation });
  expect([refused.status, refused.body.error]).toEqual([403, 'EMAIL_DOMAIN_NOT_ALLOWED']);
  await expectRefused(owner, 'PATCH', `/organizations/${slug}/security`, [
    [{ allowedEmailDomains: ['@'] }, 'allowedEmailDomains.0'],
    [{ maxSessionHours: 0 }, 'maxSessionHours'],
  ]);
  expect((await otherOwner.attempt('identity.security.update', { path, body })).status).toBe(404);
  expect(await owner.call('identity.security.read', { path })).toEqual(changed);
  await dissolve(owner, slug);
});

covers('organizations.delete', async ({ owner, otherOwner }) => {
  const { slug } = await found(owner);
  const path = { slug };
  const remove = (person: Person, query: object) =>
    person.attempt('identity.organizations.delete', { path, query: { ...query } });
  expect((await remove(owner, {})).body.details![0]!.path).toBe('query.confirm');
  expect((await remove(owner, { confirm: slug.toUpperCase() })).status).toBe(400);
  expect((await remove(otherOwner, { confirm: slug })).status).toBe(404);
  expect(await remove(owner, { confirm: slug })).toMatchObject({ status: 202, body: { status: 'deleting' } });
  expect((await owner.attempt('identity.organizations.read', { path })).status).toBe(404);
  const { data } = await owner.call('identity.organizations.list', { query: { limit: '100' } });
  expect(data.map((organization) => organization.slug)).not.toContain(slug);
});

covers('organizations.slug', async ({ owner, otherOwner }) => {
  const malformed = ['', 'A', 'a_b', '-a', 'a-', 'a b', 'a.b', 'ä', 'x'.repeat(64), 1, null];
  await expectRefused(
    owner,
    'POST',
    '/organizations',
    malformed.map((slug) => [{ name: 'Moreau', slug }, 'slug']),
  );
  const { slug } = await found(owner);
  const take = () => otherOwner.attempt('identity.organizations.create', { body: { name: 'Mine', slug } });
  expect(await take()).toMatchObject({ status: 409, body: { error: 'SLUG_TAKEN' } });
  await dissolve(owner, slug);
  expect(await take()).toMatchObject({ status: 409, body: { error: 'SLUG_TAKEN' } });
});

covers('organizations.once', async ({ owner, otherOwner }) => {
  const key = { 'idempotency-key': newSlug() };
  const body = { name: 'Once', slug: newSlug() };
  const first = await owner.attempt('identity.organizations.create', { body }, key);
  const again = await owner.attempt('identity.organizations.create', { body }, key);
  expect(first.status).toBe(201);
  expect(again).toMatchObject({ status: 201, text: first.text });
  const another = await owner.attempt('identity.organizations.create', { body: { ...body, name: 'Twice' } }, key);
  expect(another).toMatchObject({ status: 409, body: { error: 'IDEMPOTENCY_MISMATCH' } });
  const theirs = await otherOwner.attempt('identity.organizations.create', { body }, key);
  expect(theirs).toMatchObject({ status: 409, body: { error: 'SLUG_TAKEN' } });
  await dissolve(owner, body.slug);
});

covers('organizations.permission', async ({ own, owner }) => {
  const { id } = await own.call('identity.me.read', {});
  const body = { name: 'A reader', scopes: ['svc:write', 'console.orgs.read'] };
  const { token } = await own.call('identity.api-keys.create', { path: { id }, body });
  const reader = clientOf({ ...own, apiKey: token });
  const slug = await slugOf({ own });
  const { id: userId } = await owner.call('identity.me.read', {});
  const calls: [method: string, path: string, body?: object][] = [
    ['PATCH', `/organizations/${slug}`, { name: 'Another' }],
    ['PATCH', `/organizations/${slug}/members/${userId}`, { role: 'member' }],
    ['DELETE', `/organizations/${slug}/members/${userId}`],
    ['POST', `/organizations/${slug}/invitations`, { email: 'more@example.com', role: 'member' }],
  ];
  for (const [method, path, sent] of calls) {
    const { status, body: refusal } = await reader.send(method, path, sent);
    expect({ path, status, error: refusal.error }).toEqual({ path, status: 403, error: 'PERMISSION_DENIED' });
    expect(refusal.message).toContain('console.orgs.write');
  }
  expect((await reader.attempt('identity.organizations.read', { path: { slug } })).status).toBe(200);
});

covers('organizations.foreign', async ({ own, owner, other, otherOwner }) => {
  const slug = await slugOf({ own });
  const { id: userId } = await owner.call('identity.me.read', {});
  const paths: [method: string, path: string, body?: object][] = [
    ['GET', ''],
    ['PATCH', '', { name: 'Mine' }],
    ['DELETE', `?confirm=${slug}`],
    ['GET', '/members'],
    ['PATCH', `/members/${userId}`, { role: 'member' }],
    ['DELETE', `/members/${userId}`],
    ['GET', '/invitations'],
    ['POST', '/invitations', { email: 'me@example.com', role: 'owner' }],
    ['POST', '/invitations/inv_x/resend'],
    ['DELETE', '/invitations/inv_x'],
    ['GET', '/audit-log'],
  ];
  for (const [method, path, body] of paths) {
    for (const stranger of [other, otherOwner]) {
      const foreign = await stranger.send(method, `/organizations/${slug}${path}`, body);
      const unknown = await stranger.send(method, `/organizations/${newSlug()}${path}`, body);
      const isForUsers = method === 'DELETE' && path.startsWith('?') && stranger === other;
      expect({ method, path, status: foreign.status }).toEqual({ method, path, status: isForUsers ? 403 : 404 });
      expect(foreign.body).toEqual({ ...unknown.body, requestId: expect.any(String) });
    }
  }
});

covers('tenant.ambiguous', async ({ own, other, owner }) => {
  const { id, slug } = await found(owner);
  const list = (tenant: string | null) =>
    owner.attempt('identity.applications.list', { query: {} }, { 'x-tenant-id': tenant });
  expect(await list(null)).toMatchObject({ status: 400, body: { error: 'TENANT_REQUIRED' } });
  expect(await list(id)).toMatchObject({ status: 200, body: { data: [] } });
  const { data } = (await list(own.orgId)).body;
  expect(data.map(({ orgId }) => orgId)).toEqual(data.map(() => own.orgId));
  expect(data.length).toBeGreaterThan(0);
  expect(await list(other.orgId)).toMatchObject({ status: 403, body: { error: 'TENANT_MISMATCH' } });
  await dissolve(owner, slug);
});

covers('members.last-owner', async ({ owner }) => {
  const { slug } = await found(owner);
  const path = { slug, userId: (await owner.call('identity.me.read', {})).id };
  for (const role of ['admin', 'member'] as const) {
    const demoted = await owner.attempt('identity.members.update', { path, body: { role } });
    expect(demoted).toMatchObject({ status: 409, body: { error: 'LAST_OWNER' } });
  }
  const removed = await owner.attempt('identity.members.remove', { path });
  expect(removed).toMatchObject({ status: 409, body: { error: 'LAST_OWNER' } });
  expect(await owner.call('identity.organizations.read', { path: { slug } })).toMatchObject({ role: 'owner' });
  await dissolve(owner, slug);
});
