import { beforeAll, describe, expect, test } from '@jest/globals';
import { systemPermissions } from '../../../lib/contract/permissions.ts';
import { idPattern, newId } from '../../../lib/data/ids.ts';
import type { Client, Headers } from '../../support/client.ts';
import type { Answer, ErrorBody } from '../../support/http.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import type { Tenant } from '../../support/tenants.ts';
import { newUserClient } from '../../support/user-client.ts';
import { actsOf, readAll, registerKeys, withScopes } from './keys.ts';

type Role = {
  id: string;
  name: string;
  description: string;
  permissions: string[];
  includes: string[];
  isSystem: boolean;
  revision: number;
  createdAt: string | null;
  updatedAt: string | null;
};

const path = '/access/roles';
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let tenant: Client & Tenant;
let stranger: Client & Tenant;
let keys: string[];
beforeAll(async () => {
  [tenant, stranger] = [await newTenantClient({ plan: 'scale' }), await newTenantClient()];
  keys = await registerKeys(tenant, 'orders.read', 'orders.write', 'orders.refund');
});

const post = (body: object, client: Client = tenant, headers: Headers = {}) =>
  client.send<Role & ErrorBody>('POST', path, { name: 'Support', permissions: [], ...body }, headers);
const get = (id: string, client: Client = tenant) => client.send<Role & ErrorBody>('GET', `${path}/${id}`);
const patch = (id: string, body: object, headers: Headers = {}, client: Client = tenant) =>
  client.send<Role & ErrorBody>('PATCH', `${path}/${id}`, body, headers);
const remove = (id: string, headers: Headers = {}, client: Client = tenant) =>
  client.send('DELETE', `${path}/${id}`, undefined, headers);

async function create(body: object = {}, client: Client = tenant): Promise<Role> {
  const answer = await post(body, client);
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.body;
}

const readOwn = async (client: Client): Promise<Role[]> =>
  (await readAll<Role>(client, path)).filter(({ isSystem }) => !isSystem);
const outcome = ({ status, body }: Answer<ErrorBody>) => ({ status, error: body.error });
const place = ({ status, body }: Answer<ErrorBody>) => ({ status, path: body.details?.[0]?.path });

