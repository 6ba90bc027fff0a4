import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Client, clientOf } from '../support/client.ts';
import { newEventRequest, startLoad, statusesOf } from '../support/load.ts';
import { startPlatform } from '../support/platform.ts';
import { type Pool, startPool } from '../support/pool.ts';
import { until } from '../support/until.ts';

describe('a pool with the gateway on Node and the context service on Deno', () => {
  let pool: Pool;
  let client: Client;

  beforeAll(async () => {
    pool = await startPool([{ services: ['gateway', 'identity'] }, { services: ['context'], runtime: 'deno' }]);
    client = clientOf({ url: pool.urls[0]!, ...pool.firstRun });
  });

  test('accepts an event and tells the story it belongs to', async () => {
    const { body } = newEventRequest(pool.firstRun);
    const event = JSON.parse(body as string);
    expect(await client.call('context.events.create', { body: event })).toEqual({
      eventId: event.eventId,
      status: 'accepted',
    });
    const story = await client.call('context.story.read', { path: { customerId: event.actor.id } });
    expect(story).toMatchObject({ customerId: event.actor.id, title: expect.any(String) });
  });

  test('answers the refusals of a service on Deno as they are on Node', async () => {
    const { body } = newEventRequest(pool.firstRun);
    const event = JSON.parse(body as string);
    await client.call('context.events.create', { body: event });
    expect(await client.attempt('context.events.create', { body: event })).toMatchObject({
      status: 409,
      body: { error: 'EVENT_ALREADY_SENT' },
    });
    const invalid = await client.attempt('context.events.create', { body: { ...event, eventId: 7 } });
    expect(invalid).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID' } });
    expect(invalid.body.details).toEqual([{ path: 'body.eventId', message: expect.any(String) }]);
    expect(await client.attempt('context.story.read', { path: { customerId: 'nobody' } })).toMatchObject({
      status: 404,
      body: { error: 'STORY_NOT_FOUND' },
    });
  });

  test('holds a load without losing a request', async () => {
    const load = startLoad(pool.urls[0]!, 20, () => newEventRequest(pool.firstRun));
    await until(() => load.answers.length >= 500);
    await load.stop();
    expect(load.lost).toEqual([]);
    expect(statusesOf(load)).toEqual({ 201: load.answers.length });
  });

  afterAll(async () => {
    expect(await pool.stop()).toEqual([0, 0]);
  });
});

describe('the whole platform on Deno', () => {
  test('starts on the embedded database, works, and stops in order', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'platform-'));
    const platform = await startPlatform({ runtime: 'deno', dataDir });
    const load = startLoad(platform.url, 10, () => newEventRequest(platform.firstRun));
    await until(() => load.answers.length >= 200);
    await load.stop();
    expect(load.lost).toEqual([]);
    expect(statusesOf(load)).toEqual({ 201: load.answers.length });
    expect(await platform.stop()).toBe(0);
    rmSync(dataDir, { recursive: true });
  });
});
