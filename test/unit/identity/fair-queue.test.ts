import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFairQueue } from '../../../services/identity/accounts/fair-queue.ts';

/** Work that ends when the test says so, by a queue of one place. */
function watched({ maxQueued = 40, waitingOfKeyMax = 20, runningMax = 1 } = {}) {
  const refusals = { ofKey: () => new Error('of key'), full: () => new Error('full') };
  const queue = createFairQueue({ runningMax, maxQueued, waitingOfKeyMax, refusals });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const refused: string[] = [];
  let maxBatchSize = 0;
  let running = 0;

  function add(key: string, name = key): void {
    const work = async () => {
      begun.push(name);
      running += 1;
      maxBatchSize = Math.max(maxBatchSize, running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
    };
    queue(key, work).catch((error: Error) => refused.push(`${name}: ${error.message}`));
  }

  /** Lets all work end, one after the other. */
  async function finish(): Promise<void> {
    for (let rounds = 0; rounds < 2000; rounds += 1) {
      ends.shift()?.();
      await Promise.resolve();
    }
  }

  return { add, finish, begun, refused, maxBatchSize: () => maxBatchSize };
}

describe('a fair queue', () => {
  test('lets keys take turns, and work of one key in its order', async () => {
    const { add, finish, begun } = watched();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) add(name.charAt(0), name);
    await finish();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  test('refuses what one key has too much of, and only that', async () => {
    const { add, finish, begun, refused } = watched({ waitingOfKeyMax: 2 });
    for (let count = 1; count <= 5; count += 1) add('a', `a${count}`);
    add('b');
    await finish();
    expect(refused).toEqual(['a4: of key', 'a5: of key']);
    expect(begun).toEqual(['a1', 'a2', 'b', 'a3']);
  });

  test('takes a place in a full queue from the key that has the most', async () => {
    const { add, finish, begun, refused } = watched({ maxQueued: 4 });
    for (let count = 1; count <= 5; count += 1) add('a', `a${count}`);
    for (const name of ['b', 'c', 'd', 'e']) add(name);
    await finish();
    expect(refused).toEqual(['e: full', 'a5: full', 'a4: full', 'a3: full'].sort().reverse());
    expect(begun).toEqual(['a1', 'a2', 'b', 'c', 'd']);
  });

  test('goes on after work that fails', async () => {
    const refusals = { ofKey: () => new Error('of key'), full: () => new Error('full') };
    const queue = createFairQueue({ runningMax: 1, maxQueued: 4, waitingOfKeyMax: 4, refusals });
    const failing = queue('a', () => Promise.reject(new Error('failed')));
    const next = queue('a', async () => 'done');
    await expect(failing).rejects.toThrow('failed');
    expect(await next).toBe('done');
  });

  test('runs or refuses everything, never more at once than it may, and serves whoever waits within a round', async () => {
    const adds = fc.array(fc.constantFrom('a', 'a', 'a', 'a', 'b', 'c', 'd'), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(adds, fc.integer({ min: 1, max: 3 }), async (keys, runningMax) => {
        const { add, finish, begun, refused, maxBatchSize } = watched({
          runningMax,
          maxQueued: 12,
          waitingOfKeyMax: 8,
        });
        for (const [place, key] of keys.entries()) add(key, `${key}${place}`);
        await finish();
        expect(begun.length + refused.length).toBe(keys.length);
        expect(maxBatchSize()).toBeLessThanOrEqual(runningMax);
        const waited = begun.slice(runningMax).map((name) => name.charAt(0));
        for (const key of new Set(waited)) expect(waited.indexOf(key)).toBeLessThan(4);
      }),
    );
  });
});
