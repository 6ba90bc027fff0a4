import { beforeAll, describe, expect, test } from '@jest/globals';
import type { CustomerDocument } from '../../../models/context/customer.ts';
import type { EventDocument } from '../../../models/context/event.ts';
import type { PendingEventDocument } from '../../../models/context/pending-event.ts';
import type { Client } from '../../support/client.ts';
import { type Event, eventAbout, eventOf, newCustomerId, newEmail } from '../../support/events.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { eventually, until } from '../../support/until.ts';

let own: Client;
let databaseUrl: string;
beforeAll(async () => {
  own = await newTenantClient({ plan: 'scale' });
  databaseUrl = await databaseUrlOf(await sharedPlatform());
});

const send = (event: Event) => own.call('context.events.create', { body: event });
const read = (customerId: string) => own.call('context.story.read', { path: { customerId }, query: {} });
const eventsOf = async (customerId: string) => {
  const { data } = await own.call('context.story.events', { path: { customerId }, query: { limit: '100' } });
  return data.map(({ eventId }) => eventId);
};
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

describe('a read', () => {
  test('right after a write holds it, for many customers at once', async () => {
    const rounds = Array.from({ length: 16 }, async () => {
      const customerId = newCustomerId();
      for (let minute = 10; minute > 0; minute -= 1) {
        const occurredAt = minutesAgo(minute);
        await send(eventAbout(own.orgId, customerId, { occurredAt }));
        expect((await read(customerId)).updatedAt).toBe(occurredAt);
      }
    });
    await Promise.all(rounds);
  });

  test('of one customer holds what any of many writers was told is accepted', async () => {
    const customerId = newCustomerId();
    const accepted: string[] = [];
    const writers = Array.from({ length: 8 }, async (_none, writer) => {
      for (let place = 0; place < 6; place += 1) {
        // Out of order, so that stories have to be told anew.
        const event = eventAbout(own.orgId, customerId, {
          occurredAt: minutesAgo(1 + ((writer * 7 + place * 5) % 50)),
        });
        await send(event);
        accepted.push(event.eventId);
        const known = [...accepted];
        expect(await eventsOf(customerId)).toEqual(expect.arrayContaining(known));
      }
    });
    await Promise.all(writers);
    expect(await eventsOf(customerId)).toHaveLength(48);
  });

  test('ends although events for that customer never stop', async () => {
    const customerId = newCustomerId();
    await send(eventAbout(own.orgId, customerId));
    let isDone = false;
    let accepted = 0;
    const writers = Array.from({ length: 16 }, async () => {
      while (!isDone) {
        await send(eventAbout(own.orgId, customerId));
        accepted += 1;
      }
    });
    try {
      for (let count = 0; count < 10; count += 1) {
        const before = accepted;
        await read(customerId);
        await until(() => accepted > before);
      }
    } finally {
      isDone = true;
      await Promise.all(writers);
    }
  });

  test('by an email or phone number holds events that name the customer by another', async () => {
    const customerId = newCustomerId();
    const email = newEmail();
    await send(eventAbout(own.orgId, customerId, { occurredAt: minutesAgo(3), payload: { email } }));
    const occurredAt = minutesAgo(2);
    await send(eventAbout(own.orgId, customerId, { occurredAt }));
    expect((await own.call('context.story.resolve', { query: { q: email } })).updatedAt).toBe(occurredAt);
  });

  test('by an email or phone number holds events that spell it in another way', async () => {
    const name = newEmail().replace(/@.*/, '');
    const number = `+4930${String(Math.floor(Math.random() * 1e8)).padStart(8, '7')}`;
    const spellings = [
      { email: `${name}@b\u00fccher.example` },
      { email: `${name.toUpperCase()}@XN--BCHER-KVA.example.`, phone: number },
      { email: `\u200e${name}@bu\u0308cher\u3002example` },
      { phone: `tel:\u202a${number.replace('+', '\uff0b')}\ufe0f` },
    ];
    for (const [place, payload] of spellings.entries()) {
      const base = eventOf(own.orgId, { occurredAt: minutesAgo(9 - place), payload });
      await send({ ...base, actor: { type: 'system', id: 'shop' } });
    }
    for (const q of [`${name}@xn--bcher-kva.example`, `${name}@b\u00fccher.example`, number, `\u200e${number}`]) {
      const { customerId } = await own.call('context.story.resolve', { query: { q } });
      expect(await eventsOf(customerId)).toHaveLength(4);
    }
  });
});

