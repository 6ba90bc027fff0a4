import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Client, clientOf } from '../../support/client.ts';
import { eventOf } from '../../support/events.ts';
import { freePort } from '../../support/free-port.ts';
import { readMetric } from '../../support/metrics.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';

let platform: Platform;
let own: Client;
let metricsPort: number;
beforeAll(async () => {
  metricsPort = freePort();
  platform = await startPlatform({ env: { METRICS_PORT: String(metricsPort) } });
  own = clientOf({ url: platform.url, orgId: platform.firstRun.orgId, apiKey: platform.firstRun.apiKey });
});

const count = (outcome: string) => readMetric(metricsPort, 'context_events_total', { outcome });
const warnings = () => platform.log().filter(({ level }) => level === 'warn' || level === 'error');

describe('an eventId that was sent before', () => {
  test('with the same event is 409 and counted, and nobody is warned', async () => {
    const body = eventOf(own.orgId);
    await own.call('context.events.create', { body });
    // The same moment in another zone, the same id in capitals and another order of fields are the same event.
    const occurredAt = body.occurredAt.replace('Z', '+00:00');
    const same = Object.fromEntries(
      Object.entries({ ...body, occurredAt, eventId: body.eventId.toUpperCase() }).reverse(),
    );
    expect((await own.attempt('context.events.create', { body: same })).status).toBe(409);
    expect(await count('accepted')).toBe(1);
    expect(await count('repeated')).toBe(1);
    expect(warnings()).toEqual([]);
  });

  test('with another payload is the same 409 to the sender, and flagged in the log and the metric', async () => {
    const body = eventOf(own.orgId);
    await own.call('context.events.create', { body });
    const another = { ...body, payload: { secret: 'of the customer' } };
    const answer = await own.attempt('context.events.create', { body: another });
    expect(answer).toMatchObject({ status: 409, body: { error: 'EVENT_ALREADY_SENT' } });
    expect(await count('conflicting')).toBe(1);
    const line = await platform.logged(({ level }) => level === 'warn');
    expect(line).toMatchObject({ orgId: own.orgId, eventId: body.eventId });
    expect(platform.output()).not.toContain('of the customer');
    const { data } = await own.call('context.story.events', { path: { customerId: body.actor.id }, query: {} });
    expect(data.map(({ payload }) => payload)).toEqual([body.payload]);
  });

  test('in a batch is flagged as well', async () => {
    const body = eventOf(own.orgId);
    const another = { ...body, payload: {} };
    const before = await count('conflicting');
    const { results } = await own.call('context.events.create-batch', { body: { events: [body, another, body] } });
    expect(results.map(({ status }) => status)).toEqual(['accepted', 'duplicate', 'duplicate']);
    expect(await count('conflicting')).toBe(before + 1);
    await platform.logged(({ level, conflicts }) => level === 'warn' && conflicts === 1);
  });
});

describe('what is refused', () => {
  test('is counted in a batch as rejected', async () => {
    await own.call('context.events.create-batch', { body: { events: [{}, eventOf(own.orgId)] } });
    expect(await count('rejected')).toBe(1);
  });
});
