import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { crossingsOf } from '../../../services/billing/usage/warnings.ts';

describe('the crossing of a limit', () => {
  test.each([
    [0, 10, [], [], []],
    [7, 10, [], [], []],
    [8, 10, [], [80], []],
    [9, 10, [80], [], []],
    [10, 10, [80], [100], []],
    [10, 10, [], [80, 100], []],
    [12, 10, [80, 100], [], []],
    // It was lowered, or the limit was raised: far enough below, it can be crossed again.
    [9, 10, [80, 100], [], [100]],
    [96, 100, [80, 100], [], []],
    [10, 20, [80, 100], [], [80, 100]],
    // The fifth seat of five, and the one of one.
    [4, 5, [], [80], []],
    [1, 1, [], [80, 100], []],
  ])('of %d of %d, told before %j: reaches %j and leaves %j', (used, limit, warned, reached, left) => {
    expect(crossingsOf({ used, limit, warned })).toEqual({ reached, left });
  });

  test('is none where there is no limit to use', () => {
    expect(crossingsOf({ used: 0, limit: 0, warned: [] })).toEqual({ reached: [], left: [] });
    expect(crossingsOf({ used: 5, limit: -1, warned: [80] })).toEqual({ reached: [], left: [] });
  });

  test('is told exactly once while use only grows, however it grows', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50)), fc.integer({ min: 1, max: 500 }), (steps, limit) => {
        let used = 0;
        let warned: number[] = [];
        const told: number[] = [];
        for (const step of steps) {
          used += step;
          const { reached, left } = crossingsOf({ used, limit, warned });
          expect(left).toEqual([]);
          told.push(...reached);
          warned = [...warned, ...reached];
        }
        expect(told).toEqual([80, 100].filter((level) => used * 100 >= level * limit));
      }),
    );
  });

  test('is never reached and left at once, and after it was told nothing is left to tell', () => {
    const levels = fc.subarray([80, 100]);
    fc.assert(
      fc.property(fc.nat(1000), fc.integer({ min: 1, max: 500 }), levels, (used, limit, warned) => {
        const { reached, left } = crossingsOf({ used, limit, warned });
        expect(reached.filter((level) => left.includes(level))).toEqual([]);
        const after = [...warned.filter((level) => !left.includes(level)), ...reached];
        expect(crossingsOf({ used, limit, warned: after })).toEqual({ reached: [], left: [] });
      }),
    );
  });
});
