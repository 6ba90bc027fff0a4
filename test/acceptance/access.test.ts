import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { type Client, clientOf } from '../support/client.ts';
import { eventually } from '../support/until.ts';
import { covers } from './covers.ts';
import { expectRefused } from './refusals.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const newNamespace = () => `acceptance-${randomBytes(8).toString('hex')}`;

async function registerKeys(client: Client, ...names: string[]): Promise<string[]> {
  const namespace = newNamespace();
  const permissions = names.map((name) => ({ key: `${namespace}.${name}` }));
  await client.call('access.permissions.register', { body: { namespace, permissions } });
  return permissions.map(({ key }) => key);
}

const newRole = (client: Client, permissions: string[], includes: string[] = []) =>
  client.call('access.roles.create', { body: { name: 'Of a test', permissions, includes } });

const readRole = (client: Client, id: string) => client.call('access.roles.read', { path: { id } });

async function withScopes(client: Client, scopes: string[]): Promise<Client> {
  const { id } = await client.call('identity.me.read', {});
  const { token } = await client.call('identity.api-keys.create', { path: { id }, body: { name: 'A key', scopes } });
  return clientOf({ ...client, apiKey: token });
}

/** The organization's application, to which roles are assigned without changing what a person may do. */
const applicationOf = async (client: Client): Promise<string> => (await client.call('identity.me.read', {})).id;

const isAllowed = async (client: Client, applicationId: string, permission: string): Promise<boolean> =>
  (await client.call('access.check', { body: { applicationId, permission } })).allowed;

covers('permissions.register', async ({ own, owner }) => {
  const namespace = newNamespace();
  const keys = [`${namespace}.orders.read`, `${namespace}.write`];
  const register = (permissions: object[], client: Client = own, headers = {}) =>
    client.attempt('access.permissions.register', { body: { namespace, permissions } }, headers);
  const { status, body, headers } = await register([{ key: keys[0], description: 'Read orders' }, { key: keys[1] }]);
  expect(status).toBe(201);
  const times = { createdAt: expect.stringMatching(timestamp), updatedAt: expect.stringMatching(timestamp) };
  expect(body).toEqual({
    namespace,
    permissions: [
      { key: keys[0], namespace, description: 'Read orders', isSystem: false, ...times },
      { key: keys[1], namespace, description: '', isSystem: false, ...times },
    ],
    revision: expect.any(Number),
  });
  expect(headers['access-revision']).toBe(`${body.revision}`);
  const third = `${namespace}.third`;
  const tenant = { 'x-tenant-id': own.orgId };
  expect((await register([{ key: third }, { key: keys[1], description: 'Write' }], owner, tenant)).status).toBe(201);
  const { data } = await own.call('access.permissions.list', { query: { namespace } });
  expect(data.map(({ key, description }) => [key, description])).toEqual([
    [keys[0], 'Read orders'],
    [third, ''],
    [keys[1], 'Write'],
  ]);
  await expectRefused(own, 'POST', '/access/permissions', [
    [{ permissions: [{ key: keys[0] }] }, 'namespace'],
    [{ namespace }, 'permissions'],
    [{ namespace, permissions: [] }, 'permissions'],
    [
      { namespace, permissions: Array.from({ length: 501 }, (_one, place) => ({ key: `${namespace}.k${place}` })) },
      'permissions',
    ],
    [{ namespace, permissions: [{ key: keys[0], description: 7 }] }, 'permissions.0.description'],
    [{ namespace, permissions: [{ key: keys[0], roles: [] }] }, 'permissions.0.roles'],
    [{ namespace, permissions: [{ key: keys[0] }], orgId: own.orgId }, 'orgId'],
  ]);
});

covers('permissions.list', async ({ own }) => {
  const keys = await registerKeys(own, 'c', 'a', 'b');
  const namespace = keys[0]!.split('.')[0]!;
  const first = await own.call('access.permissions.list', { query: { namespace, limit: '2' } });
  const rest = await own.call('access.permissions.list', { query: { namespace, cursor: first.nextCursor! } });
  expect([...first.data, ...rest.data].map(({ key }) => key)).toEqual(keys.toSorted());
  expect(rest.nextCursor).toBeNull();
  const { data: platforms } = await own.call('access.permissions.list', { query: { namespace: 'billing' } });
  expect(platforms).toMatchObject([
    { key: 'billing.read', isSystem: true, createdAt: null },
    { key: 'billing.write', isSystem: true, updatedAt: null },
  ]);
  const none = await own.call('access.permissions.list', { query: { namespace: newNamespace() } });
  expect(none).toEqual({ data: [], nextCursor: null });
});

