import { expect } from '@jest/globals';
import { type Client, clientOf } from '../support/client.ts';
import { type Event, eventAbout, eventOf, newCustomerId, newEmail } from '../support/events.ts';
import { eventually } from '../support/until.ts';
import { covers } from './covers.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const send = (client: Client, event: Event) => client.call('context.events.create', { body: event });
const read = (client: Client, customerId: string) =>
  client.attempt('context.story.read', { path: { customerId }, query: {} });
const resolve = (client: Client, q: string) => client.attempt('context.story.resolve', { query: { q } });
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

/** A few events of a customer's life with a shop, the oldest first. */
function lifeOf(orgId: string, customerId: string, email: string): Event[] {
  const about = (minutes: number, eventName: string, payload: Event['payload']) =>
    eventAbout(orgId, customerId, { eventName, payload, occurredAt: minutesAgo(minutes) });
  return [
    about(500, 'customer.created', { name: 'Ada Lovelace', email }),
    about(400, 'order.created', { orderId: 'A-1', total: 42.5, currency: 'EUR' }),
    about(390, 'payment.succeeded', { paymentId: 'P-1', orderId: 'A-1', amount: 42.5, currency: 'EUR' }),
    about(300, 'order.shipped', { orderId: 'A-1' }),
    about(200, 'ticket.opened', { ticketId: 'T-1', subject: 'Where is my parcel?' }),
    about(100, 'page.viewed', { url: 'https://shop.example.com/returns' }),
  ];
}

covers('story.read', async ({ own }) => {
  const customerId = newCustomerId();
  await send(own, eventAbout(own.orgId, customerId));
  const { status, body } = await read(own, customerId);
  expect(status).toBe(200);
  expect(body).toEqual({
    customerId,
    title: expect.stringMatching(/./),
    summary: expect.stringMatching(/./),
    updatedAt: expect.stringMatching(timestamp),
  });
});

covers('story.unknown', async ({ own }) => {
  expect(await read(own, newCustomerId())).toMatchObject({ status: 404, body: { error: 'STORY_NOT_FOUND' } });
});

covers('story.fresh', async ({ own }) => {
  const customerId = newCustomerId();
  for (let minute = 20; minute > 0; minute -= 1) {
    const occurredAt = minutesAgo(minute);
    await send(own, eventAbout(own.orgId, customerId, { occurredAt }));
    const { updatedAt } = await own.call('context.story.read', { path: { customerId }, query: {} });
    expect(updatedAt).toBe(occurredAt);
  }
});

covers('story.composed', async ({ own }) => {
  const customerId = newCustomerId();
  await own.call('context.events.create-batch', { body: { events: lifeOf(own.orgId, customerId, newEmail()) } });
  const { title, summary } = await own.call('context.story.read', { path: { customerId }, query: {} });
  expect(title).toContain('Ada Lovelace');
  expect(summary).toMatch(/42[.,]50/);
  expect(summary).toContain('EUR');
  expect(summary).toContain('Where is my parcel?');
  const sentences = summary
    .replace('parcel?', 'parcel')
    .split(/[.!?](?:\s|$)/)
    .filter(Boolean);
  expect(sentences.length).toBeGreaterThanOrEqual(3);
  expect(sentences.length).toBeLessThanOrEqual(6);
});

covers('story.language', async ({ own }) => {
  const customerId = newCustomerId();
  await own.call('context.events.create-batch', { body: { events: lifeOf(own.orgId, customerId, newEmail()) } });
  const readIn = (language: string) =>
    own.attempt('context.story.read', { path: { customerId }, query: { language: language as 'en' } });
  const { body } = await readIn('de');
  expect(body).toMatchObject({ customerId, title: expect.stringMatching(/^Ada Lovelace, Neukunde seit /) });
  expect(body.summary).toContain('über 42,50 EUR');
  expect(body.summary).toContain('„Where is my parcel?“');
  expect((await readIn('en')).body).toEqual((await read(own, customerId)).body);
  expect(await readIn('fr')).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID' } });
});

covers('story.pure', async ({ own, other }) => {
  const customerId = newCustomerId();
  const life = lifeOf(own.orgId, customerId, newEmail());
  await own.call('context.events.create-batch', { body: { events: life } });
  const elsewhere = life.map((event) => ({ ...event, tenantId: other.orgId }));
  for (const event of elsewhere.toReversed()) {
    await send(other, event);
    await read(other, customerId);
  }
  expect((await read(other, customerId)).body).toEqual((await read(own, customerId)).body);
});

covers('story.foreign', async ({ own, other }) => {
  const customerId = newCustomerId();
  const email = newEmail();
  await send(other, eventAbout(other.orgId, customerId, { payload: { email } }));
  expect((await read(own, customerId)).status).toBe(404);
  expect((await resolve(own, email)).status).toBe(404);
  expect((await own.attempt('context.story.events', { path: { customerId } })).status).toBe(404);
  expect((await own.attempt('context.story.erase', { path: { customerId } })).status).toBe(404);
  expect((await read(other, customerId)).status).toBe(200);
});

