import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { roundSize, yieldToInserts } from '../../../services/context/compose/composer.ts';
import { sinceInserts } from '../../../services/context/ingest/insert-events.ts';
import { until } from '../../support/until.ts';
import { beginInsert, giveInsertsUpAfter } from './stuck-insert.ts';

/** Keeps the thread busy for longer than it is measured at least. */
function keepBusy(): void {
  const startedAt = performance.now();
  while (performance.now() - startedAt < 100);
}

describe('a round of the composer', () => {
  const before = roundSize(false);
  let insert: Promise<unknown>;

  beforeAll(() => {
    giveInsertsUpAfter(3000);
    insert = beginInsert().end;
  });
  afterAll(() => insert);

  test('takes most while no events are inserted', () => {
    keepBusy();
    expect(before.events).toBeGreaterThan(roundSize(false).events);
  });

  test('takes as many beside inserts when its work is late', () => {
    keepBusy();
    expect(roundSize(true).events).toBe(before.events);
  });

  test('begins at once beside inserts, and takes more, while the thread has time left', async () => {
    keepBusy();
    const small = roundSize(false);
    await until(() => roundSize(false).events > small.events);
    await yieldToInserts(new AbortController().signal);
    expect(sinceInserts()).toBe(0);
    expect(roundSize(false).events).toBeLessThan(before.events);
  });

  test('waits for a pause while it has none, but not for long', async () => {
    keepBusy();
    let hasPassed = false;
    const passed = yieldToInserts(new AbortController().signal).then(() => {
      hasPassed = true;
    });
    await nextTurn();
    expect(hasPassed).toBe(false);
    await passed;
    expect(sinceInserts()).toBe(0);
  });
});