covers('permissions.key', async ({ own }) => {
  const namespace = newNamespace();
  const wrong = [
    '',
    '.Read',
    '.a b',
    '.*',
    '.a.b.c.d',
    '..a',
    '.a\n',
    `.${'x'.repeat(490)}`,
    '.\u00e4',
    '-and-more.read',
  ];
  await expectRefused(
    own,
    'POST',
    '/access/permissions',
    [...wrong.map((end) => `${namespace}${end}`), 'other.read', `other.${namespace}`, 7, null].map((key) => [
      { namespace, permissions: [{ key }] },
      'permissions.0.key',
    ]),
  );
  await expectRefused(
    own,
    'POST',
    '/access/permissions',
    ['', 'Shop', 'a.b', 'a b', '*', 'x'.repeat(500), 7].map((given) => [
      { namespace: given, permissions: [{ key: `${given}.read` }] },
      'namespace',
    ]),
  );
  const good = ['.a', '.a.b', '.a.b-1.c', `.${'x'.repeat(127 - namespace.length)}`];
  const permissions = good.map((end) => ({ key: `${namespace}${end}` }));
  await own.call('access.permissions.register', { body: { namespace, permissions } });
});

covers('permissions.reserved', async ({ own }) => {
  const { data } = await own.call('access.permissions.list', { query: { limit: '100' } });
  const namespaces = new Set(data.filter(({ isSystem }) => isSystem).map(({ namespace }) => namespace));
  expect([...namespaces]).toEqual(expect.arrayContaining(['access', 'billing', 'console', 'context', 'storage']));
  await expectRefused(
    own,
    'POST',
    '/access/permissions',
    [...namespaces].map((namespace) => [{ namespace, permissions: [{ key: `${namespace}.mine` }] }, 'namespace']),
  );
});

covers('permissions.tenant', async ({ own, other }) => {
  const namespace = newNamespace();
  const key = `${namespace}.read`;
  for (const [client, description] of [
    [own, 'Of the one'],
    [other, 'Of the other'],
  ] as const) {
    await client.call('access.permissions.register', { body: { namespace, permissions: [{ key, description }] } });
  }
  const described = await Promise.all(
    [own, other].map((client) => client.call('access.permissions.list', { query: { namespace } })),
  );
  expect(described.map(({ data }) => data.map(({ description }) => description))).toEqual([
    ['Of the one'],
    ['Of the other'],
  ]);
});

covers('roles.create', async ({ own, owner }) => {
  const [read, write] = await registerKeys(own, 'orders.read', 'orders.write');
  const body = {
    name: 'Support',
    description: 'Helps\npeople',
    permissions: [write, 'console.orgs.read', read, write],
  };
  const { status, body: made, headers } = await own.attempt('access.roles.create', { body });
  expect(status).toBe(201);
  expect(made).toEqual({
    id: expect.stringMatching(/^role_[0-9a-hjkmnp-tv-z]{26}$/),
    name: 'Support',
    description: 'Helps\npeople',
    permissions: ['console.orgs.read', read, write].toSorted(),
    includes: [],
    isSystem: false,
    revision: expect.any(Number),
    createdAt: expect.stringMatching(timestamp),
    updatedAt: expect.stringMatching(timestamp),
  });
  expect(headers.etag).toBe(`"${made.revision}"`);
  expect(await readRole(own, made.id)).toEqual(made);
  const byOwner = { body: { name: 'Of the owner', permissions: [] } };
  const ofOwner = await owner.attempt('access.roles.create', byOwner, { 'x-tenant-id': own.orgId });
  expect(ofOwner).toMatchObject({ status: 201, body: { permissions: [], description: '' } });
});

