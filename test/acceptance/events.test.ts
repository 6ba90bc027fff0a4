import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { type Client, clientOf } from '../support/client.ts';
import { type Event, eventOf } from '../support/events.ts';
import { eventually } from '../support/until.ts';
import { covers } from './covers.ts';

const create = (client: Client, body: unknown, headers?: Record<string, string | null>) =>
  client.attempt('context.events.create', { body }, headers);

const createBatch = (client: Client, events: unknown) =>
  client.attempt('context.events.create-batch', { body: { events } });

/** A valid event of exactly so many bytes. */
function eventOfBytes(tenantId: string, bytes: number): string {
  const event = eventOf(tenantId, { payload: { note: '' } });
  const filler = 'x'.repeat(bytes - Buffer.byteLength(JSON.stringify(event)));
  return JSON.stringify({ ...event, payload: { note: filler } });
}

async function expectRefused(client: Client, body: object, path: string): Promise<void> {
  const answer = await create(client, body);
  expect({ path, status: answer.status, error: answer.body.error }).toEqual({
    path,
    status: 400,
    error: 'INPUT_INVALID',
  });
  expect(answer.body.details!.map((detail) => detail.path)).toContain(`body.${path}`);
}

covers('events.create', async ({ own }) => {
  const body = eventOf(own.orgId);
  const answer = await create(own, body);
  expect(answer.status).toBe(201);
  const { eventId, actor } = body;
  expect(answer.body).toEqual({ eventId, status: 'accepted', customerId: actor.id, understood: true });
});

const fields = [
  'schemaVersion',
  'tenantId',
  'eventId',
  'eventName',
  'occurredAt',
  'actor',
  'source',
  'payload',
] as const;

covers('events.required', async ({ own }) => {
  for (const field of fields) {
    const { [field]: _left, ...rest } = eventOf(own.orgId);
    await expectRefused(own, rest, field);
  }
  await expectRefused(own, { ...eventOf(own.orgId), actor: { id: 'a' } }, 'actor.type');
  await expectRefused(own, { ...eventOf(own.orgId), actor: { type: 'customer' } }, 'actor.id');
  await expectRefused(own, { ...eventOf(own.orgId), source: { channel: 'web' } }, 'source.system');
  await expectRefused(own, { ...eventOf(own.orgId), source: { system: 'shop' } }, 'source.channel');
});

covers('events.types', async ({ own }) => {
  for (const field of fields) {
    for (const value of [null, 7, true, [], field === 'payload' ? 'text' : { $gt: '' }]) {
      const { status, body } = await create(own, { ...eventOf(own.orgId), [field]: value });
      expect({ field, value, status, error: body.error }).toEqual({
        field,
        value,
        status: 400,
        error: 'INPUT_INVALID',
      });
      expect(body.details![0]!.path).toMatch(new RegExp(`^body\\.${field}`));
    }
  }
});

covers('events.unknown', async ({ own }) => {
  await expectRefused(own, { ...eventOf(own.orgId), colour: 'red' }, 'colour');
  await expectRefused(own, { ...eventOf(own.orgId), actor: { type: 'customer', id: 'a', role: 'x' } }, 'actor.role');
  await expectRefused(own, { ...eventOf(own.orgId), source: { system: 's', channel: 'c', ip: 'x' } }, 'source.ip');
});

covers('events.tenant', async ({ own, other }) => {
  await expectRefused(own, eventOf(other.orgId), 'tenantId');
  await expectRefused(own, eventOf(`${own.orgId} `), 'tenantId');
});

covers('events.repeat', async ({ own }) => {
  const body = eventOf(own.orgId);
  expect((await create(own, body)).status).toBe(201);
  expect(await create(own, body)).toMatchObject({ status: 409, body: { error: 'EVENT_ALREADY_SENT' } });
  const another = { ...body, eventId: body.eventId.toUpperCase(), payload: { other: true } };
  expect(await create(own, another)).toMatchObject({ status: 409, body: { error: 'EVENT_ALREADY_SENT' } });
});

covers('events.per-tenant', async ({ own, other }) => {
  const { eventId } = eventOf(own.orgId);
  expect((await create(own, eventOf(own.orgId, { eventId }))).status).toBe(201);
  expect((await create(other, eventOf(other.orgId, { eventId }))).status).toBe(201);
});

covers('events.name', async ({ own }) => {
  for (const eventName of ['a.b', 'order.line-item.created', 'A_1.b.c.d.e.f']) {
    expect((await create(own, eventOf(own.orgId, { eventName }))).status).toBe(201);
  }
  for (const eventName of [
    '',
    'order',
    'order.',
    '.created',
    'a..b',
    'a.b.c.d.e.f.g',
    'a b.c',
    'a.b$',
    'ö.b',
    'a.b\n',
  ]) {
    await expectRefused(own, eventOf(own.orgId, { eventName }), 'eventName');
  }
});

covers('events.id', async ({ own }) => {
  for (const eventId of [randomUUID(), randomUUID().toUpperCase(), '018f0000-0000-7000-8000-000000000000']) {
    expect([201, 409]).toContain((await create(own, eventOf(own.orgId, { eventId }))).status);
  }
  for (const eventId of [
    '',
    '1',
    'not-a-uuid',
    `${randomUUID()}0`,
    randomUUID().replaceAll('-', ''),
    ` ${randomUUID()}`,
  ]) {
    await expectRefused(own, eventOf(own.orgId, { eventId }), 'eventId');
  }
});

