import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createBoundedQueue } from '../../../services/identity/accounts/password.ts';

/** Work that ends when the test says so, by a queue of one place. */
function watched({ maxQueued = 40, maxReserved = 20, maxQueuedOfGroup = 20, runningMax = 1 } = {}) {
  const refusals = { ofGroup: () => new Error('of group'), full: () => new Error('full') };
  const queue = createBoundedQueue({ runningMax, maxQueued, maxReserved, maxQueuedOfGroup, refusals });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const refused: string[] = [];
  let maxBatchSize = 0;
  let running = 0;

  /** Adds work of a key; the first letter of the key is its group. */
  function add(key: string, name = key, isReserved = false): void {
    const work = async () => {
      begun.push(name);
      running += 1;
      maxBatchSize = Math.max(maxBatchSize, running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
    };
    queue({ group: key.charAt(0), key, isReserved }, work).catch((error: Error) =>
      refused.push(`${name}: ${error.message}`),
    );
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

describe('the queue of password hashes', () => {
  test('lets keys take turns, and work of one key in its order', async () => {
    const { add, finish, begun } = watched();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) add(name.charAt(0), name);
    await finish();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  test('refuses the work that a group has too much of, and only that', async () => {
    const { add, finish, begun, refused } = watched({ maxQueuedOfGroup: 2 });
    for (let count = 1; count <= 5; count += 1) add('a', `a${count}`);
    add('b');
    await finish();
    expect(refused).toEqual(['a4: of group', 'a5: of group']);
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

  test('gives work of one group from many keys no more places than work of one key', async () => {
    const { add, finish, begun, refused } = watched({ maxQueuedOfGroup: 2 });
    for (let count = 1; count <= 5; count += 1) add(`a${count}`);
    add('b');
    await finish();
    expect(refused).toEqual(['a4: of group', 'a5: of group']);
    expect(begun).toEqual(['a1', 'a2', 'b', 'a3']);
  });

  test('takes a place in a full group from its largest key', async () => {
    const { add, finish, begun, refused } = watched({ maxQueuedOfGroup: 3 });
    for (let count = 1; count <= 4; count += 1) add('ax', `x${count}`);
    add('ay', 'y1');
    await finish();
    expect(refused).toEqual(['x4: of group']);
    expect(begun).toEqual(['x1', 'x2', 'y1', 'x3']);
  });

  test('has reserved places when the others are taken, and lets both kinds take turns', async () => {
    const { add, finish, begun, refused } = watched({ maxQueued: 3, maxReserved: 2 });
    for (const group of ['a', 'b', 'c', 'd', 'e']) add(group);
    for (const name of ['known1', 'known2', 'known3']) add(name.replace('known', ''), name, true);
    await finish();
    expect(refused).toEqual(['e: full', 'known3: full']);
    expect(begun).toEqual(['a', 'known1', 'b', 'known2', 'c', 'd']);
  });

  test('gives reserved work the other places too', async () => {
    const { add, finish, begun, refused } = watched({ maxQueued: 2, maxReserved: 1 });
    for (const group of ['a', 'b', 'c']) add(group, group, true);
    await finish();
    expect(refused).toEqual([]);
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  test('goes on after work that fails', async () => {
    const refusals = { ofGroup: () => new Error('of group'), full: () => new Error('full') };
    const queue = createBoundedQueue({ runningMax: 1, maxQueued: 4, maxReserved: 4, maxQueuedOfGroup: 4, refusals });
    const a = { group: 'a', key: 'a' };
    const failing = queue(a, () => Promise.reject(new Error('failed')));
    const next = queue(a, async () => 'done');
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
          maxQueuedOfGroup: 8,
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
