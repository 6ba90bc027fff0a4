import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { drainQuotaCommits, type QuotaCaller } from '../../../lib/clients/quota.ts';
import { releasePrefetched } from '../../../lib/clients/quota-batches.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { firstStep, openBandwidth } from '../../../services/storage/quota/bandwidth.ts';

type Take = { amount: number; key: string };
type Commit = { receipt: Take; charged: number };

/**
 * A billing with a limit, which keeps the open reservations and the charged bytes. It receives commits and refunds
 * `delay` milliseconds after they were sent.
 */
function newBilling(limit = Number.POSITIVE_INFINITY, delay = 0) {
  const open = new Map<string, number>();
  const state = { charged: 0, isDown: false, held: () => [...open.values()].reduce((sum, one) => sum + one, 0) };
  const delayed = async () => delay > 0 && (await new Promise((resolve) => setTimeout(resolve, delay)));
  const calls: Record<string, (body: never) => unknown> = {
    'billing.quota.take': ({ amount, ahead = 0, key, partly }: Take & { ahead?: number; partly?: boolean }) => {
      const left = limit - state.charged - state.held();
      const taken = amount + ahead <= left ? amount + ahead : partly ? Math.min(amount, left) : 0;
      if (taken === 0) return { outcome: 'exceeded', receipt: null, taken: 0, period: null, used: limit, limit };
      open.set(key, taken);
      const outcome = taken < amount ? 'exceeded' : 'taken';
      return { outcome, receipt: { key, amount: taken }, taken, period: null, used: 0, limit: null };
    },
    'billing.quota.commit': async ({ takes }: { takes: Commit[] }) => {
      await delayed();
      for (const { receipt, charged } of takes) {
        open.delete(receipt.key);
        state.charged += charged;
      }
    },
    'billing.quota.refund': async ({ takes }: { takes: Take[] }) => {
      await delayed();
      for (const { key } of takes) open.delete(key);
    },
    'billing.quota.renew': ({ takes }: { takes: Take[] }) => ({ held: takes.map(() => true) }),
  };
  const call = (name: string, { body }: { body: never }) =>
    state.isDown ? Promise.reject(apiError('UNAVAILABLE')) : Promise.resolve(calls[name]?.(body));
  const logger = { warn: () => undefined };
  const ctx = { broker: { call, logger }, service: { name: 'storage' } } as unknown as QuotaCaller;
  return { ctx, state };
}

const minutes = (count: number) => jest.advanceTimersByTimeAsync(count * 60_000);
const chunk = 64 * 1024;

describe('the bandwidth of a transfer', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
  });
  afterEach(async () => {
    await releasePrefetched();
    jest.useRealTimers();
  });

  test('is committed while the transfer goes on, for hours too, and no more than a step of it is held', async () => {
    const { ctx, state } = newBilling();
    const bandwidth = await openBandwidth(ctx, 'org_slow', 400 * 1024 * 1024);
    for (let sent = 1; sent <= 120; sent += 1) {
      await bandwidth.admit(chunk);
      await minutes(2);
      expect(state.charged).toBe(sent * chunk);
      expect(state.held()).toBe(0);
    }
    bandwidth.end(120 * chunk);
    await minutes(1);
    expect([state.charged, state.held()]).toEqual([120 * chunk, 0]);
  });

  test('is charged for what the connection took, and the rest of the step is released', async () => {
    const { ctx, state } = newBilling();
    const bandwidth = await openBandwidth(ctx, 'org_gone', 10 * firstStep);
    for (let sent = 0; sent < 6; sent += 1) await bandwidth.admit(chunk);
    bandwidth.end(5 * chunk);
    await minutes(1);
    await drainQuotaCommits();
    expect([state.charged, state.held()]).toEqual([5 * chunk, 0]);
  });

  test('ends a transfer when others have taken the rest since it began, and at exactly the limit', async () => {
    const limit = firstStep + 3 * chunk;
    const { ctx, state } = newBilling(limit);
    const one = await openBandwidth(ctx, 'org_a', limit);
    await jest.advanceTimersByTimeAsync(1000);
    const other = await openBandwidth(ctx, 'org_b', chunk);
    await other.admit(chunk);
    other.end(chunk);
    await minutes(1);
    let sent = 0;
    const send = async () => {
      for (; ; sent += chunk) await one.admit(chunk);
    };
    await expect(send()).rejects.toMatchObject({ type: 'PLAN_LIMIT_EXCEEDED' });
    one.end(sent);
    await minutes(1);
    expect([sent + chunk, state.charged, state.held()]).toEqual([limit, limit, 0]);
  });

  test.each([
    ['of whole steps', chunk],
    ['that leave a rest of each step', 100_000],
  ])(
    'of exactly the bytes that are left is sent in chunks %s, however late its releases arrive',
    async (_name, length) => {
      const size = 12 * 100_000 + 20 * chunk;
      const { ctx, state } = newBilling(size, 1000);
      let isSent = false;
      const send = async () => {
        const bandwidth = await openBandwidth(ctx, `org_exact_${length}`, size);
        for (let left = size; left > 0; left -= length) await bandwidth.admit(Math.min(length, left));
        bandwidth.end(size);
      };
      const sending = send().finally(() => {
        isSent = true;
      });
      while (!isSent) await jest.advanceTimersByTimeAsync(100);
      await sending;
      await minutes(1);
      expect([state.charged, state.held()]).toEqual([size, 0]);
    },
  );

  test('of a byte more than is left is refused before it begins, and holds nothing', async () => {
    const size = 10 * firstStep;
    const { ctx, state } = newBilling(size - 1);
    await expect(openBandwidth(ctx, 'org_beyond', size)).rejects.toMatchObject({ type: 'PLAN_LIMIT_EXCEEDED' });
    await minutes(1);
    expect([state.charged, state.held()]).toEqual([0, 0]);
  });

  test('outlives an outage of billing that is short', async () => {
    const { ctx, state } = newBilling();
    const bandwidth = await openBandwidth(ctx, 'org_outage', 10 * firstStep);
    for (let sent = 0; sent < firstStep; sent += chunk) await bandwidth.admit(chunk);
    state.isDown = true;
    const admitted = Promise.resolve(bandwidth.admit(chunk)).then(() => 'admitted');
    await jest.advanceTimersByTimeAsync(10_000);
    state.isDown = false;
    await jest.advanceTimersByTimeAsync(1000);
    expect(await admitted).toBe('admitted');
    bandwidth.end(firstStep + chunk);
  });
});
