import { describe, expect, test } from '@jest/globals';
import { retentionInForce } from '../../../lib/clients/retention-days.ts';
import { day } from '../../../lib/data/clock.ts';

const start = Date.parse('2026-01-01T00:00:00.000Z');
const on = (count: number) => new Date(start + count * day);

/** For how many days events are kept on each of these days, when the plan gives so many. */
function keptOn(seen: [count: number, given: number][]): number[] {
  let kept: Parameters<typeof retentionInForce>[0] = { days: seen[0]![1], lesser: [] };
  return seen.map(([count, given]) => {
    kept = retentionInForce(kept, given, on(count));
    return kept.days;
  });
}

describe('for how long events are kept', () => {
  test('is what a plan gives that stays as it is', () => {
    expect(retentionInForce({ days: 365, lesser: [] }, 365, on(0))).toEqual({ days: 365, lesser: [] });
  });

  test('is more at once, and less 30 days after that was first seen', () => {
    expect(
      keptOn([
        [0, 30],
        [1, 365],
        [2, 30],
        [31, 30],
        [32, 30],
      ]),
    ).toEqual([30, 365, 365, 365, 30]);
  });

  test('is as before when less was given for a while', () => {
    expect(
      keptOn([
        [0, 365],
        [1, 30],
        [20, 365],
        [31, 30],
        [60, 30],
        [61, 30],
      ]),
    ).toEqual([365, 365, 365, 365, 365, 30]);
  });

  test('becomes less in steps, each at its time', () => {
    expect(
      keptOn([
        [0, 1825],
        [1, 365],
        [20, 30],
        [30, 30],
        [31, 30],
        [49, 30],
        [50, 30],
      ]),
    ).toEqual([1825, 1825, 1825, 1825, 365, 365, 30]);
  });

  test('is the more of what was given meanwhile, though it changed to and fro', () => {
    expect(
      keptOn([
        [0, 1825],
        [1, 365],
        [11, 30],
        [21, 365],
        [30, 30],
        [31, 365],
        [60, 30],
      ]),
    ).toEqual([1825, 1825, 1825, 1825, 1825, 365, 365]);
  });

  test('is the most that was given within 30 days, whatever is given when', () => {
    const given = [1825, 365, 30];
    let seed = 7;
    const random = () => {
      seed = (seed * 48271) % 2147483647;
      return seed / 2147483647;
    };
    for (let round = 0; round < 200; round += 1) {
      const seen: [number, number][] = [];
      for (let count = 0; count < 200; count += 1 + Math.floor(random() * 20)) {
        seen.push([count, given[Math.floor(random() * given.length)]!]);
      }
      const most = seen.map(([count], place) => {
        // What was given last before then was in force at its beginning.
        const before = seen.findLastIndex(([other]) => other <= count - 30);
        return Math.max(...seen.slice(Math.max(0, before), place + 1).map(([, days]) => days));
      });
      expect(keptOn(seen)).toEqual(most);
    }
  });
});
