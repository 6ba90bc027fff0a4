import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CallOutput } from '../../../lib/contract/context.ts';
import { encodeCursor } from '../../../lib/contract/input.ts';
import type { Client } from '../../support/client.ts';
import { type Event, eventAbout, eventOf, newCustomerId } from '../../support/events.ts';
import { propertyCases, propertyTimeout } from '../../support/property-cases.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { until } from '../../support/until.ts';

type Page = CallOutput<'context.events.list'>;
type Listed = Page['data'][number];
type Query = Record<string, string>;

let own: Client;
let other: Client;
beforeAll(async () => {
  [own, other] = await Promise.all([newTenantClient({ plan: 'scale' }), newTenantClient({ plan: 'scale' })]);
});

const list = (query: Query = {}, client: Client = own) => client.call('context.events.list', { query });
const sendAll = (client: Client, events: Event[]) => client.call('context.events.create-batch', { body: { events } });
/** Sends events one after the other, each in a millisecond of its own. */
async function sendApart(client: Client, events: Event[]): Promise<void> {
  for (const event of events) {
    await client.call('context.events.create', { body: event });
    const sentAt = Date.now();
    await until(() => Date.now() > sentAt);
  }
}
const idsOf = (events: { eventId: string }[]) => events.map(({ eventId }) => eventId);

/** All pages, with work in between. */
async function readAll(client: Client, query: Query, between: () => Promise<unknown> = () => Promise.resolve()) {
  const all: Listed[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await list({ ...query, ...(cursor && { cursor }) }, client);
    all.push(...page.data);
    cursor = page.nextCursor;
    await between();
  }
  return all;
}

