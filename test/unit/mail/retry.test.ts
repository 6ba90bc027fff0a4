import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nextAttempt } from '../../../services/mail/retry.ts';

const createdAt = new Date('2030-01-01T00:00:00.000Z');
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
const later = (milliseconds: number) => new Date(createdAt.getTime() + milliseconds);

describe('the next attempt', () => {
  test('is never made for a mail that was refused', () => {
    expect(nextAttempt('refused', { attempts: 1, createdAt }, createdAt)).toBeNull();
  });

  test.each([
    ['unreachable', 1, 2 * second],
    ['unreachable', 4, 16 * second],
    ['unreachable', 30, hour],
    ['deferred', 1, minute],
    ['deferred', 3, 4 * minute],
    ['deferred', 30, hour],
  ] as const)('after a mail was %s %i times comes half to all of %i ms later', (failure, attempts, longest) => {
    const failed = { attempts, createdAt };
    expect(nextAttempt(failure, failed, createdAt, () => 0)).toEqual(later(longest / 2));
    expect(nextAttempt(failure, failed, createdAt, () => 1)).toEqual(later(longest));
  });

  test('lies ahead and within a day of writing, whatever happened, and there is one until then', () => {
    const failure = fc.constantFrom('deferred' as const, 'unreachable' as const);
    const elapsed = fc.integer({ min: 0, max: 2 * day });
    const chance = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(failure, fc.integer({ min: 1, max: 5000 }), elapsed, chance, (kind, attempts, passed, chosen) => {
        const next = nextAttempt(kind, { attempts, createdAt }, later(passed), () => chosen);
        expect(next === null).toBe(passed >= day);
        if (!next) return;
        expect(next.getTime()).toBeGreaterThan(later(passed).getTime());
        expect(next.getTime()).toBeLessThanOrEqual(later(day).getTime());
      }),
    );
  });
});
