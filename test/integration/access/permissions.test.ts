import { beforeAll, describe, expect, test } from '@jest/globals';
import { systemPermissions } from '../../../lib/contract/permissions.ts';
import { newId } from '../../../lib/data/ids.ts';
import type { Client } from '../../support/client.ts';
import type { ErrorBody } from '../../support/http.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import type { Tenant } from '../../support/tenants.ts';
import { newUserClient } from '../../support/user-client.ts';
import { actsOf, newNamespace, readAll, withScopes } from './keys.ts';

type Permission = {
  key: string;
  namespace: string;
  description: string;
  isSystem: boolean;
  createdAt: string | null;
  updatedAt: string | null;
};
type Registered = { namespace: string; permissions: Permission[]; revision: number };

const path = '/access/permissions';
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let tenant: Client & Tenant;
let stranger: Client & Tenant;
beforeAll(async () => {
  [tenant, stranger] = [await newTenantClient(), await newTenantClient()];
});

const register = (client: Client, namespace: string, permissions: object[], headers = {}) =>
  client.send<Registered & ErrorBody>('POST', path, { namespace, permissions }, headers);
const readOwn = async (client: Client): Promise<Permission[]> =>
  (await readAll<Permission>(client, path)).filter(({ isSystem }) => !isSystem);

