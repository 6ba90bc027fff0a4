import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { failures, isOurFault, nextAttempt } from '../../../messaging/delivery/deliverer.ts';

const startedAt = new Date('2030-01-01T00:00:00.000Z');
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
const later = (milliseconds: number) => new Date(startedAt.getTime() + milliseconds);

describe('the next attempt', () => {
  test.each(['refused', 'bounced', 'faulty'] as const)('is never made after %s', (failure) => {
    expect(nextAttempt(failure, { attempts: 1, startedAt }, { at: startedAt })).toBeNull();
  });

  test.each([
    ['unreachable', 1, second / 4, 4 * second],
    ['unreachable', 4, second / 4, 32 * second],
    ['unreachable', 30, second / 4, hour],
    ['deferred', 1, minute / 2, 2 * minute],
    ['deferred', 30, minute / 2, hour],
    ['rateLimited', 1, second, 10 * second],
    ['unknown', 1, 5 * second, 30 * second],
  ] as const)('after %s, attempt %i, comes %i to %i ms later', (failure, attempts, least, most) => {
    const failed = { attempts, startedAt };
    expect(nextAttempt(failure, failed, { at: startedAt, chance: () => 0 })).toEqual(later(least));
    expect(nextAttempt(failure, failed, { at: startedAt, chance: () => 1 })).toEqual(later(most));
  });

  test('obeys Retry-After, and is spread after it', () => {
    const asked = { at: startedAt, retryAfter: 10 * minute };
    const failed = { attempts: 1, startedAt };
    expect(nextAttempt('rateLimited', failed, { ...asked, chance: () => 0 })).toEqual(later(10 * minute));
    expect(nextAttempt('rateLimited', failed, { ...asked, chance: () => 1 })).toEqual(later(11 * minute));
  });

  test('lies ahead and within the patience, whatever happened, and there is one until then', () => {
    const kind = fc.constantFrom(...failures.filter((one) => !['refused', 'bounced', 'faulty'].includes(one)));
    const elapsed = fc.integer({ min: 0, max: 2 * day });
    const chance = fc.double({ min: 0, max: 1, noNaN: true });
    const retryAfter = fc.option(fc.integer({ min: 0, max: 2 * day }), { nil: undefined });
    fc.assert(
      fc.property(
        kind,
        fc.integer({ min: 1, max: 5000 }),
        elapsed,
        chance,
        retryAfter,
        (one, attempts, passed, of, wait) => {
          const timing = { at: later(passed), chance: () => of, retryAfter: wait };
          const next = nextAttempt(one, { attempts, startedAt }, timing);
          expect(next === null).toBe(passed >= day);
          if (!next) return;
          expect(next.getTime()).toBeGreaterThan(later(passed).getTime());
          expect(next.getTime()).toBeLessThanOrEqual(later(day).getTime());
        },
      ),
    );
  });

  test('is given back when it was not the recipient who refused', () => {
    expect(failures.filter(isOurFault)).toEqual(['rateLimited', 'unreachable', 'unknown', 'faulty']);
  });
});
