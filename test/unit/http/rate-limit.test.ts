import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { burstSeconds, createRateLimiter, type LocalRateLimiter } from '../../../http/rate-limit.ts';

const rate = 3;
const capacity = rate * burstSeconds;

/** A bucket for every key, for ever: what the limiter would be with unbounded memory. */
function createModel(read: () => number): (key: string) => { allowed: boolean; remaining: number } {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (key) => {
    const { tokens, at } = buckets.get(key) ?? { tokens: capacity, at: read() };
    const filled = Math.min(capacity, tokens + ((read() - at) / 1000) * rate);
    const allowed = filled >= 1;
    buckets.set(key, { tokens: allowed ? filled - 1 : filled, at: read() });
    return { allowed, remaining: Math.floor(allowed ? filled - 1 : filled) };
  };
}

const keys = fc.nat({ max: 40 }).map(String);
const pauses = fc.oneof(fc.constant(0), fc.nat({ max: 300 }), fc.nat({ max: 3 * burstSeconds * 1000 }));
const requests = fc.array(fc.record({ key: keys, pause: pauses }), { maxLength: 300 });

type Compared = { limiter: { allowed: boolean; remaining: number }; model: { allowed: boolean; remaining: number } };

/** What the limiter and the model say to the same requests. */
function compare(asked: { key: string; pause: number }[], bucketsMax: number): Compared[] {
  let instant = 1000;
  const read = () => instant;
  const limiter = createRateLimiter({ requestsPerSecond: rate, bucketsMax, read });
  const model = createModel(read);
  return asked.map(({ key, pause }) => {
    instant += pause;
    const { allowed, remaining } = limiter('address', key)!;
    return { limiter: { allowed, remaining }, model: model(key) };
  });
}

describe('the limiter of one gateway', () => {
  test('says what one with unbounded memory would say, as long as there is room', () => {
    fc.assert(
      fc.property(requests, (asked) => {
        for (const { limiter, model } of compare(asked, 41)) expect(limiter).toEqual(model);
      }),
    );
  });

  test('never admits what one with unbounded memory would refuse, whatever floods it', () => {
    fc.assert(
      fc.property(requests, fc.integer({ min: 1, max: 10 }), (asked, bucketsMax) => {
        for (const { limiter, model } of compare(asked, bucketsMax)) {
          expect(limiter.remaining).toBeLessThanOrEqual(model.remaining);
          expect(limiter.allowed && !model.allowed).toBe(false);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a flood of addresses', () => {
  const spend = (limiter: LocalRateLimiter, key: string) => {
    for (let count = 0; count < capacity; count += 1) limiter('address', key);
  };

  test('frees no address of its limit, and takes none from a credential', () => {
    const limiter = createRateLimiter({ requestsPerSecond: rate, read: () => 0 });
    spend(limiter, 'attacker');
    limiter('credential', 'known');
    for (let count = 0; count < 60_000; count += 1) limiter('address', `flood ${count}`);
    expect(limiter('address', 'attacker')).toMatchObject({ allowed: false });
    expect(limiter('credential', 'known')).toMatchObject({ allowed: true, remaining: capacity - 2 });
  });

  test('is bounded as a whole where it is larger than what is kept', () => {
    const limiter = createRateLimiter({ requestsPerSecond: rate, bucketsMax: 10, read: () => 0 });
    const answers = Array.from({ length: 30_000 }, (_none, place) => limiter('address', `flood ${place}`)!);
    expect(answers.filter(({ allowed }) => allowed).length).toBeLessThanOrEqual(10 + 1024 * capacity);
  });

  test('is forgotten once its buckets have filled', () => {
    let instant = 0;
    const limiter = createRateLimiter({ requestsPerSecond: rate, bucketsMax: 1000, read: () => instant });
    for (let count = 0; count < 20_000; count += 1) limiter('address', `flood ${count}`);
    instant = burstSeconds * 1000;
    const newcomers = Array.from({ length: 1000 }, (_none, place) => limiter('address', `newcomer ${place}`)!);
    expect(new Set(newcomers.map(({ remaining }) => remaining))).toEqual(new Set([capacity - 1]));
  });
});