describe('POST /access/roles', () => {
  test('makes a role of permissions, each once and sorted, with its revision as ETag', async () => {
    const included = await create();
    const given = {
      name: '  Support ',
      description: 'Helps\npeople',
      permissions: [keys[2], keys[0], keys[2], 'console.orgs.read'],
      includes: [included.id, included.id],
    };
    const { status, body, headers } = await post(given);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(idPattern('role')),
      name: 'Support',
      description: 'Helps\npeople',
      permissions: ['console.orgs.read', keys[0], keys[2]].sort(),
      includes: [included.id],
      isSystem: false,
      revision: expect.any(Number),
      createdAt: body.updatedAt,
      updatedAt: expect.stringMatching(instant),
    });
    expect(headers.etag).toBe(`"${body.revision}"`);
    expect(headers['access-revision']).toBe(`${body.revision}`);
    const read = await get(body.id);
    expect({ status: read.status, body: read.body, etag: read.headers.etag }).toEqual({
      status: 200,
      body,
      etag: headers.etag,
    });
    expect(await actsOf(tenant, 'role.created')).toContainEqual(
      expect.objectContaining({
        actor: { type: 'application', id: tenant.applicationId, credentialId: tenant.keyId },
        target: { type: 'role', id: body.id },
        before: null,
        after: {
          name: 'Support',
          description: 'Helps\npeople',
          permissions: body.permissions,
          includes: [included.id],
        },
      }),
    );
  });

  test('does without a description and with no permission at all', async () => {
    expect(await create()).toMatchObject({ description: '', permissions: [], includes: [] });
    expect(await create({ description: null, includes: [] })).toMatchObject({ description: '', includes: [] });
  });

  test('may include a system role, for whoever holds what that may do', async () => {
    expect((await create({ includes: ['role_member'] })).includes).toEqual(['role_member']);
    const admin = await newUserClient({ orgId: tenant.orgId, role: 'admin' });
    expect((await post({ includes: ['role_admin'] }, admin)).status).toBe(201);
    const { body } = await post({ includes: ['role_owner'] }, admin);
    expect(body).toMatchObject({ error: 'SCOPE_NOT_HELD', message: expect.stringContaining('billing.write') });
  });

  test('makes one role of a repetition with the same Idempotency-Key', async () => {
    const own = await newTenantClient();
    const key = { 'idempotency-key': newId('req') };
    const [first, second] = [await post({}, own, key), await post({}, own, key)];
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    expect(await readOwn(own)).toHaveLength(1);
    expect(outcome(await post({ name: 'Other' }, own, key))).toEqual({ status: 409, error: 'IDEMPOTENCY_MISMATCH' });
  });

  const ok = 'console.orgs.read';
  test.each<[string, object, string]>([
    ['no name', { name: undefined }, 'body.name'],
    ['an empty name', { name: ' ' }, 'body.name'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'body.name'],
    ['a name with control characters', { name: 'a\u0007b' }, 'body.name'],
    ['a description that is too long', { description: 'x'.repeat(1001) }, 'body.description'],
    ['no permissions', { permissions: undefined }, 'body.permissions'],
    ['permissions that are no list', { permissions: ok }, 'body.permissions'],
    ['permissions that are null', { permissions: null }, 'body.permissions'],
    ['1,001 permissions', { permissions: Array(1001).fill(ok) }, 'body.permissions'],
    ['a permission that nobody registered', { permissions: [ok, 'shop.nobody.registered'] }, 'body.permissions.1'],
    ['a permission that the platform does not have', { permissions: ['console.orgs.fly'] }, 'body.permissions.0'],
    ['a permission with capitals', { permissions: [ok, ok, 'Console.orgs.read'] }, 'body.permissions.2'],
    ['a wildcard', { permissions: ['console.*'] }, 'body.permissions.0'],
    ['a group of scopes', { permissions: ['svc:read'] }, 'body.permissions.0'],
    ['a permission of 500 characters', { permissions: [`shop.${'x'.repeat(495)}`] }, 'body.permissions.0'],
    ['a permission that is an object', { permissions: [{ $gt: '' }] }, 'body.permissions.0'],
    ['a name of an object’s own', { permissions: ['__proto__', 'constructor'] }, 'body.permissions.0'],
    ['an unknown role to include', { includes: [`role_${'0'.repeat(26)}`] }, 'body.includes.0'],
    ['51 roles to include', { includes: Array(51).fill('role_member') }, 'body.includes'],
    ['an id of its choice', { id: 'role_mine' }, 'body.id'],
    ['to be a system role', { isSystem: true }, 'body.isSystem'],
    ['a field it does not know', { orgId: 'org_1' }, 'body.orgId'],
  ])('refuses %s, and makes nothing', async (_case, given, wrong) => {
    const before = await readOwn(tenant);
    const answer = await post(given);
    expect({ ...place(answer), error: answer.body.error }).toEqual({
      status: 400,
      path: wrong,
      error: 'INPUT_INVALID',
    });
    expect(await readOwn(tenant)).toEqual(before);
  });

  test("refuses another organization's keys and roles as unknown ones", async () => {
    const [theirs] = await registerKeys(stranger, 'secret.read');
    const role = await create({}, stranger);
    const answer = await post({ permissions: [theirs], includes: [role.id] });
    expect(answer.body.details?.map((detail) => detail.path)).toEqual(['body.permissions.0', 'body.includes.0']);
    expect(answer.status).toBe(400);
  });

  test('refuses another content type and a body that is too large', async () => {
    expect((await tenant.send('POST', path, 'name=x', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post({ description: 'x'.repeat(300_000) })).status).toBe(413);
  });
});