covers('events.time', async ({ own }) => {
  const ahead = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
  for (const occurredAt of [ahead(4 * 60_000), '2020-02-29T12:00:00Z', '2020-01-01T00:00:00.123+02:00']) {
    expect((await create(own, eventOf(own.orgId, { occurredAt }))).status).toBe(201);
  }
  for (const occurredAt of [ahead(6 * 60_000), '2021-02-29T12:00:00Z', '2020-01-01', '1577836800', 'now', '']) {
    await expectRefused(own, eventOf(own.orgId, { occurredAt }), 'occurredAt');
  }
});

covers('events.size', async ({ own }) => {
  const limit = 256 * 1024;
  expect((await create(own, eventOfBytes(own.orgId, limit))).status).toBe(201);
  const refused = await create(own, eventOfBytes(own.orgId, limit + 1));
  expect(refused).toMatchObject({ status: 413, body: { error: 'BODY_TOO_LARGE' } });
  expect(refused.body.message).toContain(String(limit));
});

covers('events.order', async ({ own, other }) => {
  const known = eventOf(own.orgId);
  await create(own, known);
  const nobody = { authorization: null };
  const mismatched = { 'x-tenant-id': other.orgId };
  expect((await create(own, { ...known, payload: 1 }, nobody)).status).toBe(400);
  expect((await create(own, known, nobody)).status).toBe(401);
  expect((await create(own, { ...known, payload: 1 }, mismatched)).status).toBe(400);
  expect((await create(own, known, mismatched)).status).toBe(403);
  expect((await create(own, known)).status).toBe(409);
});

covers('events.permission', async ({ own }) => {
  const { id } = await own.call('identity.me.read', {});
  const body = { name: 'Reader', scopes: ['context.story.read'] };
  const { token } = await own.call('identity.api-keys.create', { path: { id }, body });
  const reader = clientOf({ ...own, apiKey: token });
  const refused = await create(reader, eventOf(own.orgId));
  expect(refused).toMatchObject({ status: 403, body: { error: 'PERMISSION_DENIED' } });
  expect((await createBatch(reader, [eventOf(own.orgId)])).status).toBe(403);
});

covers('batch.create', async ({ own }) => {
  // Of nobody, so that no story has to be told for them while other tests run.
  const actor = { type: 'system', id: 'import' };
  const events = Array.from({ length: 500 }, () => eventOf(own.orgId, { actor }));
  const { status, body } = await createBatch(own, events);
  expect(status).toBe(200);
  const accepted = { status: 'accepted', customerId: null, understood: true };
  expect(body.results).toEqual(events.map(({ eventId }) => ({ eventId, ...accepted })));
});

covers('batch.partial', async ({ own, other }) => {
  const sent = eventOf(own.orgId);
  await create(own, sent);
  const fresh = eventOf(own.orgId);
  const bad = { ...eventOf(own.orgId), payload: [] } as unknown as Event;
  const foreign = eventOf(other.orgId);
  const { status, body } = await createBatch(own, [sent, fresh, bad, foreign, fresh, 'text']);
  expect(status).toBe(200);
  expect(body.results).toMatchObject([
    { eventId: sent.eventId, status: 'duplicate', error: 'EVENT_ALREADY_SENT' },
    { eventId: fresh.eventId, status: 'accepted' },
    { eventId: bad.eventId, status: 'rejected', error: 'INPUT_INVALID' },
    { eventId: foreign.eventId, status: 'rejected', error: 'INPUT_INVALID' },
    { eventId: fresh.eventId, status: 'duplicate', error: 'EVENT_ALREADY_SENT' },
    { eventId: null, status: 'rejected', error: 'INPUT_INVALID' },
  ]);
  expect((await create(own, fresh)).status).toBe(409);
  expect((await create(own, { ...bad, payload: {} })).status).toBe(201);
});

covers('batch.bounds', async ({ own }) => {
  const many = Array.from({ length: 501 }, () => eventOf(own.orgId));
  for (const events of [[], many, undefined, {}, 'text']) {
    expect(await createBatch(own, events)).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID' } });
  }
  expect((await create(own, many[0])).status).toBe(201);
});

covers('events.list', async ({ own, other }) => {
  const sent = eventOf(own.orgId);
  await create(own, sent);
  const query = { customerId: sent.actor.id };
  const { data } = await own.call('context.events.list', { query });
  expect(data).toMatchObject([{ eventId: sent.eventId, customerId: sent.actor.id, understood: true }]);
  const newest = await own.call('context.events.list', { query: { limit: '100' } });
  expect(newest.data.map(({ eventId }) => eventId)).toContain(sent.eventId);
  expect(await other.call('context.events.list', { query })).toEqual({ data: [], nextCursor: null });
});

covers('events.read', async ({ own, other }) => {
  const sent = eventOf(own.orgId);
  await create(own, sent);
  const of = { path: { eventId: sent.eventId } };
  const { occurredAt: _time, ...same } = sent;
  expect(await own.call('context.events.read', of)).toMatchObject(same);
  expect((await other.attempt('context.events.read', of)).status).toBe(404);
});

// Of the other organization: of one that sends many wrong events in a minute, some are only counted.
covers('events.refused', async ({ other }) => {
  const wrong = eventOf(other.orgId, { occurredAt: 'yesterday', payload: { note: 'a secret' } });
  expect((await create(other, wrong)).status).toBe(400);
  await eventually(async () => {
    const { body, text } = await other.attempt('context.events.refused', { query: { limit: '100' } });
    const refused = body.data.find(({ eventId }) => eventId === wrong.eventId);
    expect(refused).toMatchObject({ error: 'INPUT_INVALID', eventName: wrong.eventName });
    expect(new Set(refused!.details.map(({ path }) => path))).toEqual(new Set(['occurredAt']));
    expect(text).not.toContain('a secret');
  });
});