describe('POST /access/permissions', () => {
  test('registers keys with what they allow, and answers them with the revision', async () => {
    const namespace = newNamespace();
    const keys = [`${namespace}.orders.refund`, `${namespace}.read`, `${namespace}.a.b.c-1`];
    const { status, body, headers } = await register(tenant, namespace, [
      { key: keys[0], description: '  Give money back\nwhere it is due ' },
      { key: keys[1] },
      { key: keys[2], description: '' },
    ]);
    expect(status).toBe(201);
    const times = { createdAt: expect.stringMatching(instant), updatedAt: expect.stringMatching(instant) };
    const shared = { namespace, isSystem: false, ...times };
    expect(body).toEqual({
      namespace,
      permissions: [
        { ...shared, key: keys[0], description: 'Give money back\nwhere it is due' },
        { ...shared, key: keys[1], description: '' },
        { ...shared, key: keys[2], description: '' },
      ],
      revision: expect.any(Number),
    });
    expect(headers['access-revision']).toBe(`${body.revision}`);
    expect(await readAll<Permission>(tenant, `${path}?namespace=${namespace}`)).toEqual(
      body.permissions.toSorted((one, other) => (one.key < other.key ? -1 : 1)),
    );
    expect(await actsOf(tenant, 'permission.registered')).toContainEqual(
      expect.objectContaining({
        actor: { type: 'application', id: tenant.applicationId, credentialId: tenant.keyId },
        target: { type: 'namespace', id: namespace },
        before: null,
        after: { keys },
      }),
    );
  });

  test('updates descriptions, adds keys and removes nothing', async () => {
    const namespace = newNamespace();
    const [first, second] = [`${namespace}.one`, `${namespace}.two`];
    const before = (await register(tenant, namespace, [{ key: first, description: 'One' }])).body;
    const after = (await register(tenant, namespace, [{ key: second, description: 'Two' }])).body;
    expect(after.revision).toBeGreaterThan(before.revision);
    const changed = (await register(tenant, namespace, [{ key: first, description: 'Another' }])).body.permissions[0]!;
    expect(changed).toEqual({ ...before.permissions[0], description: 'Another', updatedAt: changed.updatedAt });
    expect(changed.updatedAt! >= before.permissions[0]!.updatedAt!).toBe(true);
    const stored = await readAll<Permission>(tenant, `${path}?namespace=${namespace}`);
    expect(stored.map(({ key, description }) => [key, description])).toEqual([
      [first, 'Another'],
      [second, 'Two'],
    ]);
  });

  test('writes nothing where all is so already, and keeps a description that is left out', async () => {
    const own = await newTenantClient();
    const namespace = newNamespace();
    const key = `${namespace}.read`;
    const first = await register(own, namespace, [{ key, description: 'Read' }]);
    for (const again of [{ key, description: 'Read' }, { key }]) {
      const second = await register(own, namespace, [again]);
      expect({ status: second.status, body: second.body }).toEqual({ status: 201, body: first.body });
      expect(second.headers['access-revision']).toBe(`${first.body.revision}`);
    }
    expect(await actsOf(own, 'permission.registered')).toHaveLength(1);
  });

  test('takes a key that is sent twice once, as it was sent last', async () => {
    const namespace = newNamespace();
    const key = `${namespace}.read`;
    const { body } = await register(tenant, namespace, [
      { key, description: 'First' },
      { key, description: 'Last' },
    ]);
    expect(body.permissions.map(({ description }) => description)).toEqual(['Last']);
  });

  test('takes 500 keys of 128 characters, and refuses 501', async () => {
    const own = await newTenantClient();
    const namespace = newNamespace();
    const keys = Array.from({ length: 501 }, (_one, place) => ({
      key: `${namespace}.${`${place}`.padStart(127 - namespace.length, 'x')}`,
      description: 'd'.repeat(500),
    }));
    const many = await register(own, namespace, keys);
    expect({ status: many.status, path: many.body.details?.[0]?.path }).toEqual({
      status: 400,
      path: 'body.permissions',
    });
    expect(await readOwn(own)).toEqual([]);
    const { status, body } = await register(own, namespace, keys.slice(0, 500));
    expect({ status, count: body.permissions.length }).toEqual({ status: 201, count: 500 });
    expect(await readOwn(own)).toHaveLength(500);
    const [act] = await actsOf(own, 'permission.registered');
    expect(act!.after).toEqual({ keys: keys.slice(0, 20).map(({ key }) => key), total: 500 });
  });

  test('keeps organizations that use the same namespace apart', async () => {
    const namespace = newNamespace();
    const key = `${namespace}.read`;
    await register(tenant, namespace, [{ key, description: 'Of the one' }]);
    await register(stranger, namespace, [{ key, description: 'Of the other' }]);
    expect((await readOwn(tenant)).find((one) => one.key === key)?.description).toBe('Of the one');
    expect((await readOwn(stranger)).find((one) => one.key === key)?.description).toBe('Of the other');
  });

  test('registers once for repetitions with the same Idempotency-Key, and refuses it for another body', async () => {
    const namespace = newNamespace();
    const key = { 'idempotency-key': newId('req') };
    const first = await register(tenant, namespace, [{ key: `${namespace}.read` }], key);
    const second = await register(tenant, namespace, [{ key: `${namespace}.read` }], key);
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    expect((await register(tenant, namespace, [{ key: `${namespace}.write` }], key)).status).toBe(409);
  });

  test('loses nothing of twenty registrations at once', async () => {
    const own = await newTenantClient();
    const namespace = newNamespace();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_one, place) => register(own, namespace, [{ key: `${namespace}.k${place}` }])),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(new Set(answers.map(({ body }) => body.revision)).size).toBe(20);
    expect(await readOwn(own)).toHaveLength(20);
  });

  const good = { namespace: 'shop', permissions: [{ key: 'shop.orders.read' }] };
  const withKey = (key: unknown): object => ({ permissions: [{ key: 'shop.fine' }, { key }] });
  test.each<[string, object, string]>([
    ['no namespace', { namespace: undefined }, 'body.namespace'],
    ['a namespace with capitals', { namespace: 'Shop' }, 'body.namespace'],
    ['a namespace with a dot', { namespace: 'shop.orders' }, 'body.namespace'],
    ['an empty namespace', { namespace: '' }, 'body.namespace'],
    ['a namespace of 500 characters', { namespace: 'x'.repeat(500) }, 'body.namespace'],
    ['a namespace that is no text', { namespace: ['shop'] }, 'body.namespace'],
    ...['console', 'access', 'billing', 'storage', 'context', 'mail', 'notification', 'connect'].map(
      (namespace): [string, object, string] => [
        `the platform's namespace ${namespace}`,
        { namespace, permissions: [{ key: `${namespace}.own.thing` }] },
        'body.namespace',
      ],
    ),
    ['no permissions', { permissions: undefined }, 'body.permissions'],
    ['none of them', { permissions: [] }, 'body.permissions'],
    ['permissions that are no list', { permissions: 'shop.read' }, 'body.permissions'],
    ['permissions that are texts', { permissions: ['shop.read'] }, 'body.permissions.0'],
    ['a key of another namespace', withKey('other.orders.read'), 'body.permissions.1.key'],
    ['a key that only begins like the namespace', withKey('shopping.read'), 'body.permissions.1.key'],
    ['a key of the platform', withKey('console.orgs.write'), 'body.permissions.1.key'],
    ['a key with capitals', withKey('shop.Orders'), 'body.permissions.1.key'],
    ['a key with a space', withKey('shop.orders read'), 'body.permissions.1.key'],
    ['a key with a wildcard', withKey('shop.*'), 'body.permissions.1.key'],
    ['a key of one part', withKey('shop'), 'body.permissions.1.key'],
    ['a key of five parts', withKey('shop.a.b.c.d'), 'body.permissions.1.key'],
    ['a key with an empty part', withKey('shop..read'), 'body.permissions.1.key'],
    ['a key with a line break at its end', withKey('shop.read\n'), 'body.permissions.1.key'],
    ['a key with a letter that looks like another', withKey('shop.re\u0430d'), 'body.permissions.1.key'],
    ['a key of 500 characters', withKey(`shop.${'x'.repeat(495)}`), 'body.permissions.1.key'],
    ['a key that is no text', withKey({ $ne: '' }), 'body.permissions.1.key'],
    ['no key', { permissions: [{ description: 'Of what?' }] }, 'body.permissions.0.key'],
    [
      'a description of 501 characters',
      { permissions: [{ key: 'shop.read', description: 'x'.repeat(501) }] },
      'body.permissions.0.description',
    ],
    [
      'a description with control characters',
      { permissions: [{ key: 'shop.read', description: 'a\u0000b' }] },
      'body.permissions.0.description',
    ],
    [
      'a field it does not know in a permission',
      { permissions: [{ key: 'shop.read', isSystem: true }] },
      'body.permissions.0.isSystem',
    ],
    ['a field it does not know', { orgId: 'org_1' }, 'body.orgId'],
  ])('refuses %s, and registers nothing', async (_case, given, place) => {
    const before = await readOwn(tenant);
    const { status, body } = await tenant.send('POST', path, { ...good, ...given });
    expect({ status, error: body.error, path: body.details?.[0]?.path }).toEqual({
      status: 400,
      error: 'INPUT_INVALID',
      path: place,
    });
    expect(await readOwn(tenant)).toEqual(before);
  });

  test('refuses another content type, no JSON and a body that is too large', async () => {
    const text = await tenant.send('POST', path, 'namespace=shop', { 'content-type': 'text/plain' });
    expect(text.status).toBe(415);
    expect((await tenant.send('POST', path, '{"namespace":')).status).toBe(400);
    const large = { namespace: 'shop', permissions: [{ key: 'shop.read', description: 'x'.repeat(600_000) }] };
    expect((await tenant.send('POST', path, large)).status).toBe(413);
  });
});

