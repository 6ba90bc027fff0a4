import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { eventOf } from '../../support/events.ts';
import { newTenantClient } from '../../support/tenant-client.ts';

let own: Client;
let other: Client;
beforeAll(async () => {
  [own, other] = await Promise.all([newTenantClient(), newTenantClient()]);
});

const withKey = (key: string = randomUUID()) => ({ 'idempotency-key': key });
const batchOf = (client: Client, count = 1) => ({ events: Array.from({ length: count }, () => eventOf(client.orgId)) });
const sendBatch = (client: Client, body: unknown, headers: Record<string, string>) =>
  client.attempt('context.events.create-batch', { body }, headers);

describe('an Idempotency-Key', () => {
  test('replays the first answer, byte for byte, and does nothing again', async () => {
    const headers = withKey();
    const body = batchOf(own, 3);
    const first = await sendBatch(own, body, headers);
    const again = await sendBatch(own, body, headers);
    expect(first.headers).not.toHaveProperty('idempotency-replayed');
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again).toMatchObject({ status: 200, text: first.text });
    expect(again.body.results.map(({ status }) => status)).toEqual(['accepted', 'accepted', 'accepted']);
  });

  test('replays whatever order the fields come in', async () => {
    const headers = withKey();
    const [event] = batchOf(own).events;
    const first = await sendBatch(own, { events: [event] }, headers);
    const reversed = Object.fromEntries(Object.entries(event!).reverse());
    expect((await sendBatch(own, { events: [reversed] }, headers)).text).toBe(first.text);
  });

  test('with another body is 409 IDEMPOTENCY_MISMATCH and does nothing', async () => {
    const headers = withKey();
    await sendBatch(own, batchOf(own), headers);
    const body = batchOf(own);
    expect(await sendBatch(own, body, headers)).toMatchObject({ status: 409, body: { error: 'IDEMPOTENCY_MISMATCH' } });
    expect((await own.call('context.events.create-batch', { body })).results[0]!.status).toBe('accepted');
  });

  test('lets one of many requests at once run; the others get its answer or are told to wait', async () => {
    const headers = withKey();
    const body = batchOf(own, 50);
    const answers = await Promise.all(Array.from({ length: 20 }, () => sendBatch(own, body, headers)));
    const ran = answers.filter(({ status, headers: got }) => status === 200 && !got['idempotency-replayed']);
    expect(ran).toHaveLength(1);
    for (const { status, text, headers: got, body: refused } of answers) {
      expect([ran[0]!.text, expect.stringContaining('IDEMPOTENCY_IN_PROGRESS')]).toContainEqual(text);
      expect(status === 200 || (refused.error === 'IDEMPOTENCY_IN_PROGRESS' && got['retry-after'] === '1')).toBe(true);
    }
    expect((await sendBatch(own, body, headers)).text).toBe(ran[0]!.text);
  });

  test('belongs to its organization', async () => {
    const headers = withKey();
    const [mine, theirs] = await Promise.all([
      sendBatch(own, batchOf(own), headers),
      sendBatch(other, batchOf(other), headers),
    ]);
    expect([mine.status, theirs.status]).toEqual([200, 200]);
    expect(mine.text).not.toBe(theirs.text);
  });

  test('belongs to its action', async () => {
    const headers = withKey();
    await sendBatch(own, batchOf(own), headers);
    expect((await own.attempt('context.events.create', { body: eventOf(own.orgId) }, headers)).status).toBe(201);
  });

  test('is free again after a refusal', async () => {
    const headers = withKey();
    expect((await sendBatch(own, { events: [] }, headers)).status).toBe(400);
    expect((await sendBatch(own, batchOf(own), headers)).status).toBe(200);
    const sent = eventOf(own.orgId);
    await own.call('context.events.create', { body: sent });
    const key = withKey();
    expect((await own.attempt('context.events.create', { body: sent }, key)).status).toBe(409);
    expect((await own.attempt('context.events.create', { body: eventOf(own.orgId) }, key)).status).toBe(201);
  });

  test('makes a repeated POST /events 201 again, which without it is 409', async () => {
    const headers = withKey();
    const body = eventOf(own.orgId);
    const first = await own.attempt('context.events.create', { body }, headers);
    expect(await own.attempt('context.events.create', { body }, headers)).toMatchObject({
      status: 201,
      text: first.text,
    });
    expect((await own.attempt('context.events.create', { body })).status).toBe(409);
  });

  test.each(['', 'a b', 'x'.repeat(256), 'ключ'])('of the form %p is 400 and names the header', async (key) => {
    const answer = await sendBatch(own, batchOf(own), { 'idempotency-key': Buffer.from(key).toString('latin1') });
    expect(answer).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID' } });
    expect(answer.body.details![0]!.path).toBe('headers.idempotency-key');
  });

  test('is ignored where nothing is made', async () => {
    expect((await own.attempt('identity.me.read', {}, withKey(''))).status).toBe(200);
  });
});
