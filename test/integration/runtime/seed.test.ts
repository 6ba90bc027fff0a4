import { expect, jest, test } from '@jest/globals';
import { joinTeam } from '../../../examples/roastery/colleagues.ts';
import { findIn, type Organization, openOrganization, valuesOf } from '../../../examples/roastery/organization.ts';
import { seedRoastery } from '../../../examples/roastery/seed.ts';
import { inviteTeam } from '../../../examples/roastery/team.ts';
import { mailboxToken } from '../../support/mailbox.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { createTenant, databaseUrlOf } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';

async function countOf(list: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _item of list) count += 1;
  return count;
}

/** The number of resources in the lists of an organization. */
async function countsOf({ client, slug }: Organization): Promise<Record<string, number>> {
  const query = { limit: 100 };
  const applications = client.list('/applications', { query });
  const bucket = await findIn(client.list('/v1/buckets', {}), ({ name }) => name.startsWith('roastery-'));
  const keysOf = async () => {
    let keys = 0;
    for await (const { id } of applications)
      keys += await countOf(client.list('/applications/{id}/api-keys', { path: { id } }));
    return keys;
  };
  return {
    members: await countOf(client.list('/organizations/{slug}/members', { path: { slug } })),
    agents: await countOf(client.list('/v1/connect/agents', {})),
    invitations: await countOf(client.list('/organizations/{slug}/invitations', { path: { slug } })),
    roles: await countOf(client.list('/access/roles', {})),
    apiKeys: await keysOf(),
    events: await countOf(client.list('/events', { query })),
    refused: await countOf(client.list('/events/refused', {})),
    templates: await countOf(client.list('/v1/mail/templates', {})),
    mails: await countOf(client.list('/v1/mail/messages', { query })),
    objects: await countOf(
      client.list('/v1/buckets/{bucketName}/objects', { path: { bucketName: bucket?.name ?? 'none' } }),
    ),
    sites: await countOf(client.list('/v1/connect/sites', {})),
    conversations: await countOf(client.list('/v1/conversations', {})),
  };
}

/** Expects members with both roles and those of the roastery, of whom one answers the visitors. */
async function expectTeam({ client, slug }: Organization): Promise<void> {
  const path = { slug };
  const bruno = await findIn(
    client.list('/organizations/{slug}/members', { path }),
    ({ email }) => email === 'bruno.keller@example.com',
  );
  expect(bruno).toMatchObject({ role: 'admin' });
  const assignments = client.list('/identity/users/{userId}/assignments', { path: { userId: bruno!.userId } });
  const roaster = await findIn(client.list('/access/roles', {}), ({ name }) => name === 'Roaster');
  expect(await findIn(assignments, ({ roleId }) => roleId === roaster!.id)).toBeDefined();
  const chiara = await findIn(
    client.list('/organizations/{slug}/members', { path }),
    ({ email }) => email === 'chiara.ricci@example.com',
  );
  expect(await countOf(client.list('/v1/conversations', { query: { assigneeId: chiara!.userId } }))).toBe(2);
  const invitations = client.list('/organizations/{slug}/invitations', { path });
  expect(await findIn(invitations, ({ status }) => status === 'pending')).toBeDefined();
}

test('npm run seed fills an organization, and a repeated run adds nothing', async () => {
  const platform = await sharedPlatform();
  const tenant = await createTenant(await databaseUrlOf(platform), { plan: 'scale' });
  const organization = await openOrganization(platform.url, tenant.apiKey);
  const mailbox = `${platform.url}/dev/mailbox?token=${mailboxToken(platform)}`;
  // The progress of sending.
  const output = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    const first = await seedRoastery(organization, mailbox);
    expect(first.steps.map(({ what, added }) => [what, added])).toEqual(
      first.steps.map(({ what, total }) => [what, total]),
    );
    expect(first.token).toMatch(/^svc_live_/);
    expect(first.password).toMatch(/^[\w-]{16}$/);
    const totals = Object.fromEntries(first.steps.map(({ what, total }) => [what, total]));
    // Refused events are stored after the answer.
    const refused = () => countOf(organization.client.list('/events/refused', {}));
    await until(async () => (await refused()) === totals['refused events']);
    const counts = await countsOf(organization);
    expect(counts).toMatchObject({
      agents: 1,
      invitations: 8,
      events: totals.events,
      refused: totals['refused events'],
      templates: 1,
      objects: totals.files,
      sites: 1,
      conversations: 2,
    });
    expect(totals.events).toBeGreaterThan(200);
    const story = await organization.client.get('/v1/story/customers/{customerId}', {
      path: { customerId: first.customerIds[0]! },
    });
    expect(story.summary).toContain('order');
    await expectTeam(organization);

    const second = await seedRoastery(organization, mailbox);
    expect(second.steps.filter(({ added }) => added > 0)).toEqual([]);
    expect(second).toMatchObject({ token: null, password: null });
    expect(await countsOf(organization)).toEqual(counts);
  } finally {
    output.mockRestore();
  }
});

// The colleagues have accounts since the first test.
test('npm run seed leaves an invitation open without the mailbox, and for an address that has an account', async () => {
  const platform = await sharedPlatform();
  const tenant = await createTenant(await databaseUrlOf(platform), { plan: 'scale' });
  const organization = await openOrganization(platform.url, tenant.apiKey);
  await inviteTeam(organization);
  const nothing = { step: { total: 5, added: 0 }, password: null, agentId: null };
  expect(await joinTeam(organization, null)).toMatchObject(nothing);
  const mailbox = `${platform.url}/dev/mailbox`;
  await expect(joinTeam(organization, `${mailbox}?token=wrong`)).rejects.toThrow('The mailbox cannot be opened');
  expect(await joinTeam(organization, `${mailbox}?token=${mailboxToken(platform)}`)).toMatchObject(nothing);
  const invitations = organization.client.list('/organizations/{slug}/invitations', {
    path: { slug: organization.slug },
  });
  expect(await valuesOf(invitations, ({ status }) => status)).toEqual(new Set(['pending']));
});
