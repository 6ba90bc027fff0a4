import { beforeEach, describe, expect, test } from '@jest/globals';
import { now } from '../../../lib/data/clock.ts';
import type { ChangeDocument } from '../../../models/access/change.ts';
import type { Client } from '../../support/client.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { untilSettled } from '../../support/until-settled.ts';
import { newUserClient, type User } from '../../support/user-client.ts';

/*
 * What another node did whose announcement has not arrived: the test writes to the database what that node would. The
 * gateway may remember the caller for half a second; what these requests make must not rest on that.
 */

let tenant: Client & Tenant;
let databaseUrl: string;
beforeEach(async () => {
  databaseUrl = await databaseUrlOf(await sharedPlatform());
  tenant = await newTenantClient();
});

const slugOf = (id: string): string => id.replace('_', '-');

/** What outlives the request that makes it, by the collection that it would be in. */
const makings: [string, (caller: Client) => Promise<{ status: number }>][] = [
  [
    'identity_api_keys',
    (caller) =>
      caller.send('POST', `/applications/${tenant.applicationId}/api-keys`, { name: 'k', scopes: ['svc:read'] }),
  ],
  [
    'identity_oauth_clients',
    (caller) =>
      caller.send('POST', `/applications/${slugOf(tenant.applicationId)}/oauth-client`, {
        grantTypes: ['client_credentials'],
        scopes: ['context.story.read'],
      }),
  ],
  [
    'identity_invitations',
    (caller) =>
      caller.send('POST', `/organizations/${slugOf(tenant.orgId)}/invitations`, {
        email: 'ada@example.com',
        role: 'member',
      }),
  ],
];

const count = (collection: string): Promise<number> =>
  withDatabase(databaseUrl, (database) => database.collection(collection).countDocuments({ orgId: tenant.orgId }));

/** Has the gateway know the caller, ends their rights behind its back, and expects that they make nothing. */
async function expectNothingMade(caller: Client, makeIt: (typeof makings)[number], end: () => Promise<void>) {
  const [collection, make] = makeIt;
  await untilSettled(databaseUrl, tenant.orgId);
  const before = await count(collection);
  expect((await caller.send('GET', '/identity/me')).status).toBe(200);
  await end();
  const { status } = await make(caller);
  // Which refusal it is depends on whether the gateway still remembers.
  expect([400, 401, 403, 404]).toContain(status);
  expect(await count(collection)).toBe(before);
}

/** Removes a member as another node does. */
function removeMember({ userId }: User): Promise<void> {
  return withDatabase(databaseUrl, async (database) => {
    const { orgId } = tenant;
    const changes = database.collection<ChangeDocument>('access_changes');
    const [last] = await changes.find({ orgId }).sort({ revision: -1 }).limit(1).toArray();
    const revision = last!.revision + 1;
    const change = { kind: 'subjectRemoved', subject: userId };
    await changes.insertOne({ _id: `${orgId}:${revision}`, orgId, revision, at: now(), change });
    await database.collection<{ _id: string }>('access_heads').updateOne({ _id: orgId }, { $set: { revision } });
  });
}

describe.each(makings)('a document of %s', (...makeIt) => {
  test('is made by an admin', async () => {
    const admin = await newUserClient({ orgId: tenant.orgId, role: 'admin' });
    expect((await makeIt[1](admin)).status).toBe(201);
  });

  test('is not made by a user whose role was revoked on another node a moment ago', async () => {
    await newUserClient({ orgId: tenant.orgId });
    const admin = await newUserClient({ orgId: tenant.orgId, role: 'admin' });
    await expectNothingMade(admin, makeIt, () => removeMember(admin));
  });

  test('is not made by a session that was ended on another node a moment ago', async () => {
    const admin = await newUserClient({ orgId: tenant.orgId, role: 'admin' });
    await expectNothingMade(admin, makeIt, () =>
      withDatabase(databaseUrl, async (database) => {
        await database.collection('identity_sessions').deleteMany({ userId: admin.userId });
      }),
    );
  });

  test('is not made by an API key that was revoked on another node a moment ago', async () => {
    await expectNothingMade(tenant, makeIt, () =>
      withDatabase(databaseUrl, async (database) => {
        const own = { _id: tenant.keyId as never };
        await database.collection('identity_api_keys').updateOne(own, { $set: { revokedAt: now() } });
      }),
    );
  });
});
