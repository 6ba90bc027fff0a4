import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { eventAbout, newCustomerId, newEmail } from '../../support/events.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';

let own: Client;
beforeAll(async () => {
  own = await newTenantClient();
});

/** Everything that every collection holds of an organization, as one text. */
async function everythingStored(orgId: string): Promise<string> {
  return withDatabase(await databaseUrlOf(await sharedPlatform()), async (database) => {
    const collections = await database.listCollections({}, { nameOnly: true }).toArray();
    const found = await Promise.all(
      // The bytes of a document have its strings as they are; other tests have stored far more than these.
      collections.map(({ name }) => database.collection(name).find<Buffer>({}, { raw: true }).toArray()),
    );
    return Buffer.concat(found.flat().filter((document) => document.includes(orgId))).toString('latin1');
  });
}

let people = 0;

/** A person with two ids, an email, a phone number and words of theirs, all known to nobody else. */
function personOf(orgId: string) {
  const [id, formerId, email] = [newCustomerId(), newCustomerId(), newEmail()];
  people += 1;
  const phone = `+49170${1_000_000 + people}`;
  const secret = `Words of ${id}`;
  const events = [
    eventAbout(orgId, formerId, { payload: { email, name: `Name of ${id}` } }),
    eventAbout(orgId, id, { payload: { email, phone, note: secret } }),
    eventAbout(orgId, id, { eventName: 'ticket.opened', payload: { ticketId: 't', subject: secret } }),
  ];
  return { id, formerId, email, phone, events, traces: [id, formerId, email, phone] };
}

describe('DELETE /v1/story/customers/:customerId', () => {
  test('leaves nothing of the person but the ids of their events', async () => {
    const { id, events, traces } = personOf(own.orgId);
    const headers = { 'idempotency-key': `batch-${crypto.randomUUID()}` };
    await own.call('context.events.create-batch', { body: { events } }, headers);
    await own.call('context.story.read', { path: { customerId: id }, query: {} });
    const stored = await everythingStored(own.orgId);
    for (const trace of traces) expect(stored).toContain(trace);

    await own.call('context.story.erase', { path: { customerId: id } });
    const left = await everythingStored(own.orgId);
    for (const trace of traces) expect(left).not.toContain(trace);
    for (const { eventId } of events) expect(left).toContain(eventId);
  });

  test('removes the mail to their addresses, and no other mail', async () => {
    const { id, email, events } = personOf(own.orgId);
    const other = newEmail();
    await own.call('context.events.create-batch', { body: { events } });
    const template = { name: 'Hello', subject: 'Hello', text: 'Hello' };
    const { id: templateId } = await own.call('mail.templates.create', { body: template });
    for (const to of [email, email.toUpperCase(), other]) {
      await own.call('mail.messages.send', { body: { to, templateId } });
    }
    await own.call('context.story.erase', { path: { customerId: id } });
    expect((await own.call('mail.messages.list', { query: { to: email } })).data).toEqual([]);
    expect((await own.call('mail.messages.list', { query: { to: other } })).data).toHaveLength(1);
  });

  test('erases what was accepted and not yet composed', async () => {
    const { id, events, traces } = personOf(own.orgId);
    await Promise.all(events.map((body) => own.call('context.events.create', { body })));
    await own.call('context.story.erase', { path: { customerId: id } });
    const left = await everythingStored(own.orgId);
    for (const trace of traces) expect(left).not.toContain(trace);
  });

  test('by the id of one who was merged erases the whole person', async () => {
    const { formerId, events, traces } = personOf(own.orgId);
    for (const body of events) {
      await own.call('context.events.create', { body });
      await own.call('context.story.read', { path: { customerId: formerId }, query: {} });
    }
    await own.call('context.story.erase', { path: { customerId: formerId } });
    const left = await everythingStored(own.orgId);
    for (const trace of traces) expect(left).not.toContain(trace);
  });

  test('touches nobody else', async () => {
    const [gone, kept] = [personOf(own.orgId), personOf(own.orgId)];
    await own.call('context.events.create-batch', { body: { events: [...gone.events, ...kept.events] } });
    const before = await own.call('context.story.read', { path: { customerId: kept.id }, query: {} });
    await own.call('context.story.erase', { path: { customerId: gone.id } });
    expect(await own.call('context.story.read', { path: { customerId: kept.id }, query: {} })).toEqual(before);
  });

  test('keeps the ids taken: a repetition is 409 and tells no story, another event under the id neither', async () => {
    const { id, events } = personOf(own.orgId);
    await own.call('context.events.create-batch', { body: { events } });
    await own.call('context.story.erase', { path: { customerId: id } });
    for (const body of events) {
      expect((await own.attempt('context.events.create', { body })).status).toBe(409);
      expect((await own.attempt('context.events.create', { body: { ...body, payload: {} } })).status).toBe(409);
    }
    expect((await own.attempt('context.story.read', { path: { customerId: id }, query: {} })).status).toBe(404);
  });

  test('asked for twice at once is done once', async () => {
    const { id, events } = personOf(own.orgId);
    await own.call('context.events.create-batch', { body: { events } });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => own.attempt('context.story.erase', { path: { customerId: id } })),
    );
    expect(answers.map(({ status }) => status).filter((status) => ![204, 404].includes(status))).toEqual([]);
    expect(answers.some(({ status }) => status === 204)).toBe(true);
  });

  test('does not keep the person from starting anew, with the same email', async () => {
    const { id, formerId, email, events } = personOf(own.orgId);
    await own.call('context.events.create-batch', { body: { events } });
    await own.call('context.story.erase', { path: { customerId: id } });
    const fresh = eventAbout(own.orgId, id, { payload: { email } });
    await own.call('context.events.create', { body: fresh });
    const { data } = await own.call('context.story.events', { path: { customerId: id }, query: {} });
    expect(data.map(({ eventId }) => eventId)).toEqual([fresh.eventId]);
    expect((await own.attempt('context.story.read', { path: { customerId: formerId }, query: {} })).status).toBe(404);
  });

  test('by many at once with new events goes on answering and leaves whole stories', async () => {
    const { id, email } = personOf(own.orgId);
    const writers = Array.from({ length: 8 }, async () => {
      for (let count = 0; count < 8; count += 1) {
        const body = eventAbout(own.orgId, id, { payload: count % 2 ? { email } : {} });
        expect((await own.attempt('context.events.create', { body })).status).toBe(201);
        const { status } = await own.attempt(count % 3 ? 'context.story.read' : 'context.story.erase', {
          path: { customerId: id },
        });
        expect([200, 204, 404]).toContain(status);
      }
    });
    await Promise.all(writers);
    const last = eventAbout(own.orgId, id, { payload: { email } });
    await own.call('context.events.create', { body: last });
    const { data } = await own.call('context.story.events', { path: { customerId: id }, query: { limit: '100' } });
    expect(data.map(({ eventId }) => eventId)).toContain(last.eventId);
  });
});
