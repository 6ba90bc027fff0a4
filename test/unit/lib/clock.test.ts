import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addMonths, day, fromNow, hour, minute, now, second, setClock } from '../../../lib/data/clock.ts';

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

describe('months of the calendar', () => {
  test.each([
    ['2026-01-31T12:30:00.000Z', 1, '2026-02-28T12:30:00.000Z'],
    ['2028-01-30T00:00:00.000Z', 1, '2028-02-29T00:00:00.000Z'],
    ['2026-03-29T23:59:59.999Z', -13, '2025-02-28T23:59:59.999Z'],
    ['2026-12-31T00:00:00.001Z', -13, '2025-11-30T00:00:00.001Z'],
    ['2028-02-29T06:00:00.000Z', 12, '2029-02-28T06:00:00.000Z'],
    ['1969-12-31T23:00:00.000Z', 2, '1970-02-28T23:00:00.000Z'],
  ])('from %s %i months lead to %s', (from, months, to) => {
    expect(addMonths(new Date(from), months).toISOString()).toBe(to);
  });

  test('return to their day after a short month', () => {
    expect(addMonths(new Date('2026-02-28T00:00:00.000Z'), 1, 31).toISOString()).toBe('2026-03-31T00:00:00.000Z');
  });

  test('are as many as were asked for, at the same time of day, on the day or on the last of a shorter month', () => {
    const instants = fc.date({ min: new Date('1950-01-01'), max: new Date('2150-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(
        instants,
        fc.integer({ min: -500, max: 500 }),
        fc.integer({ min: 1, max: 31 }),
        (at, months, date) => {
          const moved = addMonths(at, months, date);
          const monthOf = (one: Date) => one.getUTCFullYear() * 12 + one.getUTCMonth();
          expect(monthOf(moved) - monthOf(at)).toBe(months);
          expect(moved.toISOString().slice(11)).toBe(at.toISOString().slice(11));
          const isLastOfMonth = monthOf(new Date(moved.getTime() + day)) > monthOf(moved);
          expect(moved.getUTCDate() === date || (moved.getUTCDate() < date && isLastOfMonth)).toBe(true);
        },
      ),
    );
  });
});
