import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { leaseInstant } from '../../../lib/clients/quota.ts';
import {
  allocatePrefetched,
  closePrefetched,
  keepPrefetched,
  newQuotaBatchKey,
  type OpenQuotaBatch,
  openQuotaBatch,
  prefetchedUnits,
  quotaBatchWindow,
  recordSpent,
  suppressRefill,
  unitsToPrefetch,
} from '../../../lib/clients/quota-batches.ts';
import { setClock } from '../../../lib/data/clock.ts';
import { until } from '../../support/until.ts';

/** The committed units of each batch, by its key. */
const charged = new Map<string, number>();

const ctx = {
  service: { name: 'shop' },
  broker: {
    logger: { warn: () => undefined },
    call: (_name: string, { body }: { body: { takes: { receipt: { key: string }; charged: number }[] } }) => {
      for (const take of body.takes) charged.set(take.receipt.key, take.charged);
      return Promise.resolve();
    },
  },
} as never;

function batchOf(amount: number, periodEnd: Date | null = null): OpenQuotaBatch & { key: string } {
  const key = newQuotaBatchKey();
  const receipt = { orgId: 'org', counter: 'counter', meter: 'context.eventsPerDay', key, nonce: 'n', amount } as const;
  const opened = { requestedAt: leaseInstant(), periodEnd };
  return { ...openQuotaBatch(ctx, { ...receipt, remembered: false }, opened), key };
}

afterEach(() => {
  closePrefetched();
  charged.clear();
});

describe('a batch of units', () => {
  test('is charged the used units once it is closed and its allocations have ended', async () => {
    const batch = batchOf(10);
    const [one, other] = [batch.allocate(3), batch.allocate(4)];
    one.end(2);
    batch.close();
    batch.close();
    expect(charged.size).toBe(0);
    other.end(4);
    await until(() => charged.get(batch.key) === 6);
  });

  test('has the unused units of an allocation again', () => {
    const batch = batchOf(2);
    const allocation = batch.allocate(2);
    expect(batch.available()).toBe(0);
    allocation.end(1);
    expect(batch.available()).toBe(1);
  });

  test('is left to its service when an allocation ends without a count', async () => {
    const [batch, other] = [batchOf(5), batchOf(5)];
    const allocations = [batch.allocate(1), batch.allocate(1)];
    allocations[0]!.end(null);
    expect(batch.available()).toBe(0);
    allocations[1]!.end(1);
    batch.close();
    other.close();
    await until(() => charged.has(other.key));
    expect(charged.has(batch.key)).toBe(false);
  });

  test('has nothing available once its period has ended, and each receivedAt is within its window', () => {
    let instant = Date.parse('2030-01-31T23:59:59.999Z');
    const restore = setClock(() => new Date(instant));
    const batch = batchOf(5, new Date('2030-02-01T00:00:00.000Z'));
    const { from, to } = quotaBatchWindow(batch.key)!;
    expect(batch.available()).toBe(5);
    instant += 1;
    expect(batch.available()).toBe(0);
    for (const jump of [-60_000, 0, 60_000]) {
      instant = +from + jump;
      const { receivedAt } = batch.allocate(1).quotaBatch;
      expect(+receivedAt).toBeGreaterThanOrEqual(+from);
      expect(+receivedAt).toBeLessThanOrEqual(+to);
    }
    restore();
  });

  test.each(['', 'nothing', '-abc', '!'])('has no window by the key %j', (key) => {
    const window = quotaBatchWindow(key);
    expect(window === null || +window.from < Date.parse('2020-01-01')).toBe(true);
  });
});

describe('prefetched units', () => {
  test('are allocated from the oldest batch that has enough', () => {
    const [old, young] = [batchOf(2), batchOf(10)];
    keepPrefetched('a', old);
    keepPrefetched('a', young);
    expect([prefetchedUnits('a'), prefetchedUnits('b')]).toEqual([10, 0]);
    expect(allocatePrefetched('a', 2)!.quotaBatch.key).toBe(old.key);
    expect(allocatePrefetched('a', 5)!.quotaBatch.key).toBe(young.key);
    expect(allocatePrefetched('a', 6)).toBeNull();
    expect(allocatePrefetched('b', 1)).toBeNull();
  });

  test('are released by themselves when they are not used', async () => {
    const batch = batchOf(9);
    keepPrefetched('a', batch);
    allocatePrefetched('a', 4)!.end(4);
    await until(() => charged.get(batch.key) === 4);
    expect(prefetchedUnits('a')).toBe(0);
  });

  test('are as many as were spent lately, less those that are there, and are refilled in time', () => {
    const refill = jest.fn();
    recordSpent('a', 7, refill);
    expect(unitsToPrefetch('a')).toBe(0);
    expect(refill).not.toHaveBeenCalled();
    recordSpent('a', 50, refill);
    expect(unitsToPrefetch('a')).toBe(57);
    expect(refill).toHaveBeenCalledTimes(1);
    keepPrefetched('a', batchOf(50));
    expect(unitsToPrefetch('a')).toBe(7);
    recordSpent('a', 5000, refill);
    expect(unitsToPrefetch('a')).toBe(950);
    expect(refill).toHaveBeenCalledTimes(1);
  });

  test('are not refilled while refills are suppressed', async () => {
    const refill = jest.fn();
    suppressRefill('a');
    recordSpent('a', 50, refill);
    expect(refill).not.toHaveBeenCalled();
    await until(() => {
      recordSpent('a', 1, refill);
      return refill.mock.calls.length > 0;
    });
  });
});
