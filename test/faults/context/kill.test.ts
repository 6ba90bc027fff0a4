import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { composeStory } from '../../../services/context/story/story.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { type Event, eventAbout } from '../../support/events.ts';
import { type FirstRun, type Platform, startPlatform } from '../../support/platform.ts';
import { propertyCases } from '../../support/property-cases.ts';

const kills = propertyCases(3, 10);
const eventsAtAll = propertyCases(600, 2000);
const connections = 32;
const customers = 25;

let dataDir: string;
let platform: Platform;
let firstRun: FirstRun;
const acknowledged = new Map<string, Event>();

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'kill-'));
  platform = await startPlatform({ dataDir });
  firstRun = platform.firstRun;
});
afterAll(async () => {
  await platform.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

const clientNow = (): Client => clientOf({ url: platform.url, orgId: firstRun.orgId, apiKey: firstRun.apiKey });

function eventNumber(number: number): Event {
  const occurredAt = new Date(Date.UTC(2026, 0, 1) + ((number * 7919) % eventsAtAll) * 60_000).toISOString();
  const payload = { orderId: `o-${number % 40}`, total: number % 90, currency: 'EUR' };
  return eventAbout(firstRun.orgId, `customer-${number % customers}`, { occurredAt, payload });
}

/** Sends events on 32 connections until the platform is killed, which happens once so many were acknowledged. */
async function sendUntilKilled(events: Event[], killAfter: number): Promise<Event[]> {
  const client = clientNow();
  const unanswered: Event[] = [];
  const remaining = events.values();
  let answered = 0;
  let killing: Promise<void> | undefined;
  const lane = async () => {
    for (const event of remaining) {
      const answer = await client.attempt('context.events.create', { body: event }).catch(() => null);
      if (!answer) {
        unanswered.push(event);
        if (killing !== undefined) return;
        continue;
      }
      // 409: an attempt before a former kill was stored, and its answer lost.
      expect([201, 409]).toContain(answer.status);
      acknowledged.set(event.eventId, event);
      answered += 1;
      if (answered >= killAfter) killing ??= platform.kill();
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  await killing;
  return [...unanswered, ...remaining];
}

describe(`a platform that is killed ${kills} times in the middle of ${eventsAtAll} events`, () => {
  test('keeps every acknowledged event, none twice, and tells the right stories', async () => {
    let waiting = Array.from({ length: eventsAtAll }, (_none, number) => eventNumber(number));
    for (let kill = 0; kill < kills; kill += 1) {
      waiting = await sendUntilKilled(waiting, eventsAtAll / (kills + 1));
      platform = await startPlatform({ dataDir });
    }
    expect(acknowledged.size).toBeGreaterThan(0);
    expect(await sendUntilKilled(waiting, Number.POSITIVE_INFINITY)).toEqual([]);
    expect(acknowledged.size).toBe(eventsAtAll);

    const listed: Event[] = [];
    for (let number = 0; number < customers; number += 1) {
      const customerId = `customer-${number}`;
      const theirs = await readEvents(clientNow(), customerId);
      const story = await clientNow().call('context.story.read', { path: { customerId }, query: {} });
      const sent = [...acknowledged.values()].filter(({ actor }) => actor.id === customerId);
      const told = composeStory(
        customerId,
        sent.map((event) => ({ ...event, occurredAt: new Date(event.occurredAt) })),
      );
      expect(story).toEqual(told);
      listed.push(...theirs);
    }
    expect(listed.map(({ eventId }) => eventId).sort()).toEqual([...acknowledged.keys()].sort());
  }, 300_000);
});

async function readEvents(client: Client, customerId: string): Promise<Event[]> {
  const events: Event[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = { limit: '100', cursor };
    const page = await client.call('context.story.events', { path: { customerId }, query });
    events.push(...page.data);
    if (!page.nextCursor) return events;
    cursor = page.nextCursor;
  }
}