covers('story.permission', async ({ own }) => {
  const { id } = await own.call('identity.me.read', {});
  const body = { name: 'Sender', scopes: ['context.events.write'] };
  const { token } = await own.call('identity.api-keys.create', { path: { id }, body });
  const sender = clientOf({ ...own, apiKey: token });
  const path = { customerId: newCustomerId() };
  expect(await read(sender, path.customerId)).toMatchObject({ status: 403, body: { error: 'PERMISSION_DENIED' } });
  expect((await resolve(sender, newEmail())).status).toBe(403);
  expect((await sender.attempt('context.story.events', { path })).status).toBe(403);
});

covers('resolve.read', async ({ own }) => {
  const customerId = newCustomerId();
  const email = newEmail();
  const phone = `+4915${Math.floor(100_000_000 + Math.random() * 899_999_999)}`;
  await send(own, eventAbout(own.orgId, customerId, { payload: { email, customer: { phone } } }));
  const { body: story } = await read(own, customerId);
  for (const q of [customerId, email, phone]) expect(await resolve(own, q)).toMatchObject({ status: 200, body: story });
});

covers('resolve.normalised', async ({ own }) => {
  const customerId = newCustomerId();
  const email = newEmail();
  const national = String(Math.floor(1_000_000 + Math.random() * 8_999_999));
  await send(
    own,
    eventAbout(own.orgId, customerId, { payload: { email: ` ${email} `, phone: `+49 (170) ${national}` } }),
  );
  for (const q of [email.toUpperCase(), `+49170${national}`, `+49 170-${national}`]) {
    expect(await resolve(own, q)).toMatchObject({ status: 200, body: { customerId } });
  }
});

covers('resolve.unknown', async ({ own }) => {
  expect(await resolve(own, newEmail())).toMatchObject({ status: 404, body: { error: 'STORY_NOT_FOUND' } });
  for (const query of [{}, { q: '' }, { q: ['a', 'b'] }, { q: 'a', r: 'b' }, { 'q[$gt]': '' }]) {
    const { status, body } = await own.attempt('context.story.resolve', { query });
    expect({ query, status, error: body.error }).toEqual({ query, status: 400, error: 'INPUT_INVALID' });
  }
});

covers('resolve.ambiguous', async ({ own }) => {
  const email = newEmail();
  await send(own, eventAbout(own.orgId, email));
  await send(own, eventAbout(own.orgId, newCustomerId(), { payload: { email } }));
  expect(await resolve(own, email)).toMatchObject({ status: 404, body: { error: 'STORY_NOT_FOUND' } });
});

covers('customer.actor', async ({ own }) => {
  for (const type of ['customer', 'contact', 'visitor', 'user']) {
    const id = newCustomerId();
    await send(own, eventOf(own.orgId, { actor: { type, id }, payload: { customerId: newCustomerId() } }));
    expect(await read(own, id)).toMatchObject({ status: 200, body: { customerId: id } });
  }
});

covers('customer.payload', async ({ own }) => {
  const actor = { type: 'agent', id: newCustomerId() };
  const [one, two] = [newCustomerId(), newCustomerId()];
  await send(own, eventOf(own.orgId, { actor, payload: { customerId: one, customer: { id: two } } }));
  expect((await read(own, one)).status).toBe(200);
  expect((await read(own, two)).status).toBe(404);
  await send(own, eventOf(own.orgId, { actor, payload: { customer: { id: two } } }));
  expect((await read(own, two)).status).toBe(200);
  expect((await read(own, actor.id)).status).toBe(404);
});

covers('customer.none', async ({ own }) => {
  const id = newCustomerId();
  await send(own, eventOf(own.orgId, { actor: { type: 'system', id }, payload: { job: 'nightly' } }));
  expect((await read(own, id)).status).toBe(404);
});

covers('customer.merged', async ({ own }) => {
  const [older, younger] = [newCustomerId(), newCustomerId()];
  const email = newEmail();
  await send(own, eventAbout(own.orgId, older, { occurredAt: minutesAgo(9), payload: { email } }));
  expect((await read(own, older)).status).toBe(200);
  await send(own, eventAbout(own.orgId, younger, { occurredAt: minutesAgo(8) }));
  expect((await read(own, younger)).body.customerId).toBe(younger);
  await send(own, eventAbout(own.orgId, younger, { occurredAt: minutesAgo(7), payload: { customer: { email } } }));
  const story = await read(own, older);
  expect(story).toMatchObject({ status: 200, body: { customerId: older } });
  expect(await read(own, younger)).toMatchObject({ status: 200, body: story.body });
  const { data } = await own.call('context.story.events', { path: { customerId: younger }, query: {} });
  expect(data.map(({ actor }) => actor.id)).toEqual([older, younger, younger]);
});