covers('roles.list', async ({ owner }) => {
  const slug = newNamespace();
  const { id } = await owner.call('identity.organizations.create', { body: { name: 'Of a test', slug } });
  const tenant = { 'x-tenant-id': id };
  const made = [];
  for (const name of ['One', 'Two', 'Three']) {
    made.push(await owner.call('access.roles.create', { body: { name, permissions: [] } }, tenant));
  }
  const list = (query: { limit?: string; cursor?: string }) => owner.call('access.roles.list', { query }, tenant);
  const first = await list({ limit: '4' });
  const rest = await list({ limit: '4', cursor: first.nextCursor! });
  const all = [...first.data, ...rest.data];
  expect(all.slice(0, 3).map((role) => role.id)).toEqual(['role_owner', 'role_admin', 'role_member']);
  expect(all.slice(3)).toEqual(made.toSorted((one, other) => (one.id < other.id ? -1 : 1)));
  expect(rest.nextCursor).toBeNull();
  await owner.call('identity.organizations.delete', { path: { slug }, query: { confirm: slug } });
});

covers('roles.read', async ({ own }) => {
  const made = await newRole(own, []);
  const read = await own.attempt('access.roles.read', { path: { id: made.id } });
  expect(read).toMatchObject({ status: 200, body: made, headers: { etag: `"${made.revision}"` } });
  const member = await readRole(own, 'role_member');
  expect(member).toMatchObject({ name: 'member', isSystem: true });
  expect(member.permissions).toEqual(expect.arrayContaining(['access.check', 'console.orgs.read', 'storage.upload']));
  expect(member.permissions).not.toContain('console.orgs.write');
});

covers('roles.update', async ({ own }) => {
  const [read, write] = await registerKeys(own, 'read', 'write');
  const role = await newRole(own, [read!]);
  const applicationId = await applicationOf(own);
  await own.call('access.assignments.create', { body: { applicationId, roleId: role.id } });
  await eventually(async () => expect(await isAllowed(own, applicationId, read!)).toBe(true));
  const path = { id: role.id };
  const changed = await own.attempt('access.roles.update', { path, body: { permissions: [write] } });
  expect(changed).toMatchObject({ status: 200, body: { id: role.id, name: role.name, permissions: [write] } });
  expect(changed.body.revision).toBeGreaterThan(role.revision);
  await eventually(async () => expect(await isAllowed(own, applicationId, read!)).toBe(false));
  expect(await isAllowed(own, applicationId, write!)).toBe(true);
  const named = await own.call('access.roles.update', { path, body: { name: 'Renamed' }, headers: {} });
  expect(named).toMatchObject({ name: 'Renamed', permissions: [write] });
  expect(await readRole(own, role.id)).toEqual(named);
  await own.call('access.roles.delete', { path, headers: {} });
});

covers('roles.delete', async ({ own }) => {
  const [key] = await registerKeys(own, 'read');
  const role = await newRole(own, [key!]);
  const applicationId = await applicationOf(own);
  const { assignmentId } = await own.call('access.assignments.create', { body: { applicationId, roleId: role.id } });
  const path = { id: role.id };
  expect(await own.attempt('access.roles.delete', { path })).toMatchObject({ status: 204, text: '' });
  expect((await own.attempt('access.roles.delete', { path })).status).toBe(404);
  expect((await own.attempt('access.roles.read', { path })).status).toBe(404);
  expect((await own.attempt('access.assignments.delete', { path: { assignmentId } })).status).toBe(404);
  await eventually(async () => expect(await isAllowed(own, applicationId, key!)).toBe(false));
});

covers('roles.fields', async ({ own, other }) => {
  const good = { name: 'Support', permissions: ['console.orgs.read'] };
  const theirs = await newRole(other, []);
  const [foreign] = await registerKeys(other, 'read');
  const wrong: [object, string][] = [
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(10_000) }, 'name'],
    [{ description: 7 }, 'description'],
    [{ permissions: 'console.orgs.read' }, 'permissions'],
    [{ permissions: ['console.orgs.read', `${newNamespace()}.read`] }, 'permissions.1'],
    [{ permissions: [foreign] }, 'permissions.0'],
    [{ permissions: ['console.*'] }, 'permissions.0'],
    [{ permissions: ['Console.orgs.read'] }, 'permissions.0'],
    [{ permissions: [7] }, 'permissions.0'],
    [{ includes: [`role_${'0'.repeat(26)}`] }, 'includes.0'],
    [{ includes: [theirs.id] }, 'includes.0'],
    [{ isSystem: true }, 'isSystem'],
  ];
  await expectRefused(own, 'POST', '/access/roles', [
    [{ permissions: [] }, 'name'],
    [{ name: 'Support' }, 'permissions'],
    ...wrong.map(([field, place]): [object, string] => [{ ...good, ...field }, place]),
  ]);
  const role = await newRole(own, good.permissions);
  await expectRefused(own, 'PATCH', `/access/roles/${role.id}`, wrong);
  expect(await readRole(own, role.id)).toEqual(role);
});

