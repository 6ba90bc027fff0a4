import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createTtlCache } from '../../../lib/concurrency/ttl-cache.ts';

describe('a short memory', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  test('asks once for many, and again after half a second', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    const memory = createTtlCache<number>();
    let asked = 0;
    const ask = () => {
      asked += 1;
      return Promise.resolve(asked);
    };
    expect(await Promise.all([memory.find('a', ask), memory.find('a', ask)])).toEqual([1, 1]);
    jest.advanceTimersByTime(499);
    expect(await memory.find('a', ask)).toBe(1);
    jest.advanceTimersByTime(1);
    expect(await memory.find('a', ask)).toBe(2);
    expect(await memory.find('b', ask)).toBe(3);
  });

  test('asks again after a change, also while an answer from before it is under way', async () => {
    const memory = createTtlCache<string>();
    const before = Promise.withResolvers<string>();
    const first = memory.find('a', () => before.promise);
    memory.forget('a');
    expect(await memory.find('a', () => Promise.resolve('after'))).toBe('after');
    before.resolve('before');
    expect(await first).toBe('before');
    expect(await memory.find('a', () => Promise.reject(new Error('Not asked.')))).toBe('after');
  });

  test('recalls an answer that has come, for as long as it is trusted', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    const memory = createTtlCache<number>();
    const asked = memory.find('a', () => Promise.resolve(1));
    expect(memory.peek('a')).toBeUndefined();
    await asked;
    expect(memory.peek('a')).toBe(1);
    jest.advanceTimersByTime(500);
    expect(memory.peek('a')).toBeUndefined();
    await memory.find('a', () => Promise.resolve(2));
    memory.forget('a');
    expect(memory.peek('a')).toBeUndefined();
  });

  test('keeps no failure', async () => {
    const memory = createTtlCache<string>();
    await expect(memory.find('a', () => Promise.reject(new Error('Away.')))).rejects.toThrow('Away.');
    expect(await memory.find('a', () => Promise.resolve('back'))).toBe('back');
  });
});
