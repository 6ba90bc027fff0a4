import { setTimeout as wait } from 'node:timers/promises';
import type { Happening } from '../shop/happening.ts';
import type { BusinessEvent, Client, EventResult } from './client.ts';
import { concurrently } from './concurrently.ts';
import { type Progress, startProgress } from './progress.ts';

const batchSize = 500;
const batchesInFlight = 2;
const eventsInFlight = 8;
const maxBatchAttempts = 8;
const firstDelayMilliseconds = 200;
const liveMilliseconds = 7 * 24 * 60 * 60 * 1000;

type Rejected = Exclude<EventResult, { status: 'accepted' }>;

export type Outcome = { accepted: number; duplicate: number; rejected: Rejected[] };

/** Converts the shop's events to the format of the platform. */
export function forSending(happenings: Happening[], tenantId: string): BusinessEvent[] {
  return happenings.map(({ eventId, eventName, at, actor, channel, payload }) => ({
    schemaVersion: '1.0',
    tenantId,
    eventId,
    eventName,
    occurredAt: new Date(at).toISOString(),
    actor,
    source: { system: 'shop-backend', channel },
    payload,
  }));
}

/** Sends events older than a week in batches, as an import would, and the last week one by one, as a live shop does. */
export async function sendAll(client: Client, events: BusinessEvent[]): Promise<Outcome> {
  const outcome: Outcome = { accepted: 0, duplicate: 0, rejected: [] };
  const liveFrom = Date.parse(events.at(-1)?.occurredAt ?? '') - liveMilliseconds;
  const isLive = (event: BusinessEvent) => Date.parse(event.occurredAt) >= liveFrom;
  await importHistory(
    client,
    events.filter((event) => !isLive(event)),
    outcome,
  );
  await sendLive(client, events.filter(isLive), outcome);
  return outcome;
}

async function importHistory(client: Client, events: BusinessEvent[], outcome: Outcome): Promise<void> {
  await withProgress('History', events.length, (progress) =>
    concurrently(inBatches(events), batchesInFlight, async (batch) => {
      const results = await sendBatch(client, batch);
      for (const result of results) recordSend(outcome, result);
      progress.advance(batch.length);
    }),
  );
}

async function sendLive(client: Client, events: BusinessEvent[], outcome: Outcome): Promise<void> {
  await withProgress('Live', events.length, (progress) =>
    concurrently(events, eventsInFlight, async (event) => {
      recordSend(outcome, await client.sendEvent(event));
      progress.advance(1);
    }),
  );
}

/**
 * Sends a batch. Each event has its own result; events that failed with a server error are sent again, the others are
 * final.
 */
async function sendBatch(client: Client, batch: BusinessEvent[]): Promise<EventResult[]> {
  const final: EventResult[] = [];
  let remaining = batch;
  for (let attempt = 1; ; attempt += 1) {
    const results = await client.sendBatch(remaining);
    final.push(...results.filter((result) => !mayPass(result)));
    remaining = remaining.filter((_, index) => mayPass(results[index]));
    if (remaining.length === 0) return final;
    if (attempt === maxBatchAttempts) {
      throw new Error(`${remaining.length} events of a batch failed: ${describe(results.find(mayPass))}`);
    }
    // A random delay, so that many clients that failed together do not retry together.
    await wait(Math.random() * firstDelayMilliseconds * 2 ** attempt);
  }
}

function mayPass(result: EventResult | undefined): boolean {
  return result?.status === 'rejected' && (result.error === 'UNAVAILABLE' || result.error === 'INTERNAL');
}

function describe(result: EventResult | undefined): string {
  return result && result.status !== 'accepted' ? result.message : 'no reason given';
}

function recordSend(outcome: Outcome, result: EventResult): void {
  if (result.status === 'rejected') outcome.rejected.push(result);
  else outcome[result.status] += 1;
}

function inBatches(events: BusinessEvent[]): BusinessEvent[][] {
  const count = Math.ceil(events.length / batchSize);
  return Array.from({ length: count }, (_, index) => events.slice(index * batchSize, (index + 1) * batchSize));
}

async function withProgress(label: string, total: number, work: (progress: Progress) => Promise<void>): Promise<void> {
  if (total === 0) return;
  const progress = startProgress(label, total);
  try {
    await work(progress);
  } finally {
    progress.end();
  }
}
