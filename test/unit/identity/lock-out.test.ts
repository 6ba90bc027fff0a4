import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hour, minute } from '../../../lib/data/clock.ts';
import { nextLoginAttempt } from '../../../services/identity/accounts/login.ts';

const never = new Date(0);
const none = { triedAt: [], lockouts: 0, lockedUntil: never, expiresAt: never };

/** Of attempts at these instants that all fail, those that may be made. */
function allowedOf(instants: number[]): number[] {
  let attempts: Parameters<typeof nextLoginAttempt>[0] = none;
  return instants.filter((instant) => {
    const next = nextLoginAttempt(attempts, new Date(instant));
    attempts = next ?? attempts;
    return next !== null;
  });
}

describe('attempts that fail', () => {
  test('are never more than ten in 15 minutes before a lock-out, and never more than ten between two', () => {
    const start = Date.parse('2030-01-01T00:00:00.000Z');
    const gaps = fc.array(fc.oneof(fc.nat({ max: 5 * minute }), fc.constant(0), fc.nat({ max: 2 * hour })), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(gaps, (pauses) => {
        let instant = start;
        const allowed = allowedOf(pauses.map((pause) => (instant += pause)));
        for (const [index, first] of allowed.entries()) {
          const eleventh = allowed[index + 10];
          if (eleventh !== undefined) expect(eleventh - first).toBeGreaterThanOrEqual(minute);
        }
      }),
    );
  });

  test('lock out for a time that doubles to an hour', () => {
    let attempts: Parameters<typeof nextLoginAttempt>[0] = none;
    let at = Date.parse('2030-01-01T00:00:00.000Z');
    const locks = Array.from({ length: 8 }, () => {
      for (let count = 0; count < 10; count += 1) attempts = nextLoginAttempt(attempts, new Date(at))!;
      const lock = attempts.lockedUntil.getTime() - at;
      expect(nextLoginAttempt(attempts, new Date(at + lock - 1))).toBeNull();
      at += lock;
      return lock / minute;
    });
    expect(locks).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });
});