describe('GET /access/permissions', () => {
  test("lists the platform's permissions and the organization's by key, page by page", async () => {
    const own = await newTenantClient();
    const namespace = newNamespace();
    const registered = await register(own, namespace, [{ key: `${namespace}.b` }, { key: `${namespace}.a` }]);
    const all = await readAll<Permission>(own, path, 7);
    const keys = [...Object.keys(systemPermissions), `${namespace}.a`, `${namespace}.b`].sort();
    expect(all.map(({ key }) => key)).toEqual(keys);
    expect(all.find(({ key }) => key === 'console.orgs.read')).toEqual({
      key: 'console.orgs.read',
      namespace: 'console',
      description: systemPermissions['console.orgs.read'].description,
      isSystem: true,
      createdAt: null,
      updatedAt: null,
    });
    expect(all.filter(({ isSystem }) => !isSystem)).toEqual(registered.body.permissions.toReversed());
  });

  test('lists those of a namespace, and none of one that nobody has', async () => {
    const keys = (await readAll<Permission>(tenant, `${path}?namespace=console`, 3)).map(({ key }) => key);
    expect(keys).toEqual(
      Object.keys(systemPermissions)
        .filter((key) => key.startsWith('console.'))
        .sort(),
    );
    for (const namespace of ['nobody-has-this', 'conso', 'console.orgs', '__proto__']) {
      expect(await readAll(tenant, `${path}?namespace=${namespace}`)).toEqual([]);
    }
  });

  test('goes on where a page ended although keys have come between', async () => {
    const own = await newTenantClient();
    const namespace = newNamespace();
    const named = (name: string) => ({ key: `${namespace}.${name}` });
    await register(own, namespace, [named('b'), named('d'), named('f')]);
    type Page = { data: Permission[]; nextCursor: string };
    const first = (await own.send<Page>('GET', `${path}?namespace=${namespace}&limit=2`)).body;
    await register(own, namespace, [named('a'), named('c'), named('e')]);
    const rest = await own.send<Page>('GET', `${path}?namespace=${namespace}&limit=100&cursor=${first.nextCursor}`);
    expect([...first.data, ...rest.body.data].map(({ key }) => key)).toEqual(
      ['b', 'd', 'e', 'f'].map((name) => named(name).key),
    );
  });

  test.each(['limit=0', 'limit=101', 'limit=x', 'cursor=nonsense', 'page=2', 'namespace=', 'namespace=a&namespace=b'])(
    'refuses ?%s',
    async (query) => {
      expect((await tenant.send('GET', `${path}?${query}`)).status).toBe(400);
    },
  );
});