describe('GET /access/roles', () => {
  test("lists the platform's roles with what they allow, then the organization's, page by page", async () => {
    const own = await newTenantClient();
    const made = [];
    for (const name of ['One', 'Two', 'Three']) made.push(await create({ name }, own));
    const all = await readAll<Role>(own, path, 2);
    const system = all.slice(0, 3);
    expect(system.map(({ id, isSystem }) => [id, isSystem])).toEqual([
      ['role_owner', true],
      ['role_admin', true],
      ['role_member', true],
    ]);
    expect(system[0]!.permissions).toEqual(Object.keys(systemPermissions).sort());
    expect(system[1]!.permissions).toEqual(
      Object.keys(systemPermissions)
        .filter((key) => key !== 'billing.write')
        .sort(),
    );
    expect(system[2]!.permissions).toContain('console.orgs.read');
    expect(system[2]!.permissions).not.toContain('console.orgs.write');
    expect(all.slice(3)).toEqual(made.toSorted((one, other) => (one.id < other.id ? -1 : 1)));
  });

  test('goes on where a page ended although roles have come and gone', async () => {
    const own = await newTenantClient();
    const made = [];
    for (let count = 0; count < 4; count += 1) made.push((await create({}, own)).id);
    made.sort();
    type Page = { data: Role[]; nextCursor: string };
    const first = (await own.send<Page>('GET', `${path}?limit=5`)).body;
    expect(first.data.map(({ id }) => id).slice(3)).toEqual(made.slice(0, 2));
    await remove(made[1]!, {}, own);
    await remove(made[2]!, {}, own);
    const late = await create({}, own);
    const rest = (await own.send<Page>('GET', `${path}?cursor=${first.nextCursor}`)).body;
    expect(rest.data.map(({ id }) => id)).toEqual([made[3], late.id].sort());
    expect(rest.nextCursor).toBeNull();
  });

  test('is complete where roles are so large that fewer than limit fit into a page', async () => {
    const own = await newTenantClient();
    const names = Array.from({ length: 500 }, (_one, number) => `${number}`.padStart(100, 'x'));
    const long = [...(await registerKeys(own, ...names)), ...(await registerKeys(own, ...names))];
    const made = [];
    for (let count = 0; count < 9; count += 1) made.push((await create({ permissions: long }, own)).id);
    const page = await own.send<{ data: Role[] }>('GET', `${path}?limit=100`);
    expect(page.body.data.length).toBeLessThan(12);
    expect(Buffer.byteLength(page.text)).toBeLessThan(600_000);
    expect((await readOwn(own)).map(({ id }) => id)).toEqual(made.sort());
  });

  test.each(['limit=0', 'limit=101', 'limit=x', 'cursor=nonsense', 'page=2'])('refuses ?%s', async (query) => {
    expect((await tenant.send('GET', `${path}?${query}`)).status).toBe(400);
  });
});

describe('GET /access/roles/:id', () => {
  test('shows a system role', async () => {
    const { status, body } = await get('role_member');
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: 'role_member', name: 'member', isSystem: true, includes: [], createdAt: null });
  });

  test.each(['role_nobody', 'x', '%00', '__proto__', `role_${'0'.repeat(26)}`, 'x'.repeat(3000)])(
    'answers 404 or 400 for %s',
    async (id) => {
      expect([400, 404]).toContain((await get(id)).status);
    },
  );
});

