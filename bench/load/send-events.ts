import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { counterOf, headersOf, type Platform } from '../servers/platform.ts';

const batchSize = 250;
const batchesAtOnce = 4;

/** Sends one request with the platform's API key. */
export async function ask(platform: Platform, path: string, init: RequestInit = {}) {
  const headers = { ...headersOf(platform), ...(init.body && { 'Content-Type': 'application/json' }) };
  const answer = await fetch(`http://127.0.0.1:${platform.port}${path}`, { ...init, headers });
  return { status: answer.status, text: await answer.text() };
}

/** Sends events in batches, at a fixed rate or as fast as they are accepted. Throws when one is rejected. */
export async function sendEvents(
  platform: Platform,
  count: number,
  eventAt: (index: number) => object,
  perSecond = Number.POSITIVE_INFINITY,
): Promise<void> {
  const startedAt = performance.now();
  let next = 0;
  const lane = async () => {
    for (let from = next; from < count; from = next) {
      next += batchSize;
      await wait(Math.max(0, startedAt + (from / perSecond) * 1000 - performance.now()));
      const events = Array.from({ length: Math.min(batchSize, count - from) }, (_none, at) => eventAt(from + at));
      const body = JSON.stringify({ events });
      const { status, text } = await ask(platform, '/events/batch', { method: 'POST', body });
      if (status !== 200 || /"rejected"/.test(text)) throw new Error(`Events were answered ${status}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: batchesAtOnce }, lane));
}

/**
 * Number of events that the platform has composed into stories in the background; events composed by a read are not
 * counted.
 */
export const composedEvents = (platform: Platform): Promise<number> =>
  counterOf(platform, 'context_events_composed_total');

/** Waits until the platform has composed `count` events in all. */
export async function untilComposed(platform: Platform, count: number, patienceMilliseconds: number): Promise<void> {
  const deadline = performance.now() + patienceMilliseconds;
  while ((await composedEvents(platform)) < count) {
    if (performance.now() > deadline) throw new Error(`Not all of ${count} events were composed.`);
    // Not more often: a response with all metrics takes 7 ms of the thread that composes.
    await wait(250);
  }
}

/** An order of a customer in second `index` of a year. */
export function orderOf(tenantId: string, customer: string, index: number): object {
  return {
    schemaVersion: '1.0',
    tenantId,
    eventId: randomUUID(),
    eventName: 'order.created',
    occurredAt: isoAt(index),
    actor: { type: 'customer', id: customer },
    source: { system: 'bench', channel: 'web' },
    payload: { orderId: `o-${index}`, totalAmount: 49.9, currency: 'EUR', items: [{ sku: 'MUG-BLUE', quantity: 2 }] },
  };
}

export const isoAt = (index: number): string => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
