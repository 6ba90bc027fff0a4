import { describe, expect, test } from '@jest/globals';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';

const content = { subject: 'One', text: 'Hello' };

describe.each(['mail', 'notification'] as const)('the search of %s templates', (service) => {
  async function newTenant(names: string[]) {
    const client = await newTenantClient({ plan: 'pro' });
    const create = (name: string) => client.call(`${service}.templates.create`, { body: { name, ...content } });
    const ids: string[] = [];
    for (const name of names) ids.push((await create(name)).id);
    const search = async (query: { search?: string; limit?: string; cursor?: string }) => {
      const { data, nextCursor } = await client.call(`${service}.templates.list`, { query });
      return { names: data.map(({ name }) => name), nextCursor };
    };
    return { client, ids, search };
  }

  test('finds the beginnings of names in any case and with any accents, in the order of names', async () => {
    const { client, ids, search } = await newTenant([
      'Order shipped',
      'Émile',
      'ORDER  received',
      'My order',
      'Order?',
    ]);
    expect((await search({ search: 'order' })).names).toEqual(['ORDER  received', 'Order shipped', 'Order?']);
    expect((await search({ search: ' order R ' })).names).toEqual(['ORDER  received']);
    expect((await search({ search: 'emi' })).names).toEqual(['Émile']);
    expect((await search({ search: 'none' })).names).toEqual([]);
    expect((await search({ search: '\u0301' })).names).toEqual([]);
    const path = { templateId: ids[0]! };
    await client.call(`${service}.templates.update`, { path, body: { name: 'Parcel' } });
    expect((await search({ search: 'order' })).names).toEqual(['ORDER  received', 'Order?']);
    expect((await search({ search: 'parcel' })).names).toEqual(['Parcel']);
    await client.call(`${service}.templates.delete`, { path });
    expect((await search({ search: 'parcel' })).names).toEqual([]);
  });

  test('has pages, also through equal names, and refuses the cursor of the whole list', async () => {
    const { client, search } = await newTenant(['News', 'News', 'News', 'Newest']);
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof search>> = await search({
        search: 'new',
        limit: '1',
        ...(cursor !== null && { cursor }),
      });
      names.push(...page.names);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(names).toEqual(['Newest', 'News', 'News', 'News'].sort());
    const { nextCursor } = await search({ limit: '1' });
    const wrong = { search: 'new', cursor: nextCursor! };
    const answer = await client.attempt(`${service}.templates.list`, { query: wrong });
    expect(answer).toMatchObject({ status: 400, body: { error: 'CURSOR_INVALID' } });
  });

  test('finds templates from before the search, and none of another organization', async () => {
    const { client, search } = await newTenant(['Former', 'Former too']);
    await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
      database.collection(`${service}_templates`).updateMany({ orgId: client.orgId }, { $unset: { nameKey: 1 } }),
    );
    expect((await search({ search: 'former' })).names).toEqual(['Former', 'Former too']);
    const other = await newTenant(['Other']);
    expect((await other.search({ search: 'former' })).names).toEqual([]);
  });

  test.each(['', 'a'.repeat(201), 'a\nb'])('refuses %j', async (search) => {
    const client = await newTenantClient();
    const answer = await client.attempt(`${service}.templates.list`, { query: { search } });
    expect(answer).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID' } });
  });

  test('lists the languages of the latest version', async () => {
    const { client, ids } = await newTenant(['News']);
    const path = { templateId: ids[0]! };
    const german = { subject: 'Zwei', text: 'Hallo' };
    await client.call(`${service}.templates.update`, { path, body: { locales: { de: german }, publish: false } });
    const { data } = await client.call(`${service}.templates.list`, { query: {} });
    expect(data).toEqual([expect.objectContaining({ latestVersion: 2, liveVersion: 1, locales: ['de'] })]);
  });
});
