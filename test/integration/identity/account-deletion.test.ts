import { describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { until } from '../../support/until.ts';
import { joinAs, newUserClient, type User } from '../../support/user-client.ts';
import { actsOf, inDatabase, storedUser } from './me-stored.ts';

type Person = Client & User;

const deleteMe = (person: Client) => person.send('DELETE', '/identity/me');
const isOut = (person: Client) => person.send('GET', '/identity/me').then(({ status }) => status === 401);
const slugOf = (id: string): string => id.replace('_', '-');

/** The members of an organization and their roles, by the id of the user, as a member or an application sees them. */
async function rolesIn(client: Client, orgId: string): Promise<[string, string][]> {
  const path = `/organizations/${slugOf(orgId)}/members?limit=100`;
  const { body } = await client.send<{ data: { userId: string; role: string }[] }>('GET', path);
  return body.data.map(({ userId, role }) => [userId, role]);
}

const leave = (person: Person, orgId: string) =>
  person.send('DELETE', `/organizations/${slugOf(orgId)}/members/${person.userId}`);

const countOf = (collection: string, filter: object): Promise<number> =>
  inDatabase((database) => database.collection(collection).countDocuments(filter));

describe('DELETE /identity/me', () => {
  test('deletes the user with their sessions and memberships, and frees the email', async () => {
    const tenant = await newTenantClient();
    const { orgId } = tenant;
    const stays = await newUserClient({ orgId });
    const user = await newUserClient({ orgId, role: 'admin' });
    await inDatabase((database) =>
      database.collection('identity_oauth_consents').insertOne({
        _id: `${user.userId}:cli_1`,
        userId: user.userId,
        clientId: 'cli_1',
        scopes: ['profile'],
        createdAt: new Date(),
        updatedAt: new Date(),
      } as never),
    );
    expect(await deleteMe(user)).toMatchObject({ status: 204, text: '' });
    await until(() => isOut(user));
    expect(await storedUser(user.userId)).toBeNull();
    expect(await rolesIn(tenant, orgId)).toEqual([[stays.userId, 'owner']]);
    expect(await countOf('identity_sessions', { userId: user.userId })).toBe(0);
    expect(await countOf('identity_oauth_consents', { userId: user.userId })).toBe(0);
    const again = await newUserClient({ email: user.email });
    expect(await again.send('GET', '/identity/me')).toMatchObject({ status: 200, body: { email: user.email } });
  });

  test('is recorded in the log of each organization', async () => {
    const [one, other] = [await newTenantClient(), await newTenantClient()];
    await newUserClient({ orgId: one.orgId });
    const user = await newUserClient({ orgId: one.orgId });
    await joinAs(user, { orgId: other.orgId, role: 'member' });
    await deleteMe(user);
    for (const { orgId } of [one, other]) {
      expect(await actsOf(user.userId, orgId)).toContainEqual(
        expect.objectContaining({ action: 'user.deleted', target: { type: 'user', id: user.userId } }),
      );
    }
  });

  test('deletes a user of no organization, and an owner beside another', async () => {
    const tenant = await newTenantClient();
    const { orgId } = tenant;
    const [owner, other] = [await newUserClient({ orgId }), await newUserClient({ orgId })];
    expect(await deleteMe(await newUserClient())).toMatchObject({ status: 204 });
    expect(await deleteMe(owner)).toMatchObject({ status: 204 });
    expect(await rolesIn(tenant, orgId)).toEqual([[other.userId, 'owner']]);
  });

  test('refuses the last owner, names the organizations, and changes nothing', async () => {
    const [{ orgId: owned }, { orgId: shared }] = [await newTenantClient(), await newTenantClient()];
    const user = await newUserClient({ orgId: owned });
    const { slug: alsoOwned } = await user.call('identity.organizations.create', {
      body: { name: 'Also owned', slug: `also-${slugOf(owned)}` },
    });
    await joinAs(user, { orgId: shared, role: 'owner' });
    await newUserClient({ orgId: owned, role: 'admin' });
    const before = await storedUser(user.userId);
    const { status, body } = await deleteMe(user);
    expect({ status, error: body.error }).toEqual({ status: 409, error: 'LAST_OWNER' });
    expect(body.message).toContain(slugOf(owned));
    expect(body.message).toContain(alsoOwned);
    expect(body.message).not.toContain(slugOf(shared));
    expect(await storedUser(user.userId)).toEqual(before);
    expect(await isOut(user)).toBe(false);
    for (const orgId of [owned, alsoOwned, shared]) {
      expect(await rolesIn(user, orgId)).toContainEqual([user.userId, 'owner']);
    }
  });

  test('does not mind an organization that is being deleted itself', async () => {
    const { orgId } = await newTenantClient();
    const user = await newUserClient({ orgId });
    await inDatabase((database) =>
      database
        .collection<{ _id: string }>('identity_organizations')
        .updateOne({ _id: orgId }, { $set: { status: 'deleting' } }),
    );
    expect(await deleteMe(user)).toMatchObject({ status: 204 });
    expect(await storedUser(user.userId)).toBeNull();
  });

  test('deletes once, however many ask at the same time', async () => {
    const { orgId } = await newTenantClient();
    const user = await newUserClient({ orgId, role: 'member' });
    const answers = await Promise.all(Array.from({ length: 10 }, () => deleteMe(user)));
    for (const { status } of answers) expect([204, 401]).toContain(status);
    expect(answers.map(({ status }) => status)).toContain(204);
    await until(async () => (await storedUser(user.userId)) === null);
    const deletions = (await actsOf(user.userId, orgId)).filter(({ action }) => action === 'user.deleted');
    expect(deletions).toHaveLength(1);
  });

  test('leaves an owner when all owners go at the same time', async () => {
    for (let round = 0; round < propertyCases(2, 20); round += 1) {
      const [first, second] = [await newTenantClient(), await newTenantClient()];
      const owners = await Promise.all(Array.from({ length: 4 }, () => newUserClient({ orgId: first.orgId })));
      const founder = await newUserClient({ orgId: second.orgId });
      for (const owner of owners) await joinAs(owner, { orgId: second.orgId, role: 'owner' });
      expect((await leave(founder, second.orgId)).status).toBe(204);
      const answers = await Promise.all(owners.map(deleteMe));
      const refused = owners.filter((_owner, index) => answers[index]!.status === 409);
      expect(answers.every(({ status }) => status === 204 || status === 409)).toBe(true);
      expect(refused.length).toBeGreaterThan(0);
      const left = refused.map(({ userId }) => [userId, 'owner']).sort();
      expect(await rolesIn(first, first.orgId)).toEqual(left);
      expect(await rolesIn(second, second.orgId)).toEqual(left);
      for (const one of refused) await until(async () => !(await isOut(one)));
    }
  });

  test('leaves an owner when the other is demoted or taken out at the same time', async () => {
    for (let round = 0; round < propertyCases(2, 20); round += 1) {
      const tenant = await newTenantClient();
      const { orgId } = tenant;
      const [leaving, other] = [await newUserClient({ orgId }), await newUserClient({ orgId })];
      const path = `/organizations/${slugOf(orgId)}/members/${other.userId}`;
      const [deletion, change] = await Promise.all([
        deleteMe(leaving),
        round % 2 === 0 ? tenant.send('PATCH', path, { role: 'member' }) : tenant.send('DELETE', path),
      ]);
      expect([deletion.status < 300, change.status < 300].filter(Boolean)).toHaveLength(1);
      const owners = (await rolesIn(tenant, orgId)).filter(([, role]) => role === 'owner');
      expect(owners).toHaveLength(1);
      expect(await storedUser(owners[0]![0])).toMatchObject({ status: 'active' });
    }
  });
});

describe('GET /identity/me/export', () => {
  test('answers everything that is stored about the user as a file, and no secret', async () => {
    const { orgId } = await newTenantClient();
    const user: Person = await newUserClient({ orgId, role: 'admin' });
    await user.call('identity.me.update', { body: { firstName: 'Ada' } });
    await user.call('identity.contacts.create', { body: { type: 'phone', value: '+12025550123' } });
    const address = { type: 'home', addressLine: 'Main Street 1', city: 'Doha', country: 'QA' } as const;
    await user.call('identity.addresses.create', { body: address });
    const { status, headers, body, text } = await user.send<object>('GET', '/identity/me/export');
    expect({ status, disposition: headers['content-disposition'] }).toEqual({
      status: 200,
      disposition: 'attachment; filename="account.json"',
    });
    expect(body).toMatchObject({
      exportedAt: expect.any(String),
      user: { type: 'user', id: user.userId, email: user.email, firstName: 'Ada' },
      contacts: [{ value: user.email }, { value: '+12025550123' }],
      addresses: [address],
      memberships: [{ orgId, slug: slugOf(orgId), name: 'Organization of a test', role: 'admin' }],
      sessions: [{ id: user.sessionId, current: true }],
      applications: [],
      auditRecords: [
        { action: 'address.created', log: orgId },
        { action: 'contact.created', log: orgId },
        { action: 'user.updated', log: orgId },
      ],
      shortened: [],
    });
    expect(text).not.toMatch(/hash|scrypt|"revision"/i);
    expect((await actsOf(user.userId, orgId)).at(-1)).toMatchObject({ action: 'user.exported' });
  });

  test('says of whom it does not show everything', async () => {
    const { orgId } = await newTenantClient();
    const user = await newUserClient({ orgId });
    await user.call('identity.me.update', { body: { firstName: 'Ada' } });
    await inDatabase(async (database) => {
      const records = database.collection<{ _id: string }>('identity_audit_records');
      const record = await records.findOne({ orgId, 'actor.id': user.userId });
      const long = { ...record, before: { text: 'x'.repeat(1000) } };
      const ids = Array.from({ length: 600 }, (_, index) => `aud_${String(index).padStart(26, '0')}`);
      await records.insertMany(ids.map((_id) => ({ ...long, _id })));
    });
    const { body, text } = await user.send<{ shortened: string[]; auditRecords: { action: string }[] }>(
      'GET',
      '/identity/me/export',
    );
    expect(body.shortened).toEqual(['auditRecords']);
    expect(body.auditRecords.length).toBeGreaterThan(200);
    expect(Buffer.byteLength(text)).toBeLessThan(1024 * 1024);
  });
});