describe('a story', () => {
  /** The oldest events come first, whosever they are: those of other tests may be before these. */
  const patience = 50_000;

  test('is composed in the background', async () => {
    const { actor, ...event } = eventAbout(own.orgId, newCustomerId());
    await send({ ...event, actor });
    await withDatabase(databaseUrl, async (database) => {
      const events = database.collection<EventDocument>('context_events');
      const customers = database.collection<CustomerDocument>('context_customers');
      await eventually(async () => {
        const stored = await events.findOne({ _id: `${own.orgId}:${event.eventId}` });
        expect(typeof stored!.customer).toBe('string');
        const customer = await customers.findOne({ _id: stored!.customer! });
        const { customerId, state } = JSON.parse(customer!.foldState!);
        expect({ customerId, last: state.last.at }).toEqual({ customerId: actor.id, last: event.occurredAt });
        expect(customer!.composerVersion).toBeGreaterThan(0);
      }, patience);
    });
  });

  test('is not the text that an earlier version stored, which goes with the next write', async () => {
    const ids = [newCustomerId(), newCustomerId()] as const;
    for (const id of ids) {
      await send(eventAbout(own.orgId, id));
      await read(id);
    }
    await withDatabase(databaseUrl, async (database) => {
      const customers = database.collection<CustomerDocument>('context_customers');
      const stored = { orgId: own.orgId, story: { $exists: true } };
      const story = { customerId: ids[0], title: 'Of before', summary: 'Of before', updatedAt: minutesAgo(99) };
      const foldOf = (id: string) => ({ orgId: own.orgId, foldState: { $regex: `"customerId":"${id}"` } });
      for (const id of ids) expect((await customers.updateOne(foldOf(id), { $set: { story } })).matchedCount).toBe(1);
      for (const id of ids) expect((await read(id)).title).not.toBe(story.title);
      expect(await customers.countDocuments(stored)).toBe(2);
      await send(eventAbout(own.orgId, ids[0]));
      expect((await read(ids[0])).title).not.toBe(story.title);
      expect(await customers.countDocuments(stored)).toBe(1);
      await own.call('context.story.erase', { path: { customerId: ids[1] } });
      expect(await customers.countDocuments(stored)).toBe(0);
    });
  });

  test('is composed in the background for 500 customers of one batch', async () => {
    const events = Array.from({ length: 500 }, () => eventOf(own.orgId));
    await own.call('context.events.create-batch', { body: { events } });
    await withDatabase(databaseUrl, (database) =>
      eventually(async () => {
        const pending = database.collection<PendingEventDocument>('context_pending_events');
        expect(await pending.countDocuments({ orgId: own.orgId })).toBe(0);
      }, patience),
    );
  });

  test('of a person without an id of their own is found by email, under a derived id that stays', async () => {
    const email = newEmail();
    const anonymous = { actor: { type: 'system', id: 'import' }, payload: { email } };
    await send(eventOf(own.orgId, anonymous));
    const { customerId } = await own.call('context.story.resolve', { query: { q: email } });
    expect(customerId).toMatch(/^cus_[0-9a-f]{26}$/);
    await send(eventOf(own.orgId, anonymous));
    expect((await read(customerId)).customerId).toBe(customerId);
    expect(await eventsOf(customerId)).toHaveLength(2);
  });
});

describe('a customer with two ids', () => {
  test('is one as soon as an email joins them, however many events came at once', async () => {
    const email = newEmail();
    const people = Array.from({ length: 6 }, newCustomerId);
    const occurredAt = minutesAgo(20);
    const before = people.map((id) => eventAbout(own.orgId, id, { occurredAt }));
    await own.call('context.events.create-batch', { body: { events: before } });
    for (const id of people) await read(id);
    const joining = people.map((id) => eventAbout(own.orgId, id, { occurredAt: minutesAgo(10), payload: { email } }));
    await Promise.all(joining.map(send));
    const stories = await Promise.all(people.map(read));
    for (const story of stories) expect(story).toEqual(stories[0]);
    expect((await eventsOf(people[3]!)).sort()).toEqual([...before, ...joining].map(({ eventId }) => eventId).sort());
    // Ties in time are told in the order of event ids, so the first of them names the customer.
    const first = before.toSorted((one, two) => (one.eventId < two.eventId ? -1 : 1))[0]!;
    expect(stories[0]!.customerId).toBe(first.actor.id);
  });

  test('stays one through a chain of emails and phone numbers', async () => {
    const [a, b, c] = [newCustomerId(), newCustomerId(), newCustomerId()];
    const [one, two] = [newEmail(), newEmail()];
    const payloads = [{ email: one }, { email: two }, { email: one, customer: { email: two } }];
    for (const [place, id] of [a, b, c].entries()) {
      await send(eventAbout(own.orgId, id!, { occurredAt: minutesAgo(9 - place), payload: payloads[place] }));
      await read(id!);
    }
    expect((await read(c!)).customerId).toBe(a);
    expect((await read(b!)).customerId).toBe(a);
    await send(eventAbout(own.orgId, b!, { occurredAt: minutesAgo(1) }));
    expect(await eventsOf(a!)).toHaveLength(4);
  });

  test('is never made of two organizations', async () => {
    const other = await newTenantClient();
    const email = newEmail();
    const id = newCustomerId();
    await send(eventAbout(own.orgId, id, { payload: { email } }));
    await other.call('context.events.create', { body: eventAbout(other.orgId, id, { payload: { email } }) });
    expect(await eventsOf(id)).toHaveLength(1);
  });
});
