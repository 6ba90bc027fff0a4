import { beforeAll, describe, expect, test } from '@jest/globals';
import { idPattern, newId } from '../../../lib/data/ids.ts';
import { type Client, clientOf } from '../../support/client.ts';
import type { ErrorBody } from '../../support/http.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import type { Tenant } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { newUserClient } from '../../support/user-client.ts';

type Application = { id: string; slug: string; name: string; description: string; orgId: string; updatedAt: string };
type Page = { data: Application[]; nextCursor: string | null };

let tenant: Client & Tenant;
let stranger: Client & Tenant;
beforeAll(async () => {
  [tenant, stranger] = [await newTenantClient({ plan: 'scale' }), await newTenantClient({ plan: 'scale' })];
});

/** A slug that nobody else has. */
const newSlug = (): string => newId('app').replace('_', '-');

async function create(client: Client = tenant, given: object = {}): Promise<Application> {
  const body = { name: 'Shop', slug: newSlug(), ...given };
  const answer = await client.send<Application>('POST', '/applications', body);
  expect(answer.status).toBe(201);
  return answer.body;
}

const read = (slug: string, client: Client = tenant) => client.send<Application>('GET', `/applications/${slug}`);

async function readAll(client: Client): Promise<Application[]> {
  const all: Application[] = [];
  let cursor = '';
  do {
    const { body } = await client.send<Page>('GET', `/applications?limit=2${cursor}`);
    all.push(...body.data);
    cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
  } while (cursor !== '');
  return all;
}

async function acts(client: Client & Tenant, action: string): Promise<Record<string, unknown>[]> {
  const path = `/organizations/${client.orgId.replace('_', '-')}/audit-log?action=${action}`;
  return (await client.send<{ data: Record<string, unknown>[] }>('GET', path)).body.data;
}

const withKey = async (scopes: string[]): Promise<Client> => {
  const path = `/applications/${tenant.applicationId}/api-keys`;
  const { body } = await tenant.send<{ token: string }>('POST', path, { name: 'key', scopes });
  return clientOf({ ...tenant, apiKey: body.token });
};

