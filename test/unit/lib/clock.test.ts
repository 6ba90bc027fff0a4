import { describe, expect, test } from '@jest/globals';
import { day, fromNow, hour, minute, now, second, setClock } from '../../../lib/clock.ts';

describe('the clock', () => {
  test('tells the time of the machine', () => {
    const before = Date.now();
    const instant = now().getTime();
    expect(instant).toBeGreaterThanOrEqual(before);
    expect(instant).toBeLessThanOrEqual(Date.now());
  });

  test('can be replaced, and puts back the one before', () => {
    const putBack = setClock(() => new Date('2030-01-01T00:00:00.000Z'));
    const putBackFirst = setClock(() => new Date('2040-01-01T00:00:00.000Z'));
    expect(now().getUTCFullYear()).toBe(2040);
    putBackFirst();
    expect(now().getUTCFullYear()).toBe(2030);
    expect(fromNow(-day).toISOString()).toBe('2029-12-31T00:00:00.000Z');
    putBack();
    expect(Math.abs(now().getTime() - Date.now())).toBeLessThan(minute);
  });

  test('counts in milliseconds', () => {
    expect([second, minute, hour, day]).toEqual([1_000, 60_000, 3_600_000, 86_400_000]);
  });
});
