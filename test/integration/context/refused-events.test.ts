import { beforeAll, describe, expect, test } from '@jest/globals';
import type { CallOutput } from '../../../lib/contract/context.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { eventAbout, eventOf } from '../../support/events.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { changeApiKey, createTenant, databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';

type Refused = CallOutput<'context.events.refused'>['data'];

const list = async (client: Client): Promise<Refused> =>
  (await client.call('context.events.refused', { query: { limit: '100' } })).data;

/** The refused events, the newest first, once there are as many. */
async function waitFor(client: Client, count: number): Promise<Refused> {
  await until(async () => (await list(client)).length >= count);
  return await list(client);
}

const create = async (client: Client, body: unknown) =>
  (await client.attempt('context.events.create', { body })).status;

describe('GET /events/refused', () => {
  test('shows what was refused, by whom and why, and nothing of the content', async () => {
    const client = await newTenantClient();
    const secret = 'ada-s-secret@example.com';
    const event = eventAbout(client.orgId, secret, { payload: { token: secret } });
    expect(await create(client, event)).toBe(201);
    expect(await create(client, { ...event, occurredAt: secret })).toBe(400);
    expect(await create(client, { ...event, eventName: secret, [secret]: 1 })).toBe(400);
    expect(await create(client, { ...event, tenantId: 'org_another' })).toBe(400);
    expect(await create(client, event)).toBe(409);
    expect(await create(client, { ...event, payload: { token: `another-${secret}` } })).toBe(409);
    expect(await create(client, [secret])).toBe(400);
    const refused = await waitFor(client, 5);
    const { eventId, eventName } = event;
    const common = {
      id: expect.stringMatching(/^rfe_/),
      refusedAt: expect.any(String),
      sender: { type: 'application', id: client.applicationId },
      isBatch: false,
      omitted: 0,
    };
    const invalid = {
      ...common,
      eventId,
      eventName,
      error: 'INPUT_INVALID',
      message: 'The request has missing or invalid fields; see details.',
    };
    const timestamp = 'Must be an ISO 8601 timestamp, such as 2026-01-31T12:00:00.000Z.';
    expect(refused.toReversed()).toEqual([
      { ...invalid, details: expect.arrayContaining([{ path: 'occurredAt', message: timestamp }]) },
      {
        ...invalid,
        eventName: null,
        details: [
          { path: 'eventName', message: 'Must be 2 to 6 dotted parts, such as order.created.' },
          { path: '(another field)', message: 'Not a field.' },
        ],
      },
      { ...invalid, details: [{ path: 'tenantId', message: 'Must equal the x-tenant-id header.' }] },
      {
        ...common,
        eventId,
        eventName,
        error: 'EVENT_ALREADY_SENT',
        message: 'An event with this eventId was already accepted.',
        details: [{ path: 'eventId', message: 'An event with other content has this eventId.' }],
      },
      { ...invalid, eventId: null, eventName: null, details: [{ path: '', message: 'Must be an object.' }] },
    ]);
    expect(JSON.stringify(refused)).not.toContain(secret);
    const stored = await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
      database.collection('context_refused_events').find({ orgId: client.orgId }).toArray(),
    );
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  test('shows the refused events of a batch, and pages through them', async () => {
    const client = await newTenantClient();
    const event = eventOf(client.orgId);
    await create(client, event);
    const events = [event, { ...event, eventName: 'order.paid' }, { ...event, payload: 1 }, 'text', eventOf('org_x')];
    const { results } = await client.call('context.events.create-batch', { body: { events } });
    expect(results.map(({ status }) => status)).toEqual(['duplicate', 'duplicate', 'rejected', 'rejected', 'rejected']);
    const refused = await waitFor(client, 4);
    expect(refused.every(({ isBatch }) => isBatch)).toBe(true);
    const reasons = refused.map(({ error, details }) => `${error} ${details[0]!.path}`);
    expect(reasons.sort()).toEqual([
      'EVENT_ALREADY_SENT eventId',
      'INPUT_INVALID ',
      'INPUT_INVALID payload',
      'INPUT_INVALID tenantId',
    ]);
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: Record<string, string> = { limit: '1', ...(cursor && { cursor }) };
      const page: CallOutput<'context.events.refused'> = await client.call('context.events.refused', { query });
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(ids).toEqual(refused.map(({ id }) => id));
    expect((await client.attempt('context.events.refused', { query: { cursor: 'abc' } })).body.error).toBe(
      'CURSOR_INVALID',
    );
  });

  describe('has nothing', () => {
    let reader: Client;
    let victim: Client & { orgId: string };
    beforeAll(async () => {
      const platform = await sharedPlatform();
      const databaseUrl = await databaseUrlOf(platform);
      const [tenant, another] = [await createTenant(databaseUrl), await createTenant(databaseUrl)];
      victim = clientOf({ url: platform.url, ...tenant });
      reader = clientOf({ url: platform.url, ...another });
      await changeApiKey(databaseUrl, another.keyId, { scopes: ['context.story.read'] });
    });

    test('of what another organization, a stranger or a key without the permission sends', async () => {
      const event = { ...eventOf(victim.orgId), eventId: 'invalid' };
      const stranger = { authorization: null };
      expect((await victim.attempt('context.events.create', { body: event }, stranger)).status).toBe(400);
      expect(await create(reader, event)).toBe(400);
      expect(await create(victim, { ...event, eventName: 'own.event' })).toBe(400);
      expect((await waitFor(victim, 1)).map(({ eventName }) => eventName)).toEqual(['own.event']);
      expect(await list(reader)).toEqual([]);
    });
  });
});