covers('roles.includes', async ({ own }) => {
  const [read, write] = await registerKeys(own, 'read', 'write');
  const deep = await newRole(own, [read!]);
  const middle = await newRole(own, [], [deep.id]);
  const role = await newRole(own, [write!], [middle.id]);
  expect(role).toMatchObject({ permissions: [write], includes: [middle.id] });
  const applicationId = await applicationOf(own);
  await own.call('access.assignments.create', { body: { applicationId, roleId: role.id } });
  await eventually(async () => expect(await isAllowed(own, applicationId, read!)).toBe(true));
  await own.call('access.roles.delete', { path: { id: middle.id }, headers: {} });
  await eventually(async () => expect(await isAllowed(own, applicationId, read!)).toBe(false));
  expect(await isAllowed(own, applicationId, write!)).toBe(true);
  expect((await readRole(own, role.id)).includes).toEqual([]);
  await own.call('access.roles.delete', { path: { id: role.id }, headers: {} });
});

covers('roles.cycle', async ({ own }) => {
  const first = await newRole(own, []);
  const second = await newRole(own, [], [first.id]);
  const third = await newRole(own, [], [second.id]);
  for (const ids of [[first.id], [second.id, first.id], [third.id, second.id, first.id]]) {
    const path = { id: first.id };
    const { status, body } = await own.attempt('access.roles.update', { path, body: { includes: [ids[0]] } });
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'INPUT_INVALID' });
    expect(body.details?.[0]?.path).toBe('body.includes');
    expect(body.details?.[0]?.message).toContain([first.id, ...ids].join(' → '));
  }
  expect(await readRole(own, first.id)).toEqual(first);
});

covers('roles.if-match', async ({ own }) => {
  const role = await newRole(own, []);
  const path = { id: role.id };
  const rename = (name: string, headers = {}) => own.attempt('access.roles.update', { path, body: { name } }, headers);
  const ofTwo = await Promise.all(['One', 'Two'].map((name) => rename(name, { 'if-match': `"${role.revision}"` })));
  expect(ofTwo.map(({ status }) => status).toSorted()).toEqual([200, 412]);
  const { body: stored } = ofTwo.find(({ status }) => status === 200)!;
  expect(await readRole(own, role.id)).toEqual(stored);
  expect(ofTwo.find(({ status }) => status === 412)!.body.error).toBe('PRECONDITION_FAILED');
  const former = { 'if-match': `"${role.revision}"` };
  expect((await own.attempt('access.roles.delete', { path }, former)).status).toBe(412);
  expect((await rename('Three', { 'if-match': 'x' })).status).toBe(400);
  expect((await rename('Three', { 'if-match': '*' })).status).toBe(200);
  const both = await Promise.all(['Four', 'Five'].map((name) => rename(name)));
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  expect(['Four', 'Five']).toContain((await readRole(own, role.id)).name);
});

covers('roles.system', async ({ own, owner }) => {
  for (const id of ['role_owner', 'role_admin', 'role_member']) {
    const before = await readRole(own, id);
    for (const client of [own, owner]) {
      const tenant = { 'x-tenant-id': own.orgId };
      const attempts = [
        await client.attempt('access.roles.update', { path: { id }, body: { permissions: [] } }, tenant),
        await client.attempt('access.roles.delete', { path: { id } }, tenant),
      ];
      expect(attempts).toMatchObject(Array(2).fill({ status: 403, body: { error: 'ROLE_READ_ONLY' } }));
    }
    expect(await readRole(own, id)).toEqual(before);
  }
});

