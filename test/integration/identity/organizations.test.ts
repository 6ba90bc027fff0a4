import { beforeAll, describe, expect, test } from '@jest/globals';
import { idPattern, newId } from '../../../lib/data/ids.ts';
import { sweepUnfinishedInitializations } from '../../../services/identity/create-organization.ts';
import { type Client, clientOf } from '../../support/client.ts';
import type { ErrorBody } from '../../support/http.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import type { Tenant } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { newUserClient, type User } from '../../support/user-client.ts';
import { inDatabase } from './me-stored.ts';
import { sweepNow } from './sweep-now.ts';

type Brand = { logoUrl: string | null; color: string | null };
type Organization = {
  id: string;
  slug: string;
  name: string;
  brand: Brand;
  role?: string;
  createdAt: string;
  updatedAt: string;
};
type Page = { data: Organization[]; nextCursor: string | null };

let tenant: Client & Tenant;
let slug: string;
let owner: Client & User;
beforeAll(async () => {
  tenant = await newTenantClient();
  slug = tenant.orgId.replace('_', '-');
  owner = await newUserClient({ orgId: tenant.orgId });
});

/** A slug that nobody else has. */
const newSlug = (): string => newId('org').replace('_', '-');

const create = (client: Client, body: object, headers = {}) =>
  client.send<Organization & ErrorBody>('POST', '/organizations', body, headers);

async function list(client: Client): Promise<Organization[]> {
  const { status, body } = await client.send<Page>('GET', '/organizations?limit=100');
  expect(status).toBe(200);
  return body.data;
}

