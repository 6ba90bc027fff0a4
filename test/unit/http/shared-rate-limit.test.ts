import { expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { Logger } from 'moleculer';
import { type RateLimit, shareRateLimits } from '../../../http/rate-limit.ts';

const local: RateLimit = { allowed: true, limit: 1, remaining: 0, resetSeconds: 1 };
const logger = { debug() {}, info() {}, warn() {} } as unknown as Logger;

test('counts in Redis again as soon as Redis answers, also a command that was sent before one that failed', async () => {
  const sent: { answer: () => void; fail: () => void }[] = [];
  const redis = {
    takeToken: () =>
      new Promise((resolve, reject) => {
        sent.push({ answer: () => resolve([1, '5']), fail: () => reject(new Error('Command timed out')) });
      }),
  } as unknown as Redis;
  const limit = shareRateLimits(
    () => local,
    () => redis,
    logger,
  );
  const slow = limit('address', 'one');
  const lost = limit('address', 'one');
  sent[1]?.fail();
  expect(await lost).toBe(local);
  expect(limit('address', 'one')).toBe(local);
  sent[0]?.answer();
  expect(await slow).toMatchObject({ remaining: 5 });
  const next = limit('address', 'one');
  sent[2]?.answer();
  expect(await next).toMatchObject({ remaining: 5 });
});
