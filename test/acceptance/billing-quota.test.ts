import { expect } from '@jest/globals';
import type { Client } from '../support/client.ts';
import { type Event, eventOf } from '../support/events.ts';
import type { Answer, ErrorBody } from '../support/http.ts';
import { eventually } from '../support/until.ts';
import { coversWithinOneDay } from './covers.ts';
import { buy, type Customer, readLimits, withCustomer } from './customers.ts';

type Refused = ErrorBody & { upgradeUrl?: string };

/** Of nobody, so that no story has to be told for them. */
const newEvent = ({ orgId }: Client): Event => eventOf(orgId, { actor: { type: 'system', id: 'import' } });

const create = (client: Client, event: object): Promise<Answer<Refused>> => client.send('POST', '/events', event);

const mostInBatch = 500;

/** Sends events until so many of the day's are left. */
async function leave(customer: Customer, left: number): Promise<Event> {
  const { context } = await readLimits(customer);
  if (!context.enabled) throw new Error('The plan has no events.');
  const first = newEvent(customer);
  const events = [first, ...Array.from({ length: context.eventsPerDay - left - 1 }, () => newEvent(customer))];
  for (let from = 0; from < events.length; from += mostInBatch) {
    const body = { events: events.slice(from, from + mostInBatch) };
    const { results } = await customer.call('context.events.create-batch', { body });
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['accepted']));
  }
  return first;
}

coversWithinOneDay('quota.exceeded', (platform) =>
  withCustomer(platform, async (customer) => {
    await leave(customer, 1);
    const events = Array.from({ length: 8 }, () => newEvent(customer));
    const answers = await Promise.all(events.map((event) => create(customer, event)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 402)]);
    const refused = answers.findIndex(({ status }) => status === 402);
    expect(answers[refused]!.body).toEqual({
      error: 'PLAN_LIMIT_EXCEEDED',
      message: expect.any(String),
      requestId: expect.any(String),
      upgradeUrl: expect.stringMatching(/^https?:\/\//),
      quota: { meter: 'context.eventsPerDay', limit: 1000, used: 1000, resetsAt: expect.stringMatching(/T00:00:00/) },
    });
    // It was not stored: else it would be 409.
    expect((await create(customer, events[refused]!)).status).toBe(402);
  }),
);

coversWithinOneDay('quota.order', (platform) =>
  withCustomer(platform, async (customer) => {
    const known = await leave(customer, 0);
    expect(await create(customer, known)).toMatchObject({ status: 409, body: { error: 'EVENT_ALREADY_SENT' } });
    expect((await create(customer, { ...newEvent(customer), eventName: 'x' })).status).toBe(400);
    expect((await create(customer, newEvent(customer))).status).toBe(402);
    expect((await create(customer, known)).status).toBe(409);
  }),
);

coversWithinOneDay('quota.batch', (platform) =>
  withCustomer(platform, async (customer) => {
    const known = await leave(customer, 2);
    const [first, second, third] = [newEvent(customer), newEvent(customer), newEvent(customer)];
    const body = { events: [first, known, second, third] };
    const { results } = await customer.call('context.events.create-batch', { body });
    expect(results).toMatchObject([
      { eventId: first.eventId, status: 'accepted' },
      { eventId: known.eventId, status: 'duplicate' },
      { eventId: second.eventId, status: 'accepted' },
      { eventId: third.eventId, status: 'rejected', error: 'PLAN_LIMIT_EXCEEDED', upgradeUrl: expect.any(String) },
    ]);
  }),
);

coversWithinOneDay('quota.upgrade', (platform) =>
  withCustomer(platform, async (customer) => {
    await leave(customer, 0);
    const event = newEvent(customer);
    expect((await create(customer, event)).status).toBe(402);
    await buy(customer);
    expect((await create(customer, event)).status).toBe(201);
    await eventually(async () => {
      const { usage } = await customer.call('billing.usage.read', { path: { orgId: customer.orgId } });
      expect(usage.context).toEqual({ eventsToday: 1001, limitPerDay: 50_000 });
    });
  }),
);