describe('who may', () => {
  test('read: with console.access.read; register: with console.access.write', async () => {
    const [reader, writer] = [
      await withScopes(tenant, ['console.access.read']),
      await withScopes(tenant, ['console.access.write']),
    ];
    const others = await withScopes(tenant, ['svc:write', 'console.orgs.write', 'access.check']);
    const namespace = newNamespace();
    const permissions = [{ key: `${namespace}.read` }];
    const statuses = [];
    for (const client of [reader, writer, others]) {
      const listed = (await client.send('GET', path)).status;
      statuses.push([listed, (await register(client, namespace, permissions)).status]);
    }
    expect(statuses).toEqual([
      [200, 403],
      [403, 201],
      [403, 403],
    ]);
  });

  test('do so as an owner or an admin, not as a member, and nobody from outside', async () => {
    const users = [
      await newUserClient({ orgId: tenant.orgId, role: 'owner' }),
      await newUserClient({ orgId: tenant.orgId, role: 'admin' }),
      await newUserClient({ orgId: tenant.orgId, role: 'member' }),
    ];
    const namespace = newNamespace();
    const before = await readOwn(tenant);
    const statuses = [];
    for (const [place, user] of users.entries()) {
      const listed = (await user.send('GET', path)).status;
      statuses.push([listed, (await register(user, namespace, [{ key: `${namespace}.k${place}` }])).status]);
    }
    expect(statuses).toEqual([
      [200, 201],
      [200, 201],
      [403, 403],
    ]);
    expect(await readOwn(tenant)).toHaveLength(before.length + 2);
    const outsider = await newUserClient();
    expect((await outsider.send('GET', path)).body.error).toBe('TENANT_REQUIRED');
    const tenantId = { 'x-tenant-id': tenant.orgId };
    expect((await outsider.send('GET', path, undefined, tenantId)).body.error).toBe('TENANT_MISMATCH');
    expect((await register(stranger, namespace, [{ key: `${namespace}.x` }], tenantId)).body.error).toBe(
      'TENANT_MISMATCH',
    );
    expect(await readOwn(tenant)).toHaveLength(before.length + 2);
  });

  test('never without a credential', async () => {
    for (const method of ['GET', 'POST']) {
      expect((await tenant.send(method, path, undefined, { authorization: null })).status).toBe(401);
    }
  });
});
