import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createTtlCache } from '../../../lib/concurrency/ttl-cache.ts';

function start() {
  const clock = { now: 1 };
  const cache = createTtlCache<number>(500, () => clock.now);
  let asked = 0;
  const ask = () => {
    asked += 1;
    return Promise.resolve(asked);
  };
  return { clock, cache, ask };
}

describe('a TTL cache', () => {
  test('shares one call among concurrent callers, and calls again when the TTL has ended', async () => {
    const { clock, cache, ask } = start();
    expect(await Promise.all([cache.find('a', ask), cache.find('a', ask)])).toEqual([1, 1]);
    clock.now += 499;
    expect(await cache.find('a', ask)).toBe(1);
    clock.now += 1;
    expect(await cache.find('a', ask)).toBe(2);
    expect(await cache.find('b', ask)).toBe(3);
  });

  test('counts the TTL from the start of the call', async () => {
    const { clock, cache, ask } = start();
    const slow = Promise.withResolvers<number>();
    const first = cache.find('a', () => slow.promise);
    clock.now += 500;
    expect(await cache.find('a', ask)).toBe(1);
    slow.resolve(0);
    expect(await first).toBe(0);
    expect(cache.peek('a')).toBe(1);
  });

  test('calls again after a change, also while an answer from before it is in flight', async () => {
    const { cache, ask } = start();
    const before = Promise.withResolvers<number>();
    const first = cache.find('a', () => before.promise);
    cache.forget('a');
    expect(await cache.find('a', ask)).toBe(1);
    before.resolve(0);
    expect(await first).toBe(0);
    expect(await cache.find('a', ask)).toBe(1);
  });

  test('returns an answer that has arrived, while its TTL lasts', async () => {
    const { clock, cache, ask } = start();
    const asked = cache.find('a', ask);
    expect(cache.peek('a')).toBeUndefined();
    await asked;
    expect(cache.peek('a')).toBe(1);
    clock.now += 500;
    expect(cache.peek('a')).toBeUndefined();
    await cache.find('a', ask);
    cache.forget('a');
    expect(cache.peek('a')).toBeUndefined();
  });

  test('forgets the answers that match, and those in flight', async () => {
    const { cache, ask } = start();
    const before = Promise.withResolvers<number>();
    await Promise.all([cache.find('a', ask), cache.find('b', ask)]);
    void cache.find('c', () => before.promise);
    cache.forgetWhere((value) => value === 1);
    expect([cache.peek('a'), cache.peek('b')]).toEqual([undefined, 2]);
    expect(await cache.find('c', ask)).toBe(3);
    before.resolve(0);
  });

  test('caches no failure', async () => {
    const { cache, ask } = start();
    await expect(cache.find('a', () => Promise.reject(new Error('Down.')))).rejects.toThrow('Down.');
    expect(await cache.find('a', ask)).toBe(1);
  });

  test('answers nothing older than its TTL or than the last change', async () => {
    const step = fc.record({ id: fc.constantFrom('a', 'b'), forgets: fc.boolean(), milliseconds: fc.nat(400) });
    const law = fc.asyncProperty(fc.array(step), async (steps) => {
      const { clock, cache } = start();
      const changedAt: Record<string, number> = { a: 0, b: 0 };
      for (const { id, forgets, milliseconds } of steps) {
        clock.now += milliseconds;
        if (forgets) {
          cache.forget(id);
          changedAt[id] = clock.now;
        }
        const askedAt = await cache.find(id, () => Promise.resolve(clock.now));
        expect(askedAt).toBeGreaterThanOrEqual(Math.max(clock.now - 500, changedAt[id]!));
      }
    });
    await fc.assert(law);
  });
});
