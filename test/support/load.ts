import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, type ErrorBody, type Sent, send } from './http.ts';
import type { Tenant } from './tenants.ts';
import { until } from './until.ts';

/** An answer, what it answers, and when its request began and ended by `performance.now()`. */
type TimedAnswer = Answer<ErrorBody> & { path: string; startedAt: number; endedAt: number };

/** What a load has seen so far. */
export type Load = {
  answers: TimedAnswer[];
  /** Requests that were sent and not answered whole. */
  lost: Error[];
  /** Ends when every request has ended; the load ends by itself where connections are refused. */
  stop: () => Promise<void>;
};

/**
 * Sends requests over so many kept-alive connections at once, on each one after the other, until it is told to stop.
 * `pauseMilliseconds` between two requests of a connection leave the processor to what the load accompanies.
 */
export function startLoad(url: string, connections: number, next: () => Sent, pauseMilliseconds = 0): Load {
  const answers: Load['answers'] = [];
  const lost: Error[] = [];
  let going = true;
  const loop = async () => {
    while (going) {
      try {
        const startedAt = performance.now();
        const sent = next();
        const answer = await send<ErrorBody>(url, sent);
        answers.push({ ...answer, path: sent.path, startedAt, endedAt: performance.now() });
        if (pauseMilliseconds > 0) await wait(pauseMilliseconds);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return;
        lost.push(error as Error);
      }
    }
  };
  const loops = Promise.all(Array.from({ length: connections }, loop));
  return {
    answers,
    lost,
    async stop() {
      going = false;
      await loops;
    },
  };
}

/** Waits until each load has this many more answers. */
export async function untilAnswered(loads: Load[], count: number): Promise<void> {
  const before = loads.map(({ answers }) => answers.length);
  await until(() => loads.every(({ answers }, index) => answers.length >= before[index]! + count));
}

/** How many answers there were of each status. */
export function statusesOf({ answers }: { answers: { status: number }[] }): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** The request for the story of somebody who has none: a call of the context service that adds no work for it. */
export function absentStoryRequest({ orgId, apiKey }: Pick<Tenant, 'orgId' | 'apiKey'>): Sent {
  const headers = { Authorization: `Bearer ${apiKey}`, 'x-tenant-id': orgId };
  return { path: '/v1/story/customers/nobody', headers };
}

/** The request that sends a business event nobody sent before. */
export function newEventRequest({ orgId, apiKey }: Pick<Tenant, 'orgId' | 'apiKey'>): Required<Sent> {
  const event = {
    schemaVersion: '1.0',
    tenantId: orgId,
    eventId: randomUUID(),
    eventName: 'order.created',
    occurredAt: new Date().toISOString(),
    actor: { type: 'customer', id: `customer-${randomUUID()}` },
    source: { system: 'shop', channel: 'web' },
    payload: { orderId: 'order-1' },
  };
  return {
    method: 'POST',
    path: '/events',
    headers: { Authorization: `Bearer ${apiKey}`, 'x-tenant-id': orgId, 'Content-Type': 'application/json' },
    body: JSON.stringify(event),
  };
}