describe('GET /events', () => {
  test('shows each event as it was sent, with its receipt, its customer and whether it is understood', async () => {
    const client = await newTenantClient();
    const known = eventAbout(client.orgId, 'C-1', { payload: { orderId: 'A', note: 'x', exact: 12345 } });
    const unknown = eventOf(client.orgId, {
      eventName: 'order.creatd',
      actor: { type: 'system', id: 'x' },
      payload: {},
    });
    await sendApart(client, [known, unknown]);
    const { data, nextCursor } = await list({}, client);
    expect(nextCursor).toBeNull();
    const receivedAt = expect.stringMatching(/^20\d\d-.*Z$/);
    expect(data).toEqual([
      { ...unknown, receivedAt, customerId: null, understood: false },
      { ...known, receivedAt, customerId: 'C-1', understood: true },
    ]);
    const { eventId } = known;
    expect(await client.call('context.events.read', { path: { eventId: eventId.toUpperCase() } })).toEqual(data[1]);
  });

  const senders = fc.array(fc.record({ batch: fc.integer({ min: 1, max: 7 }), customer: fc.nat({ max: 2 }) }), {
    minLength: 1,
    maxLength: 6,
  });

  test(
    'lists every event once and in order while new ones arrive, in pages of any size',
    async () => {
      await fc.assert(
        fc.asyncProperty(senders, fc.integer({ min: 1, max: 9 }), fc.boolean(), async (batches, size, ofCustomer) => {
          const client = await newTenantClient({ plan: 'scale' });
          const sent: Event[] = [];
          for (const { batch, customer } of batches) {
            const occurredAt = new Date(Date.now() - customer * 60_000).toISOString();
            const events = Array.from({ length: batch }, () =>
              eventAbout(client.orgId, `C-${customer}`, { occurredAt }),
            );
            await sendAll(client, events);
            sent.push(...events);
          }
          const query = { limit: String(size), ...(ofCustomer && { customerId: 'C-0' }) };
          const expected = sent.filter(({ actor }) => !ofCustomer || actor.id === 'C-0');
          const read = await readAll(client, query, () => sendAll(client, [eventAbout(client.orgId, 'C-0')]));
          const earlier = read.filter(({ eventId }) => idsOf(sent).includes(eventId));
          expect(idsOf(read)).toEqual([...new Set(idsOf(read))]);
          expect(idsOf(earlier).sort()).toEqual(idsOf(expected).sort());
          const times = read.map(({ receivedAt, occurredAt }) => (ofCustomer ? occurredAt : receivedAt));
          expect(times).toEqual(times.toSorted().toReversed());
        }),
        { numRuns: propertyCases(4, 100), endOnFailure: true },
      );
    },
    propertyTimeout,
  );

  describe('with a filter', () => {
    let shop: Client;
    const email = `${randomUUID()}@example.com`;
    const names = new Map<string, string>();
    let times: string[];
    beforeAll(async () => {
      shop = await newTenantClient({ plan: 'scale' });
      const at = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
      const events: Record<string, Event> = {
        order: eventAbout(shop.orgId, 'C-1', { occurredAt: at(1), payload: { email } }),
        typo: eventAbout(shop.orgId, 'C-1', { occurredAt: at(3), eventName: 'order.creatd' }),
        shipped: eventOf(shop.orgId, {
          eventName: 'order.updated',
          occurredAt: at(2),
          actor: { type: 'employee', id: 'anna' },
          source: { system: 'erp', channel: 'api' },
          payload: { customerId: 'C-2', status: 'shipped' },
        }),
        // By the address alone.
        mail: eventOf(shop.orgId, { occurredAt: at(4), actor: { type: 'system', id: 'crm' }, payload: { email } }),
        nobody: eventOf(shop.orgId, { actor: { type: 'system', id: 'crm' }, payload: {} }),
      };
      for (const [name, event] of Object.entries(events)) names.set(event.eventId, name);
      await sendApart(shop, Object.values(events));
      times = (await list({}, shop)).data.map(({ receivedAt }) => receivedAt);
    });

    const shown = (events: Listed[]) => events.map(({ eventId }) => names.get(eventId));

    test.each<[Query, string[]]>([
      [{}, ['nobody', 'mail', 'shipped', 'typo', 'order']],
      [{ eventName: 'order.created' }, ['nobody', 'mail', 'order']],
      [{ eventName: 'order' }, []],
      [{ actorId: 'anna' }, ['shipped']],
      [{ actorId: 'crm', eventName: 'order.created' }, ['nobody', 'mail']],
      [{ source: 'erp' }, ['shipped']],
      [{ understood: 'false' }, ['typo']],
      [{ understood: 'true' }, ['nobody', 'mail', 'shipped', 'order']],
      [{ customerId: 'C-1' }, ['order', 'typo', 'mail']],
      [{ customerId: ' C-1 ', understood: 'false' }, ['typo']],
      [{ customerId: 'C-1', source: 'shop', eventName: 'order.created' }, ['order', 'mail']],
      [{ customerId: 'C-2' }, ['shipped']],
      [{ customerId: 'C-9' }, []],
    ])('%j, in pages of any size', async (query, expected) => {
      expect(shown((await list(query, shop)).data)).toEqual(expected);
      expect(shown(await readAll(shop, { ...query, limit: '1' }))).toEqual(expected);
    });

    test('of time shows what was received from an instant on and before another', async () => {
      const [, mail, , typo] = times;
      expect(shown((await list({ from: typo!, to: mail! }, shop)).data)).toEqual(['shipped', 'typo']);
      expect((await list({ to: '2020-01-01T00:00:00.000Z' }, shop)).data).toEqual([]);
      expect(shown((await list({ from: '2020-01-01T00:00:00.000Z', customerId: 'C-2' }, shop)).data)).toEqual([
        'shipped',
      ]);
    });

    test('names the customer of an event that has only an address', async () => {
      const { data } = await list({ actorId: 'crm' }, shop);
      expect(data.map(({ customerId }) => customerId)).toEqual([null, 'C-1']);
    });
  });

  test('ends a page of large events early, and the next goes on', async () => {
    const client = await newTenantClient({ plan: 'scale' });
    const events = Array.from({ length: 5 }, () => eventOf(client.orgId, { payload: { text: 'x'.repeat(200_000) } }));
    await sendApart(client, events);
    expect((await list({}, client)).data.length).toBeLessThan(5);
    expect(idsOf(await readAll(client, {}))).toEqual(idsOf(events).toReversed());
  });

  test('shows nothing of another organization, and nothing of a customer who was erased', async () => {
    const [victim, customerId] = [other, newCustomerId()];
    const event = eventAbout(victim.orgId, customerId);
    await victim.call('context.events.create', { body: event });
    const path = { eventId: event.eventId };
    const { data } = await list({ limit: '100' });
    expect(idsOf(data)).not.toContain(event.eventId);
    expect(await list({ customerId })).toEqual({ data: [], nextCursor: null });
    expect(await own.attempt('context.events.read', { path })).toMatchObject({ status: 404 });
    expect(await victim.attempt('context.events.read', { path })).toMatchObject({ status: 200 });
    await victim.call('context.story.erase', { path: { customerId } });
    expect(await victim.attempt('context.events.read', { path })).toMatchObject({
      status: 404,
      body: { error: 'NOT_FOUND' },
    });
    expect(idsOf((await list({}, victim)).data)).not.toContain(event.eventId);
  });

  test.each<[number, string, Query]>([
    [400, 'INPUT_INVALID', { limit: '0' }],
    [400, 'INPUT_INVALID', { understood: 'yes' }],
    [400, 'INPUT_INVALID', { from: 'yesterday' }],
    [400, 'INPUT_INVALID', { eventName: '' }],
    [400, 'INPUT_INVALID', { type: 'order.created' }],
    [400, 'CURSOR_INVALID', { cursor: 'abc' }],
    [400, 'CURSOR_INVALID', { cursor: encodeCursor(['received', 'no instant', '', 'x']) }],
    [400, 'CURSOR_INVALID', { cursor: encodeCursor(['occurred', '2026-01-01T00:00:00.000Z', '', 'x']) }],
    [400, 'CURSOR_INVALID', { cursor: encodeCursor(['received', '2026-01-01T00:00:00.000Z', 'x', 'x']) }],
  ])('is %i %s with %j', async (status, error, query) => {
    const answer = await own.attempt('context.events.list', { query });
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status, error });
  });

  test('one event is 404 by any other text', async () => {
    for (const eventId of [randomUUID(), 'batch', '%00', 'x'.repeat(500)]) {
      expect((await own.attempt('context.events.read', { path: { eventId } })).status).toBe(404);
    }
  });
});
