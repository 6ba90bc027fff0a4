import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createCircuitBreaker } from '../../../lib/concurrency/circuit-breaker.ts';

const [second, minute] = [1000, 60_000];
const options = { threshold: 5, firstPause: 2 * second, maxPause: minute };

describe('a circuit breaker', () => {
  test('opens after five failures in a row, tries once after a pause, and closes with the first success', () => {
    let time = 0;
    const breaker = createCircuitBreaker(options, () => time);
    for (let count = 0; count < 4; count += 1) breaker.failed('a');
    expect(breaker.pauseOf('a')).toBe(0);
    breaker.failed('a');
    expect(breaker.pauseOf('a')).toBe(2 * second);
    expect(breaker.pauseOf('b')).toBe(0);
    time = 2 * second;
    expect(breaker.pauseOf('a')).toBe(0);
    breaker.begin('a');
    expect(breaker.pauseOf('a')).toBe(2 * second);
    breaker.ended('a');
    expect(breaker.pauseOf('a')).toBe(0);
    breaker.begin('a');
    breaker.failed('a');
    expect(breaker.pauseOf('a')).toBe(4 * second);
    time += 4 * second;
    breaker.begin('a');
    breaker.succeeded('a');
    for (let count = 0; count < 4; count += 1) breaker.failed('a');
    expect(breaker.pauseOf('a')).toBe(0);
  });

  test('pauses once for calls that failed together', () => {
    let time = 0;
    const breaker = createCircuitBreaker(options, () => time);
    for (let count = 0; count < 12; count += 1) breaker.failed('a');
    expect(breaker.pauseOf('a')).toBe(2 * second);
    time = 2 * second;
    expect(breaker.pauseOf('a')).toBe(0);
    for (let count = 0; count < 3; count += 1) breaker.failed('a');
    expect(breaker.pauseOf('a')).toBe(4 * second);
  });

  test('pauses for a minute at most', () => {
    let time = 0;
    const breaker = createCircuitBreaker(options, () => time);
    for (let count = 0; count < 50; count += 1) {
      breaker.failed('a');
      const pause = breaker.pauseOf('a');
      expect(pause).toBeLessThanOrEqual(minute);
      time += pause;
    }
  });

  test('lets one call at a time through after the circuit opened, and pauses within its bounds', () => {
    const outcome = fc.constantFrom('succeeded', 'failed', 'ended');
    const law = fc.property(fc.array(fc.tuple(fc.nat(5 * minute), outcome)), (calls) => {
      let [time, failures, failedAt] = [1, 0, 1];
      const breaker = createCircuitBreaker(options, () => time);
      for (const [milliseconds, end] of calls) {
        time += milliseconds;
        if (time - failedAt > 10 * minute) failures = 0;
        const pause = breaker.pauseOf('a');
        expect(pause).toBeLessThanOrEqual(failures < options.threshold ? 0 : options.maxPause);
        if (pause > 0) continue;
        breaker.begin('a');
        expect(breaker.pauseOf('a')).toBe(failures < options.threshold ? 0 : options.firstPause);
        breaker[end as 'failed']('a');
        if (end === 'failed') failedAt = time;
        failures = { succeeded: 0, failed: failures + 1, ended: failures }[end] ?? 0;
      }
    });
    fc.assert(law);
  });
});
