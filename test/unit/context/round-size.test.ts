import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import type { EventDocument } from '../../../models/context/event.ts';
import { insertEvents, sinceInserts } from '../../../services/context/insert-events.ts';
import { letInsertsPass, roundSize } from '../../../services/context/round-size.ts';
import { until } from '../../support/until.ts';

const event: EventDocument = {
  _id: 'org_test:1',
  orgId: 'org_test',
  eventId: '1',
  identifiers: [],
  receivedAt: new Date(0),
};

/** Keeps the thread busy for longer than it is measured at least. */
function keepBusy(): void {
  const startedAt = performance.now();
  while (performance.now() - startedAt < 100);
}

describe('a round of the composer', () => {
  const before = roundSize();
  let insert: Promise<unknown>;

  beforeAll(() => {
    // Mongoose has no server here: the insert is on its way until it gives up.
    mongoose.set('bufferTimeoutMS', 3000);
    insert = insertEvents([{ document: event, isHeld: () => true }]).catch(() => undefined);
  });
  afterAll(() => insert);

  test('takes most while no events are inserted', () => {
    keepBusy();
    expect(before.events).toBeGreaterThan(roundSize().events);
  });

  test('begins at once beside inserts, and takes more, while the thread has time left', async () => {
    keepBusy();
    const small = roundSize();
    await until(() => roundSize().events > small.events);
    await letInsertsPass(new AbortController().signal);
    expect(sinceInserts()).toBe(0);
    expect(roundSize().events).toBeLessThan(before.events);
  });

  test('waits for a pause while it has none, but not for long', async () => {
    keepBusy();
    let hasPassed = false;
    const passed = letInsertsPass(new AbortController().signal).then(() => {
      hasPassed = true;
    });
    await wait(50);
    expect(hasPassed).toBe(false);
    await passed;
    expect(sinceInserts()).toBe(0);
  });
});
