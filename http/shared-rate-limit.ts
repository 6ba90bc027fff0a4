import type { Redis } from 'ioredis';
import type { Logger } from 'moleculer';
import { settings } from '../lib/settings.ts';
import {
  burstSeconds,
  type Kind,
  type LocalRateLimiter,
  type RateLimit,
  type RateLimiter,
  rateOf,
  toRateLimit,
} from './rate-limit.ts';

const pauseAfterFailure = 1000;

/**
 * Takes one request from a bucket that all gateways share: KEYS[1] is the bucket, ARGV its rate and capacity. Uses the
 * clock of Redis, so that the gateways' clocks need not agree. A bucket that has had the time to fill expires.
 */
const takeToken = `
local rate, capacity = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = math.min(capacity, (bucket[1] or capacity) + math.max(0, now - (bucket[2] or now)) / 1000 * rate)
local allowed = tokens >= 1
if allowed then tokens = tokens - 1 end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil(capacity / rate * 1000))
return { allowed and 1 or 0, tostring(tokens) }
`;

type Answer = [allowed: 0 | 1, tokens: string];
type WithTakeToken = Redis & { takeToken: (key: string, rate: number, capacity: number) => Promise<Answer> };

/**
 * The limits of `local`, counted in Redis, so that they are exact across all gateways of the pool. While Redis does not
 * answer, each gateway counts separately and logs that once; when Redis answers again, the shared limits resume.
 */
export function shareRateLimits(
  local: LocalRateLimiter,
  redisNow: () => Redis | undefined,
  logger: Logger,
): RateLimiter {
  let isShared = true;
  let askAgainAt = 0;

  function note(answered: boolean): void {
    askAgainAt = answered ? 0 : performance.now() + pauseAfterFailure;
    if (answered === isShared) return;
    isShared = answered;
    if (answered) logger.info('Redis answers again: rate limits are shared by all gateways.');
    else logger.warn('Redis does not answer: each gateway counts rate limits separately until it does.');
  }

  async function take(redis: Redis, kind: Kind, key: string, rate: number): Promise<RateLimit | null> {
    try {
      const [allowed, tokens] = await define(redis).takeToken(bucketOf(kind, key), rate, rate * burstSeconds);
      note(true);
      return toRateLimit(allowed === 1, Number(tokens), rate);
    } catch (error) {
      logger.debug('A request could not be counted in Redis', { error });
      note(false);
      return local(kind, key);
    }
  }

  return (kind, key) => {
    const redis = redisNow();
    const rate = rateOf(kind);
    if (!redis || rate === 0 || performance.now() < askAgainAt) return local(kind, key);
    return take(redis, kind, key, rate);
  };
}

function bucketOf(kind: string, key: string): string {
  return `${settings.NAMESPACE}:rate-limit:${kind}:${key}`;
}

function define(redis: Redis): WithTakeToken {
  if (!('takeToken' in redis)) redis.defineCommand('takeToken', { numberOfKeys: 1, lua: takeToken });
  return redis as WithTakeToken;
}
