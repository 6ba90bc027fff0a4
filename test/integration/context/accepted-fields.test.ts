import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { type Event, eventOf, newCustomerId, newEmail } from '../../support/events.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { eventually } from '../../support/until.ts';

let own: Client;
beforeAll(async () => {
  own = await newTenantClient();
});

/** The answers to one event and to the same content in a batch. */
async function send(given: Partial<Event>) {
  const changes = { actor: { type: 'customer', id: 'C-1' }, ...given };
  const alone = await own.call('context.events.create', { body: eventOf(own.orgId, changes) });
  const { results } = await own.call('context.events.create-batch', {
    body: { events: [eventOf(own.orgId, changes)] },
  });
  const { customerId, understood } = alone;
  expect(results).toMatchObject([{ status: 'accepted', customerId, understood }]);
  return { customerId, understood };
}

const readStory = async (customerId: string | null) =>
  (await own.call('context.story.read', { path: { customerId: customerId! }, query: {} })).customerId;

const system = { type: 'system', id: 'warehouse' };
const employee = { type: 'employee', id: 'anna' };

describe('the answer to an accepted event', () => {
  test.each([
    ['a customer as the actor', { actor: { type: 'customer', id: 'C-1' } }, 'C-1'],
    ['a user as the actor, although the payload names another', { actor: { type: 'user', id: 'u-1' } }, 'u-1'],
    [
      'an employee as the actor, and a customer in the payload',
      { actor: employee, payload: { customerId: 'C-2' } },
      'C-2',
    ],
    ['a system as the actor, and a customer in the payload', { actor: system, payload: { customer: { id: 7 } } }, '7'],
    ['a system as the actor alone', { actor: system, payload: {} }, null],
    ['a placeholder for the customer', { actor: { type: 'customer', id: 'undefined' }, payload: {} }, null],
  ])('with %s names the customer whose story shows it', async (_what, changes: Partial<Event>, customerId) => {
    const payload = { customerId: 'C-2' };
    expect(await send({ payload, ...changes })).toEqual({ customerId, understood: true });
  });

  test.each([
    ['order.created', {}, true],
    ['order.creatd', {}, false],
    ['order.updated', { status: 'shipped' }, true],
    ['wishlist.item_added', {}, false],
  ])('says whether %s with %j is understood', async (eventName, payload, understood) => {
    expect(await send({ eventName, payload })).toMatchObject({ understood });
  });

  test('of an address alone names the story that shows it, before and after an event with an id', async () => {
    const [email, id] = [newEmail(), newCustomerId()];
    const changes = { actor: system, payload: { email } };
    const first = await send(changes);
    expect(first.customerId).toMatch(/^cus_/);
    await eventually(async () => expect(await readStory(first.customerId)).toBe(first.customerId));
    await send({ actor: { type: 'customer', id }, payload: { email } });
    await eventually(async () => expect(await readStory(first.customerId)).toBe(id));
    expect((await send(changes)).customerId).toBe(id);
  });

  test('is not there for a repetition, a conflict or an invalid event', async () => {
    const event = eventOf(own.orgId);
    await own.call('context.events.create', { body: event });
    const events = [event, { ...event, eventName: 'order.paid' }, { eventId: randomUUID() }];
    const { results } = await own.call('context.events.create-batch', { body: { events } });
    expect(results.map(({ status }) => status)).toEqual(['duplicate', 'duplicate', 'rejected']);
    expect(results.flatMap(Object.keys)).not.toContain('understood');
  });
});
