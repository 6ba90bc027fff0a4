import { afterEach, describe, expect, test } from '@jest/globals';
import { leaseInstant } from '../../../lib/clients/quota.ts';
import {
  isPrefetched,
  newQuotaBatchKey,
  type OpenQuotaBatch,
  openQuotaBatch,
  quotaBatchWindow,
  releasePrefetched,
  withQuotaAllocation,
} from '../../../lib/clients/quota-batches.ts';
import { setClock } from '../../../lib/data/clock.ts';
import { until } from '../../support/until.ts';

/** The committed units of each batch, by its key, and what was asked of billing. */
const charged = new Map<string, number>();
const asked: { amount: number; ahead: number; key: string }[] = [];

type Body = { amount: number; ahead: number; key: string; takes: { receipt: { key: string }; charged: number }[] };

const ctx = {
  service: { name: 'shop' },
  broker: {
    logger: { warn: () => undefined },
    call: (name: string, { body }: { body: Body }) => {
      if (name === 'billing.quota.take') {
        asked.push(body);
        const taken = body.amount + body.ahead;
        return Promise.resolve({ outcome: 'taken', taken, receipt: { key: body.key, amount: taken }, period: null });
      }
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

afterEach(async () => {
  await releasePrefetched();
  charged.clear();
  asked.length = 0;
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
  const meter = 'context.eventsPerDay';
  const spend = (orgId: string, amount: number, used = amount) =>
    withQuotaAllocation(ctx, { orgId, meter, amount }, ({ quotaBatch }) =>
      Promise.resolve({ result: quotaBatch.key, charged: used }),
    );
  const has = (orgId: string, amount: number) => isPrefetched({ orgId, meter, amount });

  test('are none while few are spent', async () => {
    for (const _one of [1, 2, 3]) await spend('calm', 2);
    expect(asked.map(({ amount, ahead }) => [amount, ahead])).toEqual([
      [2, 0],
      [2, 0],
      [2, 0],
    ]);
    expect(has('calm', 1)).toBe(false);
  });

  test('are as many as were spent lately, of the same counter, are spent without a call and refilled in time', async () => {
    await spend('a', 50);
    const key = await spend('a', 1);
    expect(asked.at(-1)).toMatchObject({ amount: 1, ahead: 50, key });
    expect([has('a', 50), has('a', 51), has('b', 1)]).toEqual([true, false, false]);
    expect(await spend('a', 50)).toBe(key);
    expect(asked.map(({ amount, ahead }) => [amount, ahead])).toEqual([
      [50, 0],
      [1, 50],
      [0, 101],
    ]);
  });

  test('are a thousand at most, unless a request says otherwise', async () => {
    await spend('many', 5000);
    await spend('many', 1);
    expect(asked.at(-1)).toMatchObject({ ahead: 1000 });
    await withQuotaAllocation(ctx, { orgId: 'many', meter, amount: 5000, maxPrefetch: 3000 }, () =>
      Promise.resolve({ result: null, charged: 0 }),
    );
    expect(asked.at(-1)).toMatchObject({ amount: 5000, ahead: 3000 });
  });

  test('are released for others as soon as a request does not fit, and those of it that were used are charged', async () => {
    await spend('c', 20);
    const former = await spend('c', 10, 4);
    await spend('c', 100);
    await until(() => charged.get(former) === 4);
    expect(has('c', 20)).toBe(true);
  });

  test('are released by themselves when they are not used, and when the service stops', async () => {
    await spend('d', 20);
    const key = await spend('d', 4);
    await until(() => charged.get(key) === 4);
    expect(has('d', 1)).toBe(false);
    await spend('e', 20);
    const last = await spend('e', 4);
    expect(has('e', 1)).toBe(true);
    await releasePrefetched();
    expect([charged.get(last), has('e', 1)]).toEqual([4, false]);
  });
});
