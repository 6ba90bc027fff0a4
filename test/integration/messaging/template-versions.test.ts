import { describe, expect, test } from '@jest/globals';
import { newTenantClient } from '../../support/tenant-client.ts';

const content = { subject: 'One', text: 'Hello' };

describe.each(['mail', 'notification'] as const)('the versions of a %s template', (service) => {
  async function newTemplate() {
    const client = await newTenantClient();
    const { id } = await client.call(`${service}.templates.create`, { body: { name: 'News', ...content } });
    const path = { templateId: id };
    const list = (query: { limit?: string; cursor?: string } = {}) =>
      client.call(`${service}.templates.versions`, { path, query });
    return { client, path, list };
  }

  test('are listed from the newest, each with its subject and languages, in pages', async () => {
    const { client, path, list } = await newTemplate();
    const german = { subject: 'Zwei', text: 'Hallo' };
    await client.call(`${service}.templates.update`, { path, body: { subject: 'Two', locales: { de: german } } });
    await client.call(`${service}.templates.update`, { path, body: { category: 'marketing', publish: false } });
    const expected = [
      { version: 3, category: 'marketing', subject: 'Two', locales: ['de'] },
      { version: 2, category: 'transactional', subject: 'Two', locales: ['de'] },
      { version: 1, category: 'transactional', subject: 'One', locales: [] },
    ];
    const { data } = await list();
    expect(data.map(({ createdAt: _, ...one }) => one)).toEqual(expected);
    const first = await list({ limit: '2' });
    expect(first.data.map(({ version }) => version)).toEqual([3, 2]);
    const second = await list({ limit: '2', cursor: first.nextCursor! });
    expect(second).toMatchObject({ data: [{ version: 1 }], nextCursor: null });
  });

  test('are those of the organization’s own templates that are not deleted', async () => {
    const { client, path } = await newTemplate();
    const other = await newTenantClient();
    const read = (of: typeof client) => of.attempt(`${service}.templates.versions`, { path, query: {} });
    expect((await read(other)).status).toBe(404);
    await client.call(`${service}.templates.delete`, { path });
    expect((await read(client)).status).toBe(404);
  });

  test.each(['abc', 'WyJhYmMiXQ'])('are refused from the cursor %s', async (cursor) => {
    const { client, path } = await newTemplate();
    const answer = await client.attempt(`${service}.templates.versions`, { path, query: { cursor } });
    expect(answer).toMatchObject({ status: 400, body: { error: 'CURSOR_INVALID' } });
  });
});
