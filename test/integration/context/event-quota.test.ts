import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { CounterDocument } from '../../../models/billing/counter.ts';
import type { EventDocument } from '../../../models/context/event.ts';
import type { Client } from '../../support/client.ts';
import { type Event, eventOf } from '../../support/events.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { withinOneDay } from '../../support/within-one-day.ts';

/** The plan `free`, on which a new organization is, gives 1000 events a day. */
const limit = 1000;
let own: Client;
let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await databaseUrlOf(await sharedPlatform());
});

/** Counts the events of one day, of an organization of its own. */
const testOfDay = (name: string, check: () => Promise<void>): void =>
  test(name, () =>
    withinOneDay(async () => {
      own = await newTenantClient();
      await check();
    }),
  );

const meter = 'context.eventsPerDay';

/** Leaves so many events of today, as if the others had been sent. */
async function leave(left: number): Promise<void> {
  await own.call('context.events.create', { body: eventOf(own.orgId) });
  await withDatabase(databaseUrl, (database) =>
    database
      .collection<CounterDocument>('billing_counters')
      .updateOne({ orgId: own.orgId, meter }, { $set: { used: limit - left }, $inc: { revision: 1 } }),
  );
}

const counter = () =>
  withDatabase(databaseUrl, (database) =>
    database.collection<CounterDocument>('billing_counters').findOne({ orgId: own.orgId, meter }),
  );

async function used(): Promise<number> {
  await until(async () => (await counter())?.held === 0);
  return (await counter())!.used;
}

const stored = () =>
  withDatabase(databaseUrl, (database) =>
    database.collection<EventDocument>('context_events').countDocuments({ orgId: own.orgId }),
  );

const send = (event: Event) => own.attempt('context.events.create', { body: event });

/** Sends all of them over so many connections. */
async function sendAll(events: Event[], connections: number): Promise<number[]> {
  const statuses: number[] = [];
  let next = 0;
  const connection = async () => {
    for (let place = next++; place < events.length; place = next++)
      statuses[place] = (await send(events[place]!)).status;
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return statuses;
}

describe('the daily quota of events', () => {
  testOfDay('is exact over 32 connections: 402 from the first one beyond it, and repetitions stay 409', async () => {
    await leave(40);
    const events = Array.from({ length: 100 }, () => eventOf(own.orgId));
    const repeated = events.flatMap((event) => [event, event]);
    const statuses = await sendAll(repeated, 32);
    const count = (status: number) => statuses.filter((one) => one === status).length;
    expect([count(201), count(402), count(409)]).toEqual([40, 120, 40]);
    expect(await stored()).toBe(41);
    expect(await used()).toBe(limit);
    for (const [place, event] of repeated.entries()) {
      if (statuses[place] === 201) expect((await send(event)).status).toBe(409);
    }
    expect(await used()).toBe(limit);
  });

  testOfDay('is refused with the place to upgrade, and the event is not stored', async () => {
    await leave(0);
    const before = await stored();
    const { status, body } = await send(eventOf(own.orgId));
    expect(status).toBe(402);
    const count = limit.toLocaleString('en');
    expect(body).toMatchObject({
      error: 'PLAN_LIMIT_EXCEEDED',
      message: expect.stringMatching(
        `^${count} of ${count} events used today\\. Resets at 00:00 UTC, or upgrade: http\\S+orgId=${own.orgId}$`,
      ),
      quota: { meter, limit, used: limit, resetsAt: expect.stringMatching(/T00:00:00\.000Z$/) },
    });
    expect((body as { upgradeUrl?: string }).upgradeUrl).toMatch(new RegExp(`/console/billing\\?orgId=${own.orgId}$`));
    expect(await stored()).toBe(before);
    expect(await used()).toBe(limit);
  });

  testOfDay('is not taken by an event that was sent before, nor by one that is wrong', async () => {
    const event = eventOf(own.orgId);
    await send(event);
    expect((await send(event)).status).toBe(409);
    expect((await send({ ...event, payload: { other: 1 } })).status).toBe(409);
    expect((await send({ ...event, eventId: event.eventId.toUpperCase() })).status).toBe(409);
    expect((await send({ ...event, eventName: 'x' })).status).toBe(400);
    expect(await used()).toBe(1);
  });

  testOfDay('of equal events at once is taken by one', async () => {
    await leave(5);
    const event = eventOf(own.orgId);
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(event)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    expect(await used()).toBe(limit - 4);
  });

  testOfDay('lets a batch in as far as it goes, and says which events it left out', async () => {
    const known = eventOf(own.orgId);
    await send(known);
    await leave(3);
    const [a, b, c, d, e] = Array.from({ length: 5 }, () => eventOf(own.orgId)) as [Event, Event, Event, Event, Event];
    const events = [a, known, { ...b, eventName: 'x' }, c, a, d, e, e, eventOf(own.orgId, { eventId: randomUUID() })];
    const { results } = await own.call('context.events.create-batch', { body: { events } });
    expect(results.map(({ status, error }) => [status, error])).toEqual([
      ['accepted', undefined],
      ['duplicate', 'EVENT_ALREADY_SENT'],
      ['rejected', 'INPUT_INVALID'],
      ['accepted', undefined],
      ['duplicate', 'EVENT_ALREADY_SENT'],
      ['accepted', undefined],
      ['rejected', 'PLAN_LIMIT_EXCEEDED'],
      ['rejected', 'PLAN_LIMIT_EXCEEDED'],
      ['rejected', 'PLAN_LIMIT_EXCEEDED'],
    ]);
    expect(results[6]).toMatchObject({ eventId: e.eventId, upgradeUrl: expect.stringContaining(own.orgId) });
    expect(await used()).toBe(limit);
  });

  testOfDay('is taken together by events that come together, and each knows the batch it was charged to', async () => {
    const before = Date.now();
    await Promise.all(Array.from({ length: 64 }, () => send(eventOf(own.orgId))));
    const events = await withDatabase(databaseUrl, (database) =>
      database.collection<EventDocument>('context_events').find({ orgId: own.orgId }).toArray(),
    );
    const batches = new Set(events.map(({ lot }) => lot));
    expect(batches.has(undefined)).toBe(false);
    expect(batches.size).toBeLessThan(64);
    for (const { receivedAt } of events) expect(+receivedAt).toBeGreaterThanOrEqual(before - 1);
    expect(await used()).toBe(64);
  });

  testOfDay('is exact from the first event to the last, however fast they come, over 32 connections', async () => {
    const events = Array.from({ length: limit + 60 }, () => eventOf(own.orgId));
    const statuses = await sendAll(events, 32);
    const count = (status: number) => statuses.filter((one) => one === status).length;
    expect([count(201), count(402)]).toEqual([limit, 60]);
    expect(await stored()).toBe(limit);
    expect(await used()).toBe(limit);
  });

  testOfDay('tells the usage as it is right after a burst', async () => {
    await sendAll(
      Array.from({ length: 300 }, () => eventOf(own.orgId)),
      32,
    );
    const usage = await own.send<{ usage: { context: object } }>('GET', `/v1/orgs/${own.orgId}/usage`);
    expect(usage.body.usage.context).toEqual({ eventsToday: 300, limitPerDay: limit });
  });

  testOfDay('counts repetitions once while units are prefetched', async () => {
    const events = Array.from({ length: 200 }, () => eventOf(own.orgId));
    const statuses = await sendAll([...events, ...events, ...events], 32);
    expect(statuses.filter((status) => status === 201)).toHaveLength(200);
    expect(statuses.filter((status) => status === 409)).toHaveLength(400);
    expect(await used()).toBe(200);
  });
});