covers('customer.merge', async ({ own }) => {
  const [older, younger] = [newCustomerId(), newCustomerId()];
  await send(own, eventAbout(own.orgId, younger, { occurredAt: minutesAgo(8) }));
  await send(own, eventAbout(own.orgId, older, { occurredAt: minutesAgo(9) }));
  const body = { customerId: older };
  const story = await own.call('context.story.merge', { path: { customerId: younger }, query: {}, body });
  expect(story).toMatchObject({ customerId: older, updatedAt: expect.stringMatching(timestamp) });
  for (const id of [older, younger]) expect(await read(own, id)).toMatchObject({ status: 200, body: story });
  const { data } = await own.call('context.story.events', { path: { customerId: younger }, query: {} });
  expect(data.map(({ actor }) => actor.id)).toEqual([older, younger]);
});

covers('customer.merge-refused', async ({ own, other }) => {
  const [one, two, theirs] = [newCustomerId(), newCustomerId(), newCustomerId()];
  for (const id of [one, two]) await send(own, eventAbout(own.orgId, id));
  await send(other, eventAbout(other.orgId, theirs));
  const merge = (customerId: string) =>
    own.attempt('context.story.merge', { path: { customerId: one }, body: { customerId } });
  expect(await merge(one)).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID' } });
  for (const id of [newCustomerId(), theirs]) {
    expect(await merge(id)).toMatchObject({ status: 404, body: { error: 'STORY_NOT_FOUND' } });
  }
  expect((await read(own, two)).body.customerId).toBe(two);
  const { status, body } = await merge(two);
  expect(status).toBe(200);
  expect(await merge(two)).toMatchObject({ status: 200, body });
});

covers('story-events.list', async ({ own }) => {
  const customerId = newCustomerId();
  const life = lifeOf(own.orgId, customerId, newEmail());
  await own.call('context.events.create-batch', { body: { events: life.toReversed() } });
  const { data, nextCursor } = await own.call('context.story.events', { path: { customerId }, query: {} });
  expect(data).toEqual(life.map((event) => ({ ...event, receivedAt: expect.stringMatching(timestamp) })));
  expect(nextCursor).toBeNull();
});

covers('story-events.pages', async ({ own }) => {
  const customerId = newCustomerId();
  const occurredAt = minutesAgo(1);
  const events = Array.from({ length: 7 }, () => eventAbout(own.orgId, customerId, { occurredAt }));
  await own.call('context.events.create-batch', { body: { events } });
  const listed: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await own.call('context.story.events', { path: { customerId }, query: { limit: '3', cursor } });
    expect(page.data.length).toBeLessThanOrEqual(3);
    listed.push(...page.data.map(({ eventId }) => eventId));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  expect(listed).toEqual(events.map(({ eventId }) => eventId).sort());
});

covers('erasure.delete', async ({ own }) => {
  const customerId = newCustomerId();
  const email = newEmail();
  await send(own, eventAbout(own.orgId, customerId, { payload: { email } }));
  const path = { customerId };
  expect(await own.attempt('context.story.erase', { path })).toMatchObject({ status: 204, text: '' });
  expect((await read(own, customerId)).status).toBe(404);
  expect((await resolve(own, email)).status).toBe(404);
  expect((await own.attempt('context.story.events', { path })).status).toBe(404);
  expect((await own.attempt('context.story.erase', { path })).status).toBe(404);
});

covers('erasure.ids', async ({ own }) => {
  const event = eventAbout(own.orgId, newCustomerId());
  await send(own, event);
  await own.call('context.story.erase', { path: { customerId: event.actor.id } });
  expect((await own.attempt('context.events.create', { body: event })).status).toBe(409);
  expect((await read(own, event.actor.id)).status).toBe(404);
});

covers('erasure.again', async ({ own }) => {
  const customerId = newCustomerId();
  const email = newEmail();
  await send(own, eventAbout(own.orgId, customerId, { payload: { email, name: 'Former Name' } }));
  await own.call('context.story.erase', { path: { customerId } });
  const fresh = eventAbout(own.orgId, customerId, { payload: { email } });
  await send(own, fresh);
  const { data } = await own.call('context.story.events', { path: { customerId }, query: {} });
  expect(data.map(({ eventId }) => eventId)).toEqual([fresh.eventId]);
  expect((await read(own, customerId)).text).not.toContain('Former Name');
  expect((await resolve(own, email)).body.customerId).toBe(customerId);
});

covers('customers.list', async ({ own, other }) => {
  const [customerId, email] = [newCustomerId(), newEmail()];
  await own.call('context.events.create-batch', { body: { events: lifeOf(own.orgId, customerId, email) } });
  await read(own, customerId);
  for (const q of [customerId, email]) {
    await eventually(async () => {
      const { data } = await own.call('context.story.customers', { query: { q } });
      expect(data).toMatchObject([{ customerId, name: 'Ada Lovelace', emails: [email], eventCount: 6 }]);
    });
  }
  const byName = await own.call('context.story.customers', { query: { q: 'ada love', limit: '100' } });
  expect(byName.data.map(({ name }) => name)).toContain('Ada Lovelace');
  expect((await other.call('context.story.customers', { query: { q: customerId } })).data).toEqual([]);
});
