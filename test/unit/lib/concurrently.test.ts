import { expect, test } from '@jest/globals';
import { concurrently } from '../../../lib/concurrency/concurrently.ts';

test('does all of it, so many at a time', async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await concurrently([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    done.push(item);
  });
  expect(done.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(3);
});

test('throws the first failure after what was begun has ended, and begins nothing more', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const working = concurrently([1, 2, 3, 4], 2, async (item) => {
    begun.push(item);
    if (item === 1) throw new Error('one');
    await new Promise((resolve) => setImmediate(resolve));
    ended.push(item);
  });
  await expect(working).rejects.toThrow('one');
  expect(begun).toEqual([1, 2]);
  expect(ended).toEqual([2]);
});

test('has nothing to do for nothing', async () => {
  await expect(concurrently([], 4, () => Promise.reject(new Error('never')))).resolves.toBeUndefined();
});