covers('roles.assignments', async ({ own, other }) => {
  const role = await newRole(own, await registerKeys(own, 'orders.read'));
  const applicationId = await applicationOf(own);
  const { assignmentId } = await own.call('access.assignments.create', { body: { applicationId, roleId: role.id } });
  const of = { path: { id: role.id }, query: {} };
  await eventually(async () => {
    const { data } = await own.call('access.assignments.list-of-role', of);
    expect(data).toMatchObject([{ assignmentId, applicationId, roleId: role.id }]);
  });
  expect((await other.attempt('access.assignments.list-of-role', of)).status).toBe(404);
});

covers('roles.grant', async ({ own }) => {
  const [key] = await registerKeys(own, 'read');
  const writer = await withScopes(own, ['console.access.write']);
  const role = await newRole(own, []);
  const giving = await newRole(own, [key!]);
  const wanted: [object, string][] = [
    [{ permissions: [key] }, key!],
    [{ permissions: ['console.orgs.write'] }, 'console.orgs.write'],
    [{ permissions: ['console.access.write', 'storage.delete'] }, 'storage.delete'],
    [{ includes: [giving.id] }, key!],
    [{ includes: ['role_owner'] }, ''],
  ];
  for (const [body, named] of wanted) {
    const attempts = [
      await writer.attempt('access.roles.create', { body: { name: 'Of a test', permissions: [], ...body } }),
      await writer.attempt('access.roles.update', { path: { id: role.id }, body }),
    ];
    for (const { status, body: refusal } of attempts) {
      expect({ status, error: refusal.error }).toEqual({ status: 403, error: 'SCOPE_NOT_HELD' });
      expect(refusal.message).toContain(named);
    }
  }
  expect(await readRole(own, role.id)).toEqual(role);
  const held = { name: 'Of a test', permissions: ['console.access.write'] };
  expect((await writer.attempt('access.roles.create', { body: held })).status).toBe(201);
});

covers('access.permission', async ({ own }) => {
  const { id } = await newRole(own, []);
  const namespace = newNamespace();
  const calls: [method: string, path: string, permission: string, body?: object][] = [
    ['GET', '/access/permissions', 'console.access.read'],
    ['GET', '/access/roles', 'console.access.read'],
    ['GET', `/access/roles/${id}`, 'console.access.read'],
    ['POST', '/access/permissions', 'console.access.write', { namespace, permissions: [{ key: `${namespace}.read` }] }],
    ['POST', '/access/roles', 'console.access.write', { name: 'Support', permissions: [] }],
    ['PATCH', `/access/roles/${id}`, 'console.access.write', { name: 'Support' }],
    ['DELETE', `/access/roles/${id}`, 'console.access.write'],
  ];
  const holders = {
    'console.access.read': await withScopes(own, ['svc:write', 'console.access.read']),
    'console.access.write': await withScopes(own, ['svc:write', 'console.access.write']),
  };
  for (const [method, path, permission, body] of calls) {
    const isRead = permission === 'console.access.read';
    const lacking = holders[isRead ? 'console.access.write' : 'console.access.read'];
    const { status, body: refusal } = await lacking.send(method, path, body);
    expect({ method, path, status, error: refusal.error }).toEqual({
      method,
      path,
      status: 403,
      error: 'PERMISSION_DENIED',
    });
    expect(refusal.message).toContain(permission);
  }
  expect((await holders['console.access.read'].attempt('access.roles.read', { path: { id } })).status).toBe(200);
});

covers('access.foreign', async ({ own, other, otherOwner }) => {
  const role = await newRole(own, []);
  const calls: [string, object | undefined][] = [
    ['GET', undefined],
    ['PATCH', { name: 'Mine' }],
    ['DELETE', undefined],
  ];
  for (const [method, body] of calls) {
    for (const stranger of [other, otherOwner]) {
      const headers = { 'x-request-id': 'the-same', 'x-tenant-id': other.orgId };
      const theirs = await stranger.send(method, `/access/roles/${role.id}`, body, headers);
      const nobodys = await stranger.send(method, `/access/roles/role_${'0'.repeat(26)}`, body, headers);
      expect([theirs.status, theirs.text]).toEqual([404, nobodys.text]);
    }
  }
  expect(await readRole(own, role.id)).toEqual(role);
});
