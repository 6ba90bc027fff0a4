import { beforeAll, describe, expect, test } from '@jest/globals';
import type { CallOutput } from '../../../lib/contract/context.ts';
import { encodeCursor } from '../../../lib/contract/input.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { type Event, eventAbout, eventOf, newEmail } from '../../support/events.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { createTenant, databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';

type Page = CallOutput<'context.story.customers'>;
type Customer = Page['data'][number];

let own: Client;
let other: Client;
beforeAll(async () => {
  [own, other] = await Promise.all([newTenantClient({ plan: 'scale' }), newTenantClient()]);
});

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const list = (query: Record<string, string> = {}, client: Client = own) =>
  client.call('context.story.customers', { query });
const idsOf = ({ data }: Page) => data.map(({ customerId }) => customerId);

/** Sends the events of an organization of their own, and waits until their stories are in the list. */
async function withCustomers(events: ((orgId: string) => Event)[], count: number): Promise<Client> {
  const client = await newTenantClient({ plan: 'scale' });
  await client.call('context.events.create-batch', { body: { events: events.map((make) => make(client.orgId)) } });
  await until(async () => (await list({ limit: '100' }, client)).data.length === count);
  return client;
}

const registered =
  (id: string, name: string, hours: number, payload: object = {}) =>
  (orgId: string) =>
    eventAbout(orgId, id, {
      eventName: 'customer.registered',
      occurredAt: hoursAgo(hours),
      payload: { name, ...payload },
    });

async function readAll(client: Client, query: Record<string, string>): Promise<Customer[]> {
  const all: Customer[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await list({ ...query, ...(cursor && { cursor }) }, client);
    all.push(...page.data);
    cursor = page.nextCursor;
  }
  return all;
}

describe('GET /v1/story/customers', () => {
  test('shows of each customer the name, contacts, title, first and last event and what is open', async () => {
    const email = newEmail();
    const client = await withCustomers(
      [
        registered('C-1', 'Ada Byron', 3, { email, phone: '+49 30 1234567' }),
        (orgId) => eventAbout(orgId, 'C-1', { occurredAt: hoursAgo(2) }),
        (orgId) =>
          eventAbout(orgId, 'C-1', { occurredAt: hoursAgo(1), eventName: 'ticket.opened', payload: { ticketId: 'T' } }),
        (orgId) => eventAbout(orgId, 'C-2', { occurredAt: hoursAgo(9), eventName: 'page.viewed', payload: {} }),
      ],
      2,
    );
    const { data, nextCursor } = await list({}, client);
    const story = await client.call('context.story.read', { path: { customerId: 'C-1' }, query: {} });
    expect(nextCursor).toBeNull();
    expect(data).toEqual([
      {
        customerId: 'C-1',
        name: 'Ada Byron',
        title: story.title,
        emails: [email],
        phones: ['+49301234567'],
        firstEventAt: expect.any(String),
        lastEventAt: story.updatedAt,
        eventCount: 3,
        open: { orders: 1, payments: 0, subscriptions: 0, tickets: 1 },
      },
      expect.objectContaining({ customerId: 'C-2', name: null, emails: [], phones: [], eventCount: 1 }),
    ]);
    expect(Date.parse(data[0]!.firstEventAt)).toBeLessThan(Date.parse(story.updatedAt));
  });

  test('lists everybody once, the last event first, in pages of any size', async () => {
    const customers = Array.from({ length: 11 }, (_none, place) => `C-${place}`);
    // Three of one instant.
    const client = await withCustomers(
      customers.map((id, place) => registered(id, 'Same', place < 3 ? 500 : place)),
      customers.length,
    );
    const whole = await readAll(client, { limit: '100' });
    expect(whole.map(({ customerId }) => customerId).sort()).toEqual(customers.toSorted());
    const times = whole.map(({ lastEventAt }) => lastEventAt);
    expect(times).toEqual(times.toSorted().toReversed());
    for (const limit of ['1', '3', '11']) {
      expect(await readAll(client, { limit })).toEqual(whole);
      const found = await readAll(client, { limit, q: 'same' });
      expect(found.map(({ customerId }) => customerId).sort()).toEqual(customers.toSorted());
    }
  });

  test('follows a customer whose next event comes, and shows two customers who turn out to be one once', async () => {
    const [first, second] = [newEmail(), newEmail()];
    const client = await withCustomers(
      [registered('C-1', 'Ada', 5, { email: first }), registered('C-2', 'Bea', 4, { email: second })],
      2,
    );
    expect(idsOf(await list({}, client))).toEqual(['C-2', 'C-1']);
    await client.call('context.events.create', { body: eventAbout(client.orgId, 'C-1') });
    await until(async () => idsOf(await list({}, client))[0] === 'C-1');
    await client.call('context.events.create', {
      body: eventAbout(client.orgId, 'C-1', { payload: { email: second } }),
    });
    await until(async () => (await list({}, client)).data.length === 1);
    await until(async () => (await list({}, client)).data[0]!.eventCount === 4);
    expect((await list({ q: 'C-2' }, client)).data[0]).toMatchObject({
      customerId: 'C-1',
      emails: [first, second].sort(),
    });
  });

  describe('with q', () => {
    let shop: Client;
    const email = newEmail();
    beforeAll(async () => {
      shop = await withCustomers(
        [
          registered('C-1', 'Amélie Durand', 4, { email, phone: '+33 1 42 68 53 00' }),
          registered('amelie', 'Zofia Kowalska', 3),
          registered('C-3', 'AMELIE  Straße', 2),
          registered('C-4', 'Durand', 1),
          (orgId) => eventAbout(orgId, 'C-5', { payload: {} }),
        ],
        5,
      );
    });

    test.each([
      ['an id', 'C-4', ['C-4']],
      ['an id that ends in blanks', 'C-4 ', ['C-4']],
      ['an email address in any case', email.toUpperCase(), ['C-1']],
      ['a phone number in another notation', '+33-1-4268-5300', ['C-1']],
      ['the beginning of names, in any case and without accents', 'amé', ['C-1', 'C-3']],
      ['an id that is the beginning of names too', 'amelie', ['amelie', 'C-1', 'C-3']],
      ['a name of two words', 'amelie strasse', ['C-3']],
      ['a word within a name', 'kowalska', []],
      ['what nobody has', 'nobody', []],
      ['a pattern', '.*', []],
      ['an accent alone', '\u0301', []],
    ])('finds customers by %s', async (_what, q, ids) => {
      expect(idsOf(await list({ q }, shop))).toEqual(ids);
      expect((await readAll(shop, { q, limit: '1' })).map(({ customerId }) => customerId)).toEqual(ids);
    });

    test('finds a customer right after the event that names them', async () => {
      const customerId = `customer-${Date.now()}`;
      await shop.call('context.events.create', { body: eventAbout(shop.orgId, customerId) });
      expect(idsOf(await list({ q: customerId }, shop))).toEqual([customerId]);
    });

    test('finds nobody of another organization', async () => {
      expect(idsOf(await list({ q: email }, other))).toEqual([]);
      expect(idsOf(await list({ q: 'amelie' }, other))).toEqual([]);
      expect(await list({}, other)).toEqual({ data: [], nextCursor: null });
    });
  });

  test('reads the title from the story of a customer whom an earlier version listed without one', async () => {
    const client = await withCustomers([registered('C-1', 'Ada', 2), registered('C-2', 'Bea', 1)], 2);
    const before = await list({ language: 'de' }, client);
    await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
      database
        .collection('context_customers')
        .updateOne({ orgId: client.orgId, 'listing.customerId': 'C-1' }, { $unset: { 'listing.titles': '' } }),
    );
    expect(before.data.map(({ title }) => title)).toEqual([expect.stringMatching(/^Bea, /), expect.any(String)]);
    expect(await list({ language: 'de' }, client)).toEqual(before);
  });

  test('no longer shows a customer who was erased', async () => {
    const client = await withCustomers([registered('C-1', 'Ada', 2), registered('C-2', 'Bea', 1)], 2);
    await client.call('context.story.erase', { path: { customerId: 'C-2' } });
    expect(idsOf(await list({}, client))).toEqual(['C-1']);
    expect(idsOf(await list({ q: 'bea' }, client))).toEqual([]);
  });

  test.each([
    [400, 'INPUT_INVALID', { limit: '0' }],
    [400, 'INPUT_INVALID', { limit: '101' }],
    [400, 'INPUT_INVALID', { q: '' }],
    [400, 'INPUT_INVALID', { q: 'x'.repeat(257) }],
    [400, 'INPUT_INVALID', { name: 'Ada' }],
    [400, 'CURSOR_INVALID', { cursor: 'abc' }],
    [400, 'CURSOR_INVALID', { cursor: encodeCursor(['event', 'no instant', 'cus_1']) }],
    [400, 'CURSOR_INVALID', { cursor: encodeCursor(['name', 'ada', 'cus_1']) }],
    [400, 'CURSOR_INVALID', { q: 'ada', cursor: encodeCursor(['event', '2026-01-01T00:00:00.000Z', 'cus_1']) }],
  ])('is %i %s with %j', async (status, error, query) => {
    const answer = await own.attempt('context.story.customers', { query });
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status, error });
  });

  test('needs context.story.read', async () => {
    const { url } = await sharedPlatform();
    const tenant = await createTenant(await databaseUrlOf(await sharedPlatform()), {
      scopes: ['context.events.write'],
    });
    const sender = clientOf({ url, ...tenant });
    await sender.call('context.events.create', { body: eventOf(tenant.orgId) });
    for (const path of ['/v1/story/customers', '/events', '/events/refused']) {
      const { status, body } = await sender.send('GET', path);
      expect({ path, status, error: body.error }).toEqual({ path, status: 403, error: 'PERMISSION_DENIED' });
      expect((await sender.send('GET', path, undefined, { authorization: null })).status).toBe(401);
    }
  });
});
