import { expect, jest, test } from '@jest/globals';
import { findIn, type Organization, openOrganization } from '../../../examples/roastery/organization.ts';
import { seedRoastery } from '../../../examples/roastery/seed.ts';
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

test('npm run seed fills an organization, and a repeated run adds nothing', async () => {
  const platform = await sharedPlatform();
  const tenant = await createTenant(await databaseUrlOf(platform), { plan: 'scale' });
  const organization = await openOrganization(platform.url, tenant.apiKey);
  // The progress of sending.
  const output = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    const first = await seedRoastery(organization);
    expect(first.steps.map(({ what, added }) => [what, added])).toEqual(
      first.steps.map(({ what, total }) => [what, total]),
    );
    expect(first.token).toMatch(/^svc_live_/);
    const totals = Object.fromEntries(first.steps.map(({ what, total }) => [what, total]));
    // Refused events are stored after the answer.
    const refused = () => countOf(organization.client.list('/events/refused', {}));
    await until(async () => (await refused()) === totals['refused events']);
    const counts = await countsOf(organization);
    expect(counts).toMatchObject({
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

    const second = await seedRoastery(organization);
    expect(second.steps.filter(({ added }) => added > 0)).toEqual([]);
    expect(second.token).toBeNull();
    expect(await countsOf(organization)).toEqual(counts);
  } finally {
    output.mockRestore();
  }
});
