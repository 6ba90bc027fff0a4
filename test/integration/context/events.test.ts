import { beforeAll, describe, expect, test } from '@jest/globals';
import type { EventDocument } from '../../../models/context/event.ts';
import type { Client } from '../../support/client.ts';
import { type Event, eventOf } from '../../support/events.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';

let own: Client;
let databaseUrl: string;
beforeAll(async () => {
  own = await newTenantClient();
  databaseUrl = await databaseUrlOf(await sharedPlatform());
});

const stored = (eventId: unknown) =>
  withDatabase(databaseUrl, (database) =>
    database
      .collection<EventDocument>('context_events')
      .findOne({ _id: `${own.orgId}:${String(eventId).toLowerCase()}` }),
  );

const countStored = () =>
  withDatabase(databaseUrl, async (database) => {
    const names = ['context_events', 'context_customers', 'context_identifiers', 'idempotency_records'];
    const counts = names.map((name) => database.collection(name).countDocuments({ orgId: own.orgId }));
    return (await Promise.all(counts)).reduce((sum, count) => sum + count);
  });

/** A payload of so many levels, itself the first. */
const nested = (levels: number): Event['payload'] =>
  JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`);

type Case = [path: string, value: unknown, what: string];

const wrong: Case[] = [
  ['schemaVersion', undefined, 'missing'],
  ['schemaVersion', '2.0', 'of another major version'],
  ['schemaVersion', '1', 'not dotted'],
  ['schemaVersion', 1, 'a number'],
  ['tenantId', undefined, 'missing'],
  ['tenantId', 'org_another', "not the header's"],
  ['tenantId', { $ne: '' }, 'an operator'],
  ['eventId', undefined, 'missing'],
  ['eventId', 'evt_1', 'no UUID'],
  ['eventId', ['11111111-1111-4111-8111-111111111111'], 'a list'],
  ['eventName', undefined, 'missing'],
  ['eventName', 'created', 'of one part'],
  ['eventName', 'a.b.c.d.e.f.g', 'of seven parts'],
  ['eventName', `order.${'x'.repeat(200)}`, 'too long'],
  ['occurredAt', undefined, 'missing'],
  ['occurredAt', 1767225600000, 'a number'],
  ['occurredAt', '2026-01-01 00:00:00', 'no ISO 8601'],
  ['occurredAt', '2999-01-01T00:00:00.000Z', 'far ahead'],
  ['occurredAt', '1969-12-31T23:59:59.999Z', 'before 1970'],
  ['occurredAt', '2026-02-30T00:00:00.000Z', 'no day'],
  ['actor', undefined, 'missing'],
  ['actor', 'customer', 'a text'],
  ['actor', {}, 'empty'],
  ['actor', { type: 'customer', id: '' }, 'without an id'],
  ['actor', { type: 'customer', id: 7 }, 'with a number for an id'],
  ['actor', { type: 'customer', id: 'x'.repeat(257) }, 'with an id too long'],
  ['actor', { type: 'customer', id: 'a\u0000b' }, 'with a control character'],
  ['actor', { type: 'customer', id: { $gt: '' } }, 'with an operator for an id'],
  ['source', undefined, 'missing'],
  ['source', { system: 'shop' }, 'without a channel'],
  ['source', { system: '', channel: 'web' }, 'with an empty system'],
  ['payload', undefined, 'missing'],
  ['payload', null, 'null'],
  ['payload', [], 'a list'],
  ['payload', 'text', 'a text'],
];

describe.each(wrong)('an event whose %s is %j', (path, value, what) => {
  test(`(${what}) is 400, names the field and stores nothing, alone and in a batch`, async () => {
    const before = await countStored();
    const event = { ...eventOf(own.orgId), [path]: value };
    const alone = await own.attempt('context.events.create', { body: event });
    expect({ status: alone.status, error: alone.body.error }).toEqual({ status: 400, error: 'INPUT_INVALID' });
    expect(alone.body.details!.every((detail) => detail.path.startsWith(`body.${path}`))).toBe(true);
    const batch = await own.call('context.events.create-batch', { body: { events: [event] } });
    expect(batch.results).toMatchObject([{ status: 'rejected', error: 'INPUT_INVALID' }]);
    expect(batch.results[0]!.message).toMatch(new RegExp(`^${path}.*(?:: | must | is )\\S.*\\.$`));
    expect(await countStored()).toBe(before);
  });
});

describe('a payload', () => {
  test('may be 63 levels deep beneath the event, and not 64', async () => {
    const deep = eventOf(own.orgId, { payload: nested(63) });
    expect((await own.attempt('context.events.create', { body: deep })).status).toBe(201);
    expect((await stored(deep.eventId))!.payload).toBe(JSON.stringify(deep.payload));
    const deeper = eventOf(own.orgId, { payload: nested(64) });
    expect((await own.attempt('context.events.create', { body: deeper })).status).toBe(400);
    expect(await stored(deeper.eventId)).toBeNull();
  });

  test.each([
    ['empty', {}],
    ['with every kind of value', { a: null, b: [1, [true, {}]], c: -0.5e-7, d: '', e: '\u2028😀' }],
    ['with numbers at the edge', { big: Number.MAX_SAFE_INTEGER, small: 5e-324, large: 1.7976931348623157e308 }],
    ['with half a surrogate pair', { broken: '\ud800' }],
    ['with keys a database reserves', { _id: 1, $set: { x: 1 }, 'a.b': 2 }],
    ['with a thousand keys', Object.fromEntries(Array.from({ length: 1000 }, (_none, place) => [`k${place}`, place]))],
  ])('%s is accepted', async (_what, payload) => {
    const event = eventOf(own.orgId, { payload: payload as Event['payload'] });
    expect((await own.attempt('context.events.create', { body: event })).status).toBe(201);
    expect((await own.attempt('context.events.create', { body: event })).status).toBe(409);
    const { status } = await own.attempt('context.story.events', { path: { customerId: event.actor.id } });
    expect(status).toBe(200);
  });

  test('has at most 5,000 keys, those of nested objects included', async () => {
    const withKeys = (objects: number) => ({ items: Array.from({ length: objects }, () => ({ a: 1, b: 2, c: [3] })) });
    const before = await countStored();
    const event = eventOf(own.orgId, { payload: withKeys(1667) });
    const { status, body } = await own.attempt('context.events.create', { body: event });
    expect({ status, paths: body.details?.map(({ path }) => path) }).toEqual({ status: 400, paths: ['body.payload'] });
    expect(await countStored()).toBe(before);
    const allowed = eventOf(own.orgId, { payload: withKeys(1666) });
    expect((await own.attempt('context.events.create', { body: allowed })).status).toBe(201);
  });
});

describe('a batch', () => {
  test('over its bytes is 413 and stores none of its events', async () => {
    const filler = 'x'.repeat(200_000);
    const events = Array.from({ length: 4 }, () => eventOf(own.orgId, { payload: { filler } }));
    const answer = await own.attempt('context.events.create-batch', { body: { events } });
    expect(answer).toMatchObject({ status: 413, body: { error: 'BODY_TOO_LARGE' } });
    expect(await stored(events[0]!.eventId)).toBeNull();
  });

  test('rejects one event that is larger than an event may be, and takes the others', async () => {
    const large = eventOf(own.orgId, { payload: { filler: 'x'.repeat(256 * 1024) } });
    const small = eventOf(own.orgId);
    const { results } = await own.call('context.events.create-batch', { body: { events: [large, small] } });
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'accepted']);
    expect(await stored(large.eventId)).toBeNull();
  });

  test('sent by many at once takes each event once', async () => {
    const events = Array.from({ length: 40 }, () => eventOf(own.orgId));
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => own.call('context.events.create-batch', { body: { events } })),
    );
    const accepted = answers.flatMap(({ results }) => results).filter(({ status }) => status === 'accepted');
    expect(accepted.map(({ eventId }) => eventId).sort()).toEqual(events.map(({ eventId }) => eventId).sort());
  });

  test('with an unknown field beside its events is 400', async () => {
    const body = { events: [eventOf(own.orgId)], atomic: true };
    const answer = await own.attempt('context.events.create-batch', { body });
    expect(answer.status).toBe(400);
    expect(answer.body.details).toEqual([{ path: 'body.atomic', message: 'Not a field.' }]);
  });
});