describe('PATCH /access/roles/:id', () => {
  test('changes what it names and keeps the rest; a list replaces the former', async () => {
    const role = await create({ description: 'old', permissions: [keys[0], keys[1]] });
    const replaced = await patch(role.id, { permissions: [keys[2], keys[1], keys[1]] });
    expect(replaced.status).toBe(200);
    const { revision, updatedAt } = replaced.body;
    expect(replaced.body).toEqual({ ...role, permissions: [keys[1], keys[2]].sort(), revision, updatedAt });
    expect(revision).toBeGreaterThan(role.revision);
    expect(replaced.headers.etag).toBe(`"${revision}"`);
    expect(replaced.headers['access-revision']).toBe(`${revision}`);
    expect((await get(role.id)).body).toEqual(replaced.body);
    expect((await patch(role.id, { name: 'New', description: null })).body).toMatchObject({
      name: 'New',
      description: '',
      permissions: replaced.body.permissions,
    });
    expect((await patch(role.id, { permissions: [], includes: ['role_member'] })).body).toMatchObject({
      permissions: [],
      includes: ['role_member'],
    });
    expect((await patch(role.id, { includes: [] })).body).toMatchObject({ name: 'New', includes: [] });
    const acts = await actsOf(tenant, 'role.updated');
    expect(acts.filter((act) => (act.target as { id: string }).id === role.id).reverse()).toMatchObject([
      { before: { permissions: [keys[0]] }, after: { permissions: [keys[2]] } },
      { before: { name: 'Support', description: 'old' }, after: { name: 'New', description: '' } },
      { before: { permissions: [keys[1], keys[2]].sort() }, after: { includes: ['role_member'] } },
      { before: { includes: ['role_member'] }, after: {} },
    ]);
  });

  test('writes nothing where nothing changes, and answers the role as it is', async () => {
    const own = await newTenantClient();
    const [one, two] = await registerKeys(own, 'one', 'two');
    const role = await create({ permissions: [one, two] }, own);
    for (const body of [
      {},
      { name: ' Support' },
      { permissions: [two, one, one] },
      { includes: [], description: '' },
    ]) {
      const same = await patch(role.id, body, {}, own);
      expect({ status: same.status, body: same.body, etag: same.headers.etag }).toEqual({
        status: 200,
        body: role,
        etag: `"${role.revision}"`,
      });
    }
    expect(await actsOf(own, 'role.updated')).toEqual([]);
    expect((await create({}, own)).revision).toBe(role.revision + 1);
  });

  test('takes a role that is changed only by name and keeps its identity', async () => {
    const role = await create();
    const { body } = await patch(role.id, { name: 'Another' });
    expect([body.id, body.createdAt]).toEqual([role.id, role.createdAt]);
  });

  test.each<[string, object, string]>([
    ['no name', { name: null }, 'body.name'],
    ['an empty name', { name: '' }, 'body.name'],
    ['permissions that are null', { permissions: null }, 'body.permissions'],
    ['includes that are null', { includes: null }, 'body.includes'],
    ['an unknown permission', { permissions: ['console.orgs.read', 'shop.unknown'] }, 'body.permissions.1'],
    ['an unknown role', { includes: ['role_member', 'role_unknown'] }, 'body.includes.1'],
    ['another id', { id: 'role_other' }, 'body.id'],
    ['a revision in its body', { revision: 1 }, 'body.revision'],
  ])('refuses %s and changes nothing', async (_case, given, wrong) => {
    const role = await create();
    expect(place(await patch(role.id, { description: 'Changed', ...given }))).toEqual({ status: 400, path: wrong });
    expect((await get(role.id)).body).toEqual(role);
  });

  test.each([1, 2, 5])('refuses a cycle of %d roles and names it', async (length) => {
    const chain = [await create()];
    while (chain.length < length) chain.push(await create({ includes: [chain.at(-1)!.id] }));
    const first = chain[0]!;
    const answer = await patch(first.id, { includes: ['role_member', chain.at(-1)!.id] });
    expect(place(answer)).toEqual({ status: 400, path: 'body.includes' });
    const named = [first, ...chain.toReversed()].map(({ id }) => id);
    expect(answer.body.details![0]!.message).toContain(named.join(' → '));
    expect((await get(first.id)).body).toEqual(first);
  });

  test('lets two changes that would make a cycle together not both pass', async () => {
    const [one, other] = [await create(), await create()];
    const answers = await Promise.all([
      patch(one.id, { includes: [other.id] }),
      patch(other.id, { includes: [one.id] }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});

describe('DELETE /access/roles/:id', () => {
  test('deletes a role, and takes it out of those that include it', async () => {
    const role = await create({ permissions: [keys[0]] });
    const parent = await create({ includes: [role.id, 'role_member'] });
    const { status, text, headers } = await remove(role.id);
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect(Number(headers['access-revision'])).toBeGreaterThan(parent.revision);
    expect((await get(role.id)).status).toBe(404);
    expect((await readOwn(tenant)).map(({ id }) => id)).not.toContain(role.id);
    const { body } = await get(parent.id);
    expect(body.includes).toEqual(['role_member']);
    // It is another now than who read it before knows.
    expect(body.revision).toBe(Number(headers['access-revision']));
    expect((await remove(role.id)).status).toBe(404);
    expect(await actsOf(tenant, 'role.deleted')).toContainEqual(
      expect.objectContaining({
        target: { type: 'role', id: role.id },
        before: { name: 'Support', description: '', permissions: [keys[0]], includes: [] },
        after: null,
      }),
    );
  });

  test('passes once of ten at once', async () => {
    const role = await create();
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => remove(role.id)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    expect(statuses.filter((status) => status === 404)).toHaveLength(9);
  });
});

describe('system roles', () => {
  test.each(['role_owner', 'role_admin', 'role_member'])('%s is read-only', async (id) => {
    const before = (await get(id)).body;
    expect(outcome(await patch(id, { permissions: [] }))).toEqual({ status: 403, error: 'ROLE_READ_ONLY' });
    expect(outcome(await patch(id, {}))).toEqual({ status: 403, error: 'ROLE_READ_ONLY' });
    expect(outcome(await remove(id))).toEqual({ status: 403, error: 'ROLE_READ_ONLY' });
    expect((await get(id)).body).toEqual(before);
  });
});

describe('If-Match', () => {
  const etag = ({ revision }: Role, add = 0): Headers => ({ 'if-match': `"${revision + add}"` });

  test('lets a change pass at the revision it names, and refuses it at another', async () => {
    const role = await create();
    const changed = await patch(role.id, { name: 'One' }, etag(role));
    expect(changed.status).toBe(200);
    for (const headers of [etag(role), etag(changed.body, 1), { 'if-match': '"x", W/"1"' }, { 'if-match': '""' }]) {
      expect(outcome(await patch(role.id, { name: 'Two' }, headers))).toEqual({
        status: 412,
        error: 'PRECONDITION_FAILED',
      });
      expect((await remove(role.id, headers)).status).toBe(412);
    }
    expect((await get(role.id)).body).toEqual(changed.body);
    expect((await patch(role.id, { name: 'Two' }, { 'if-match': `"x", "${changed.body.revision}"` })).status).toBe(200);
    expect((await patch(role.id, { name: 'Three' }, { 'if-match': '*' })).status).toBe(200);
    const { body } = await get(role.id);
    expect((await remove(role.id, etag(body))).status).toBe(204);
  });

  test('refuses what would change nothing at another revision too', async () => {
    const role = await create();
    await patch(role.id, { name: 'One' });
    expect((await patch(role.id, {}, etag(role))).status).toBe(412);
  });

  test.each(['1', 'x', '"1', '1"', '"1" "2"', '*, "1"', "'1'", 'W/1', ','])(
    'refuses the malformed %s',
    async (text) => {
      const role = await create();
      const headers = { 'if-match': text };
      expect(place(await patch(role.id, { name: 'x' }, headers))).toEqual({ status: 400, path: 'headers.if-match' });
      expect((await remove(role.id, headers)).status).toBe(400);
      expect((await get(role.id)).body).toEqual(role);
    },
  );

  test('is 404 for a role that nobody has', async () => {
    expect((await patch('role_nobody', { name: 'x' }, { 'if-match': '"1"' })).status).toBe(404);
    expect((await remove('role_nobody', { 'if-match': '*' })).status).toBe(404);
  });

  test('lets exactly one of two administrators change what both have read', async () => {
    for (let round = 0; round < 10; round += 1) {
      const role = await create();
      const edits = [
        { name: 'One', permissions: [keys[0]] },
        { name: 'Other', permissions: [keys[1], keys[2]] },
      ];
      const answers = await Promise.all(edits.map((edit) => patch(role.id, edit, etag(role))));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
      const passed = answers.find(({ status }) => status === 200)!.body;
      expect((await get(role.id)).body).toEqual(passed);
    }
  });

  test('left out: both pass, and one of the two is stored, whole', async () => {
    for (let round = 0; round < 10; round += 1) {
      const role = await create();
      const edits = [
        { name: 'One', description: 'By one', permissions: [keys[0]], includes: ['role_member'] },
        { name: 'Other', description: 'By the other', permissions: [keys[1], keys[2]].sort(), includes: [] },
      ];
      const answers = await Promise.all(edits.map((edit) => patch(role.id, edit)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      for (const [number, { body }] of answers.entries()) expect(body).toMatchObject(edits[number]!);
      const last = answers.map(({ body }) => body).sort((one, other) => other.revision - one.revision)[0]!;
      expect((await get(role.id)).body).toEqual(last);
    }
  });
});

describe('nobody grants what they do not hold', () => {
  test('by a key: it puts into a role only permissions that its scopes say', async () => {
    const writer = await withScopes(tenant, ['console.access.write']);
    const role = await create({ permissions: [keys[0]] });
    const before = await readOwn(tenant);
    for (const wanted of ['context.story.read', 'console.orgs.write', 'billing.write', keys[0]!]) {
      const refused = await post({ permissions: ['console.access.write', wanted] }, writer);
      expect(refused.body).toMatchObject({ error: 'SCOPE_NOT_HELD', message: expect.stringContaining(wanted) });
      expect(refused.status).toBe(403);
    }
    const added = await patch(role.id, { permissions: [keys[0], keys[1]] }, {}, writer);
    expect(added.body).toMatchObject({ error: 'SCOPE_NOT_HELD', message: expect.stringContaining(keys[1]!) });
    expect(await readOwn(tenant)).toEqual(before);
    expect((await post({ permissions: ['console.access.write'] }, writer)).status).toBe(201);
    // What is in the role already is not granted anew; and what the key does not hold it takes from nobody.
    expect((await patch(role.id, { name: 'Renamed', permissions: [keys[0]] }, {}, writer)).status).toBe(200);
    const emptied = await patch(role.id, { permissions: [] }, {}, writer);
    expect(emptied.body).toMatchObject({ error: 'SCOPE_NOT_HELD', message: expect.stringContaining(keys[0]!) });
    expect((await patch(role.id, { permissions: [] })).status).toBe(200);
    expect((await patch(role.id, { permissions: [keys[0]] }, {}, writer)).status).toBe(403);
  });

  test('by a key with a scope that names an own permission: that one, and no other', async () => {
    const named = await withScopes(tenant, ['console.access.write', keys[0]!, 'svc:write']);
    expect((await post({ permissions: [keys[0], 'storage.delete'] }, named)).status).toBe(201);
    expect(outcome(await post({ permissions: [keys[1]] }, named))).toEqual({ status: 403, error: 'SCOPE_NOT_HELD' });
    expect((await post({ permissions: ['console.orgs.read'] }, named)).status).toBe(403);
  });

  test('by including a role: all that it gives must be held, however far it reaches', async () => {
    const writer = await withScopes(tenant, ['console.access.write']);
    const deep = await create({ permissions: [keys[0]] });
    const middle = await create({ includes: [deep.id] });
    const mine = await create({}, writer);
    for (const includes of [[deep.id], [middle.id], ['role_member'], ['role_owner']]) {
      expect((await post({ includes }, writer)).status).toBe(403);
      expect((await patch(mine.id, { includes }, {}, writer)).status).toBe(403);
    }
    expect((await get(mine.id)).body).toEqual(mine);
    expect((await patch(mine.id, { includes: [middle.id] })).status).toBe(200);
  });

  test('owners and admins hold the organization’s keys, and admins all of the platform’s but one', async () => {
    const owner = await newUserClient({ orgId: tenant.orgId, role: 'owner' });
    const admin = await newUserClient({ orgId: tenant.orgId, role: 'admin' });
    const everything = [...Object.keys(systemPermissions), ...keys];
    expect((await post({ permissions: everything }, owner)).status).toBe(201);
    const refused = await post({ permissions: everything }, admin);
    expect(refused.body).toMatchObject({ error: 'SCOPE_NOT_HELD', message: expect.stringContaining('billing.write') });
    const rest = everything.filter((key) => key !== 'billing.write');
    expect((await post({ permissions: rest }, admin)).status).toBe(201);
  });
});

describe('who may', () => {
  test('write may not from the moment on at which it was taken from them', async () => {
    const owner = await newUserClient({ orgId: tenant.orgId, role: 'owner' });
    const slug = tenant.orgId.replace('_', '-');
    for (let round = 0; round < 5; round += 1) {
      const admin = await newUserClient({ orgId: tenant.orgId, role: 'admin' });
      const role = await create({}, admin);
      const member = { path: { slug, userId: admin.userId }, body: { role: 'member' as const } };
      await owner.call('identity.members.update', member);
      const statuses = [await patch(role.id, { name: 'x' }, {}, admin), await remove(role.id, {}, admin)];
      expect(statuses.map(({ status }) => status)).toEqual([403, 403]);
      expect((await get(role.id)).body).toEqual(role);
    }
  });

  const calls: [string, string, object | undefined][] = [
    ['GET', '', undefined],
    ['GET', '/:id', undefined],
    ['POST', '', { name: 'Of nobody', permissions: [] }],
    ['PATCH', '/:id', { name: 'Taken over' }],
    ['DELETE', '/:id', undefined],
  ];

  test.each(calls)('%s /access/roles%s needs its permission, and a credential', async (method, suffix, body) => {
    const role = await create();
    const before = await readOwn(tenant);
    const isRead = method === 'GET';
    const full = `${path}${suffix.replace(':id', role.id)}`;
    const weak = await withScopes(tenant, [isRead ? 'console.access.write' : 'console.access.read', 'svc:write']);
    expect(outcome(await weak.send(method, full, body))).toEqual({ status: 403, error: 'PERMISSION_DENIED' });
    const member = await newUserClient({ orgId: tenant.orgId, role: 'member' });
    expect(outcome(await member.send(method, full, body))).toEqual({ status: 403, error: 'PERMISSION_DENIED' });
    const nobody = await tenant.send(method, full, body, { authorization: null });
    expect(outcome(nobody)).toEqual({ status: 401, error: 'CREDENTIAL_REQUIRED' });
    const outsider = await newUserClient();
    expect((await outsider.send(method, full, body)).body.error).toBe('TENANT_REQUIRED');
    expect(await readOwn(tenant)).toEqual(before);
  });

  test.each(calls.slice(1).filter(([, suffix]) => suffix !== ''))(
    "%s %s answers for another organization's role as for one nobody has",
    async (method, _suffix, body) => {
      const role = await create({}, stranger);
      const headers = { 'x-request-id': 'the-same' };
      const [theirs, none] = [
        await tenant.send(method, `${path}/${role.id}`, body, headers),
        await tenant.send(method, `${path}/${newId('role')}`, body, headers),
      ];
      expect([theirs.status, theirs.text]).toEqual([404, none.text]);
      expect((await get(role.id, stranger)).body).toEqual(role);
    },
  );

  test.each(['owner', 'admin'] as const)('an %s makes, changes and deletes roles', async (role) => {
    const user = await newUserClient({ orgId: tenant.orgId, role });
    const made = await create({ permissions: [keys[0]] }, user);
    expect((await patch(made.id, { permissions: [keys[1]] }, {}, user)).status).toBe(200);
    expect((await get(made.id, user)).body.permissions).toEqual([keys[1]]);
    expect((await remove(made.id, {}, user)).status).toBe(204);
  });
});