describe('POST /applications', () => {
  test('makes an application of the organization', async () => {
    const slug = newSlug();
    const { status, body } = await tenant.send<Application>('POST', '/applications', {
      name: '  Shop ',
      slug,
      description: 'Sells\nmugs',
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(idPattern('app')),
      slug,
      name: 'Shop',
      description: 'Sells\nmugs',
      orgId: tenant.orgId,
      createdAt: body.updatedAt,
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect((await read(slug)).body).toEqual(body);
    expect(await acts(tenant, 'application.created')).toContainEqual(
      expect.objectContaining({
        actor: { type: 'application', id: tenant.applicationId, credentialId: tenant.keyId },
        target: { type: 'application', id: body.id },
        before: null,
        after: { slug, name: 'Shop', description: 'Sells\nmugs' },
      }),
    );
  });

  test('does without a description', async () => {
    expect((await create()).description).toBe('');
    expect((await create(tenant, { description: null })).description).toBe('');
  });

  test('makes one application of a repetition with the same Idempotency-Key', async () => {
    const key = { 'idempotency-key': newId('req') };
    const given = { name: 'Once', slug: newSlug() };
    const first = await tenant.send('POST', '/applications', given, key);
    const second = await tenant.send('POST', '/applications', given, key);
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
  });

  test('refuses a slug that another organization has, and does not say whose it is', async () => {
    const { slug } = await create(stranger, { name: 'Secret name' });
    const { status, body, text } = await tenant.send('POST', '/applications', { name: 'Mine', slug });
    expect({ status, error: body.error }).toEqual({ status: 409, error: 'SLUG_TAKEN' });
    expect(text).not.toMatch(new RegExp(`Secret|${stranger.orgId}`));
    expect((await read(slug, stranger)).body.name).toBe('Secret name');
    expect((await read(slug)).status).toBe(404);
  });

  test('lets one of three hundred creations of a slug pass, from two organizations', async () => {
    const slug = newSlug();
    const attempts = Array.from({ length: 300 }, (_one, place) =>
      (place % 2 ? tenant : stranger).send('POST', '/applications', { name: 'Race', slug }),
    );
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(299);
    const found = await Promise.all([read(slug), read(slug, stranger)]);
    expect(found.map(({ status }) => status).sort()).toEqual([200, 404]);
  });

  test.each([
    ['no slug', { slug: undefined }, 'body.slug'],
    ['upper case', { slug: 'Shop' }, 'body.slug'],
    ['a dash at the end', { slug: 'shop-' }, 'body.slug'],
    ['a letter that looks like another', { slug: 'sh\u043ep' }, 'body.slug'],
    ['64 characters', { slug: 'a'.repeat(64) }, 'body.slug'],
    ['a line break at the end', { slug: 'shop\n' }, 'body.slug'],
    ['a reserved word', { slug: 'admin' }, 'body.slug'],
    ['another reserved word', { slug: 'new' }, 'body.slug'],
    ['no name', { name: undefined }, 'body.name'],
    ['an empty name', { name: ' \t ' }, 'body.name'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'body.name'],
    ['a name with control characters', { name: 'a\u0007b' }, 'body.name'],
    ['a description that is too long', { description: 'x'.repeat(10_000) }, 'body.description'],
    ['a description that is no text', { description: { $gt: '' } }, 'body.description'],
    ['an organization of its choice', { orgId: 'org_1' }, 'body.orgId'],
  ])('refuses %s', async (_case, given, path) => {
    const before = await readAll(tenant);
    const { status, body } = await tenant.send('POST', '/applications', { name: 'Shop', slug: newSlug(), ...given });
    expect({ status, error: body.error, path: body.details?.[0]?.path }).toEqual({
      status: 400,
      error: 'INPUT_INVALID',
      path,
    });
    expect(await readAll(tenant)).toEqual(before);
  });

  test('takes slugs of 1 and of 63 characters', async () => {
    const long = `${newSlug()}${'x'.repeat(63)}`.slice(0, 63);
    expect((await create(tenant, { slug: long })).slug).toBe(long);
  });
});

describe('GET /applications', () => {
  test('pages through the applications of the organization alone, the newest first', async () => {
    const own = await newTenantClient();
    const made = [await create(own), await create(own), await create(own)];
    const all = await readAll(own);
    expect(all.slice(0, 3)).toEqual([...made].reverse());
    expect(all.map(({ id }) => id).at(-1)).toBe(own.applicationId);
    expect(all.every(({ orgId }) => orgId === own.orgId)).toBe(true);
  });

  test.each(['limit=0', 'limit=101', 'limit=x', 'cursor=nonsense', 'page=2'])('refuses ?%s', async (query) => {
    expect((await tenant.send('GET', `/applications?${query}`)).status).toBe(400);
  });
});

describe('PATCH /applications/:slug', () => {
  test('changes what it names and keeps the rest; null clears the description', async () => {
    const application = await create(tenant, { description: 'old' });
    const change = (body: object) => tenant.send<Application>('PATCH', `/applications/${application.slug}`, body);
    const renamed = await change({ name: 'New' });
    expect(renamed.body).toEqual({ ...application, name: 'New', updatedAt: renamed.body.updatedAt });
    expect(renamed.body.updatedAt > application.updatedAt).toBe(true);
    expect((await change({ description: null })).body).toMatchObject({ name: 'New', description: '' });
    expect((await change({})).body).toMatchObject({ name: 'New', description: '' });
    expect(await acts(tenant, 'application.updated')).toContainEqual(
      expect.objectContaining({
        target: { type: 'application', id: application.id },
        before: { name: 'Shop' },
        after: { name: 'New' },
      }),
    );
  });

  test.each([
    [{ slug: 'other' }, 'body.slug'],
    [{ name: null }, 'body.name'],
    [{ name: '' }, 'body.name'],
    [{ description: 5 }, 'body.description'],
  ])('refuses %j and changes nothing', async (given, path) => {
    const application = await create();
    const { status, body } = await tenant.send('PATCH', `/applications/${application.slug}`, given);
    expect({ status, path: body.details?.[0]?.path }).toEqual({ status: 400, path });
    expect((await read(application.slug)).body).toEqual(application);
  });
});

describe('DELETE /applications/:slug', () => {
  test('takes the roles that the application had', async () => {
    const application = await create();
    const role = await tenant.call('access.roles.create', {
      body: { name: 'Checker', permissions: ['access.check'] },
    });
    const body = { applicationId: application.id, roleId: role.id };
    const { assignmentId } = await tenant.call('access.assignments.create', { body });
    const question = { applicationId: application.id, permission: 'access.check' };
    expect(await tenant.call('access.check', { body: question })).toEqual({ allowed: true });
    expect((await tenant.send('DELETE', `/applications/${application.slug}`)).status).toBe(204);
    expect(await tenant.call('access.check', { body: question })).toEqual({ allowed: false });
    expect((await tenant.send('DELETE', `/access/assignments/${assignmentId}`)).status).toBe(404);
    expect((await tenant.attempt('access.assignments.create', { body })).status).toBe(404);
  });

  test('removes the application with its client, and revokes its keys', async () => {
    const application = await create();
    const keys = `/applications/${application.id}/api-keys`;
    const key = await tenant.send<{ token: string }>('POST', keys, { name: 'key', scopes: ['svc:read'] });
    const ofKey = clientOf({ ...tenant, apiKey: key.body.token });
    const client = { grantTypes: ['client_credentials'], scopes: ['svc:read'] };
    await tenant.send('POST', `/applications/${application.slug}/oauth-client`, client);
    expect((await ofKey.send('GET', '/organizations')).status).toBe(200);

    expect((await tenant.send('DELETE', `/applications/${application.slug}`)).status).toBe(204);
    await until(async () => (await ofKey.send('GET', '/organizations')).status === 401);
    expect((await read(application.slug)).status).toBe(404);
    expect((await tenant.send('GET', keys)).status).toBe(404);
    expect((await tenant.send('POST', keys, { name: 'late', scopes: ['svc:read'] })).status).toBe(404);
    expect((await tenant.send('GET', `/applications/${application.slug}/oauth-client`)).status).toBe(404);
    expect((await tenant.send('DELETE', `/applications/${application.slug}`)).status).toBe(404);
    expect(await acts(tenant, 'application.deleted')).toContainEqual(
      expect.objectContaining({ target: { type: 'application', id: application.id }, after: null }),
    );
  });

  test('frees the slug', async () => {
    const { slug, id } = await create();
    await tenant.send('DELETE', `/applications/${slug}`);
    expect((await create(stranger, { slug })).id).not.toBe(id);
  });

  test('may delete the application that calls', async () => {
    const own = await newTenantClient();
    expect((await own.send('DELETE', `/applications/${own.applicationId.replace('_', '-')}`)).status).toBe(204);
    await until(async () => (await own.send('GET', '/organizations')).status === 401);
  });

  test('answers all of many deletions at once, and leaves no key that works', async () => {
    const application = await create();
    const keys = `/applications/${application.id}/api-keys`;
    const makeKey = () => tenant.send<{ token: string }>('POST', keys, { name: 'key', scopes: ['svc:read'] });
    const making = Array.from({ length: 20 }, makeKey);
    const deleting = Array.from({ length: 5 }, () => tenant.send('DELETE', `/applications/${application.slug}`));
    const statuses = (await Promise.all(deleting)).map(({ status }) => status);
    expect(statuses.every((status) => status === 204 || status === 404)).toBe(true);
    expect(statuses).toContain(204);
    const made = (await Promise.all(making)).filter(({ status }) => status === 201);
    for (const { body } of made) {
      const ofKey = clientOf({ ...tenant, apiKey: body.token });
      await until(async () => (await ofKey.send('GET', '/organizations')).status === 401);
    }
  });
});

describe('every path of applications', () => {
  const paths: [string, (slug: string) => string, object | undefined][] = [
    ['GET', (slug) => `/applications/${slug}`, undefined],
    ['PATCH', (slug) => `/applications/${slug}`, { name: 'Taken over' }],
    ['DELETE', (slug) => `/applications/${slug}`, undefined],
    [
      'POST',
      (slug) => `/applications/${slug}/oauth-client`,
      { grantTypes: ['client_credentials'], scopes: ['openid'] },
    ],
    ['GET', (slug) => `/applications/${slug}/oauth-client`, undefined],
    ['DELETE', (slug) => `/applications/${slug}/oauth-client`, undefined],
  ];

  test.each(paths)("answers %s %s for another organization's application as for none", async (method, pathOf, body) => {
    const application = await create(stranger);
    const [others, none] = await Promise.all([
      tenant.send<ErrorBody>(method, pathOf(application.slug), body),
      tenant.send<ErrorBody>(method, pathOf(newSlug()), body),
    ]);
    expect([others.status, none.status]).toEqual([404, 404]);
    expect({ ...others.body, requestId: '' }).toEqual({ ...none.body, requestId: '' });
    expect((await read(application.slug, stranger)).body).toEqual(application);
  });

  test.each(paths)('refuses %s %s without the permission, and without a credential', async (method, pathOf, body) => {
    const application = await create();
    const weak = await withKey([method === 'GET' ? 'console.apps.write' : 'console.apps.read']);
    const { status, body: refusal } = await weak.send(method, pathOf(application.slug), body);
    expect({ status, error: refusal.error }).toEqual({ status: 403, error: 'PERMISSION_DENIED' });
    const nobody = await tenant.send(method, pathOf(application.slug), body, { authorization: null });
    expect(nobody.status).toBe(401);
    expect((await read(application.slug)).body).toEqual(application);
  });

  test('lets members read and admins write', async () => {
    const { slug } = await create();
    const member = await newUserClient({ orgId: tenant.orgId, role: 'member' });
    const admin = await newUserClient({ orgId: tenant.orgId, role: 'admin' });
    expect((await member.send('GET', `/applications/${slug}`)).status).toBe(200);
    expect((await member.send('PATCH', `/applications/${slug}`, { name: 'x' })).status).toBe(403);
    expect((await admin.send('PATCH', `/applications/${slug}`, { name: 'x' })).status).toBe(200);
    const outsider = await newUserClient();
    expect((await outsider.send('GET', `/applications/${slug}`)).body.error).toBe('TENANT_REQUIRED');
  });

  test('refuses another content type and a body that is too large', async () => {
    const text = await tenant.send('POST', '/applications', 'name=Shop', { 'content-type': 'text/plain' });
    expect(text.status).toBe(415);
    const large = await tenant.send('POST', '/applications', {
      name: 'x',
      slug: newSlug(),
      description: 'x'.repeat(2e5),
    });
    expect(large.status).toBe(413);
  });
});