describe('POST /organizations', () => {
  test.each([
    'https://evil.example',
    'Win at evil.example',
    'Platform',
    'PLATFORM Support',
    'Рlatfоrm',
    'P-l-a-t-f-o-r-m',
  ])('and PATCH refuse the name %s, which is a link or the name of the platform', async (name) => {
    const user = await newUserClient();
    const { status, body } = await create(user, { name, slug: newSlug() });
    expect([status, body.details?.[0]?.path]).toEqual([400, 'body.name']);
    expect(await list(user)).toEqual([]);
    const changed = await owner.send<ErrorBody>('PATCH', `/organizations/${slug}`, { name });
    expect([changed.status, changed.body.details?.[0]?.path]).toEqual([400, 'body.name']);
  });

  test('makes an organization that the user owns from the next request on', async () => {
    const user = await newUserClient();
    const given = { name: ' Mugs & Co ', slug: newSlug() };
    const { status, body } = await create(user, given);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(idPattern('org')),
      slug: given.slug,
      name: 'Mugs & Co',
      role: 'owner',
      createdAt: body.updatedAt,
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const read = await user.send<Organization>('GET', `/organizations/${given.slug}`);
    expect({ status: read.status, body: read.body }).toEqual({ status: 200, body });
    expect(await list(user)).toEqual([body]);
    expect((await user.send('POST', '/applications', { name: 'First', slug: newSlug() })).status).toBe(201);
    const log = await user.send<{ data: object[] }>('GET', `/organizations/${given.slug}/audit-log`);
    expect(log.body.data.at(-1)).toMatchObject({
      action: 'organization.created',
      actor: { type: 'user', id: user.userId },
      after: { slug: given.slug, name: 'Mugs & Co' },
    });
  });

  test('makes one of a repetition with the same Idempotency-Key, though the user owns it by then', async () => {
    const user = await newUserClient();
    const key = { 'idempotency-key': newId('req') };
    const given = { name: 'Once', slug: newSlug() };
    const [first, second] = [await create(user, given, key), await create(user, given, key)];
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    expect(await list(user)).toHaveLength(1);
    expect((await create(user, { ...given, name: 'Other' }, key)).body.error).toBe('IDEMPOTENCY_MISMATCH');
  });

  test('refuses a slug that is taken, and an application, which belongs to an organization already', async () => {
    const user = await newUserClient();
    const taken = await create(user, { name: 'Mine', slug });
    expect({ status: taken.status, error: taken.body.error }).toEqual({ status: 409, error: 'SLUG_TAKEN' });
    expect(await list(user)).toEqual([]);
    const application = await create(tenant, { name: 'Mine', slug: newSlug() });
    expect({ status: application.status, error: application.body.error }).toEqual({
      status: 403,
      error: 'USER_REQUIRED',
    });
    expect(application.body.message).toBe(
      'Only a user can do this, and the credential is an application’s. Send a user’s access token, or do it in a browser at /account.',
    );
    expect((await create(user, { name: 'x', slug: newSlug() }, { cookie: null })).status).toBe(401);
    const foreign = await create(user, { name: 'x', slug: newSlug() }, { origin: 'https://evil.example' });
    expect(foreign.body.error).toBe('ORIGIN_REFUSED');
  });

  test('lets one of three hundred creations of a slug pass, and no other leaves anything', async () => {
    const users = [await newUserClient(), await newUserClient()];
    const wanted = newSlug();
    const attempts = Array.from({ length: 300 }, (_one, place) =>
      create(users[place % 2]!, { name: 'Race', slug: wanted }),
    );
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(299);
    const owned = (await Promise.all(users.map(list))).flat();
    expect(owned).toMatchObject([{ slug: wanted, role: 'owner' }]);
  });

  test.each([
    ['a reserved word', { slug: 'invitations' }, 'body.slug'],
    ['upper case', { slug: 'Acme' }, 'body.slug'],
    ['a dash at the beginning', { slug: '-acme' }, 'body.slug'],
    ['a slash', { slug: 'a/b' }, 'body.slug'],
    ['64 characters', { slug: 'a'.repeat(64) }, 'body.slug'],
    ['no name', { name: undefined }, 'body.name'],
    ['a name of 10,000 characters', { name: 'x'.repeat(10_000) }, 'body.name'],
    ['a status of its choice', { status: 'deleted' }, 'body.status'],
  ])('refuses %s', async (_case, given, path) => {
    const user = await newUserClient();
    const { status, body } = await create(user, { name: 'Acme', slug: newSlug(), ...given });
    expect({ status, path: body.details?.[0]?.path }).toEqual({ status: 400, path });
    expect(await list(user)).toEqual([]);
  });

  /** An organization of which nobody but its document knows who is to own it. */
  async function leaveHalfMade(userId: string): Promise<{ _id: string; slug: string }> {
    const { _id, ...organization } = {
      _id: newId('org'),
      slug: newSlug(),
      name: 'Half made',
      status: 'active',
      pendingFounder: { userId, at: new Date(Date.now() - 3_600_000) },
      createdAt: new Date(),
      updatedAt: new Date(),
    };
    await inDatabase((database) =>
      database.collection<{ _id: string }>('identity_organizations').insertOne({ _id, ...organization } as never),
    );
    return { _id, slug: organization.slug };
  }

  test('that died before it had its owner is completed by the sweep', async () => {
    const user = await newUserClient();
    const organization = await leaveHalfMade(user.userId);
    expect((await create(user, { name: 'Again', slug: organization.slug })).body.error).toBe('SLUG_TAKEN');
    await sweepNow(sweepUnfinishedInitializations);
    await until(async () => (await list(user)).length === 1);
    expect(await list(user)).toMatchObject([{ slug: organization.slug, role: 'owner' }]);
  });

  test('that died with its owner goes with them', async () => {
    const { _id } = await leaveHalfMade(newId('usr'));
    await sweepNow(sweepUnfinishedInitializations);
    const [organization, deletion] = await inDatabase((database) =>
      Promise.all(
        ['identity_organizations', 'identity_deletions'].map((name) =>
          database.collection<{ _id: string }>(name).findOne({ _id }),
        ),
      ),
    );
    expect(organization).toMatchObject({ pendingFounder: null });
    expect(deletion).toMatchObject({ kind: 'organization', orgId: _id });
  });
});

