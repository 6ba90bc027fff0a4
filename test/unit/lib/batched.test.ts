import { describe, expect, test } from '@jest/globals';
import { createBatcher } from '../../../lib/concurrency/batcher.ts';
import { until } from '../../support/until.ts';

type Batch = { lane: string; items: number[]; finish: (error?: Error) => void };

function observed(most: number, atOnce = 1) {
  const begun: Batch[] = [];
  const run = (items: number[], lane: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<string[]>();
    const finish = (error?: Error) => (error ? reject(error) : resolve(items.map((item) => `${lane}${item}`)));
    begun.push({ lane, items, finish });
    return promise;
  };
  return { begun, ask: createBatcher(most, run, atOnce) };
}

describe('gathering', () => {
  test('lets what comes at once go together, and what comes meanwhile in the next errand', async () => {
    const { begun, ask } = observed(10);
    const first = [ask('a', 1), ask('a', 2)];
    await until(() => begun.length === 1);
    const second = [ask('a', 3), ask('a', 4), ask('b', 5)];
    await until(() => begun.length === 2);
    expect(begun.map(({ lane, items }) => [lane, items])).toEqual([
      ['a', [1, 2]],
      ['b', [5]],
    ]);
    begun[1]!.finish();
    begun[0]!.finish();
    await until(() => begun.length === 3);
    expect(begun[2]!.items).toEqual([3, 4]);
    begun[2]!.finish();
    expect(await Promise.all([...first, ...second])).toEqual(['a1', 'a2', 'a3', 'a4', 'b5']);
  });

  test('lets go together what comes after the last until it has gathered', async () => {
    const gathered = Promise.withResolvers<void>();
    const runs: number[][] = [];
    const run = (items: number[]) => {
      runs.push(items);
      return Promise.resolve(items);
    };
    const ask = createBatcher(10, run, 1, () => gathered.promise);
    await ask('a', 1);
    const others = [ask('a', 2)];
    await ask('b', 1);
    others.push(ask('a', 3));
    expect(runs).toEqual([[1], [1]]);
    gathered.resolve();
    await Promise.all(others);
    expect(runs).toEqual([[1], [1], [2, 3]]);
  });

  test('takes as many at once as it may', async () => {
    const { begun, ask } = observed(2);
    const asked = Promise.all([1, 2, 3, 4, 5].map((item) => ask('a', item)));
    for (const number of [1, 2, 3]) {
      await until(() => begun.length === number);
      begun[number - 1]!.finish();
    }
    await asked;
    expect(begun.map(({ items }) => items)).toEqual([[1, 2], [3, 4], [5]]);
  });

  test('gives observed that go at once equal parts, and starts none for less', async () => {
    const { begun, ask } = observed(10, 2);
    const asked = [1, 2, 3, 4, 5].map((item) => ask('a', item));
    await until(() => begun.length === 2);
    expect(begun.map(({ items }) => items)).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    begun[0]!.finish();
    await asked[2];
    asked.push(ask('a', 6), ask('a', 7), ask('a', 8));
    await until(() => begun.length === 3);
    asked.push(ask('a', 9));
    begun[1]!.finish();
    await asked[4];
    expect(begun.slice(2).map(({ items }) => items)).toEqual([[6, 7, 8]]);
    begun[2]!.finish();
    await until(() => begun.length === 4);
    begun[3]!.finish();
    expect(await Promise.all(asked)).toHaveLength(9);
    expect(begun.flatMap(({ items }) => items)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('fails those of the errand that failed, and goes on', async () => {
    const { begun, ask } = observed(1);
    const outcomes = Promise.allSettled([ask('a', 1), ask('a', 2)]);
    await until(() => begun.length === 1);
    begun[0]!.finish(new Error('lost'));
    await until(() => begun.length === 2);
    begun[1]!.finish();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    const later = ask('a', 3);
    await until(() => begun.length === 3);
    begun[2]!.finish();
    expect(await later).toBe('a3');
  });
});
