import { describe, expect, test } from '@jest/globals';
import type { Context } from 'moleculer';
import { releaseVersions } from '../../../services/storage/quota.ts';

type Call = { name: string; count: number };

/** A broker whose calls to billing are recorded, and take a turn of the event loop. */
function newBroker(): { ctx: Pick<Context, 'broker'>; calls: Call[]; inFlight: () => number } {
  const calls: Call[] = [];
  let running = 0;
  let most = 0;
  const call = async (name: string, { body }: { body: { takes?: unknown[]; releases?: unknown[] } }) => {
    calls.push({ name, count: (body.takes ?? body.releases ?? [body]).length });
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  return { ctx: { broker: { call } } as never, calls, inFlight: () => most };
}

const version = (index: number) => ({
  version: `ver_${index}`,
  file: null,
  size: 10,
  charges: [{ receipt: { key: `k${index}` } as never, charged: 10 }],
});

describe('the release of versions', () => {
  test('calls billing for batches, of which one is in flight', async () => {
    const { ctx, calls, inFlight } = newBroker();
    const each = Array.from({ length: 1000 }, (_, index) => version(index));
    await Promise.all(each.map((one) => releaseVersions(ctx, 'org_a', [one])));
    const released = calls.filter(({ name }) => name === 'billing.quota.release-many');
    expect(released.reduce((sum, { count }) => sum + count, 0)).toBe(1000);
    expect(calls.length).toBeLessThanOrEqual(12);
    expect(inFlight()).toBe(1);
  });

  test('asks for nothing for versions without bytes', async () => {
    const { ctx, calls } = newBroker();
    await releaseVersions(ctx, 'org_a', [{ ...version(1), size: 0 }]);
    expect(calls).toEqual([]);
  });
});