describe('GET /organizations', () => {
  test("shows a user's organizations with the role in each, page by page", async () => {
    const user = await newUserClient({ orgId: tenant.orgId, role: 'member' });
    const made = [
      (await create(user, { name: 'One', slug: newSlug() })).body,
      (await create(user, { name: 'Two', slug: newSlug() })).body,
    ];
    const first = await user.send<Page>('GET', '/organizations?limit=2');
    const second = await user.send<Page>('GET', `/organizations?limit=2&cursor=${first.body.nextCursor}`);
    expect(first.body.data).toMatchObject([{ id: tenant.orgId, role: 'member' }, made[0]!]);
    expect(second.body).toEqual({ data: [made[1]], nextCursor: null });
  });

  test("shows an application's own, without a role, and a stranger's none", async () => {
    expect(await list(tenant)).toEqual([
      {
        id: tenant.orgId,
        slug,
        name: expect.any(String),
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
    expect(await list(await newUserClient())).toEqual([]);
    expect((await tenant.send('GET', '/organizations', undefined, { authorization: null })).status).toBe(401);
    expect((await tenant.send('GET', '/organizations?cursor=x')).body.error).toBe('CURSOR_INVALID');
  });
});

describe('GET and PATCH /organizations/:slug', () => {
  test('change the name alone, and say so in the log', async () => {
    const before = (await owner.send<Organization>('GET', `/organizations/${slug}`)).body;
    const { status, body } = await owner.send<Organization>('PATCH', `/organizations/${slug}`, { name: 'Renamed' });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, name: 'Renamed', updatedAt: body.updatedAt });
    const log = await owner.send<{ data: object[] }>(
      'GET',
      `/organizations/${slug}/audit-log?action=organization.updated`,
    );
    expect(log.body.data).toMatchObject([{ before: { name: before.name }, after: { name: 'Renamed' } }]);
  });

  test.each([
    [{ slug: 'other' }, 'body.slug'],
    [{ name: null }, 'body.name'],
    [{ name: 'a\nb' }, 'body.name'],
    [{ role: 'owner' }, 'body.role'],
  ])('refuse %j and change nothing', async (given, path) => {
    const before = (await owner.send('GET', `/organizations/${slug}`)).body;
    const { status, body } = await owner.send('PATCH', `/organizations/${slug}`, given);
    expect({ status, path: body.details?.[0]?.path }).toEqual({ status: 400, path });
    expect((await owner.send('GET', `/organizations/${slug}`)).body).toEqual(before);
  });

  test('let members read, and only who holds console.orgs.write write', async () => {
    const member = await newUserClient({ orgId: tenant.orgId, role: 'member' });
    expect((await member.send<Organization>('GET', `/organizations/${slug}`)).body.role).toBe('member');
    expect((await member.send('PATCH', `/organizations/${slug}`, { name: 'x' })).body.error).toBe('PERMISSION_DENIED');
    const weak = await newTenantClient({ scopes: ['svc:write'] });
    const own = `/organizations/${weak.orgId.replace('_', '-')}`;
    expect((await weak.send('GET', own)).status).toBe(403);
    expect((await weak.send('PATCH', own, { name: 'x' })).status).toBe(403);
  });

  test("answer a stranger's as none", async () => {
    const stranger = await newUserClient();
    const other = await newTenantClient();
    for (const client of [stranger, other]) {
      for (const method of ['GET', 'PATCH']) {
        const body = method === 'PATCH' ? { name: 'Mine' } : undefined;
        const theirs = await client.send<ErrorBody>(method, `/organizations/${slug}`, body);
        const none = await client.send<ErrorBody>(method, `/organizations/${newSlug()}`, body);
        expect([theirs.status, none.status]).toEqual([404, 404]);
        expect({ ...theirs.body, requestId: '' }).toEqual({ ...none.body, requestId: '' });
      }
    }
    const wrongHeader = clientOf({ ...other, orgId: tenant.orgId });
    expect((await wrongHeader.send('GET', `/organizations/${slug}`)).body.error).toBe('TENANT_MISMATCH');
  });
});
