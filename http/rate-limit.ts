import type { ServerResponse } from 'node:http';
import type { Redis } from 'ioredis';
import type { Logger } from 'moleculer';
import { apiError } from '../lib/contract/errors.ts';
import { rangeOf } from '../lib/net/address.ts';
import { settings } from '../lib/settings/settings.ts';
import type { AnswerHeaders } from './request.ts';

const addressRequestsPerSecond = 20;
/** The limit of a range of networks, as a multiple of one network's. */
const networksOfRange = 5;
const guessesPerSecond = 5;
/** The limit of an organization, as a multiple of the limit of one credential. */
const credentialsOfOrganization = 4;
/** The maximum number of buckets of each kind; about 10 MB. */
const maxUsualBuckets = 50_000;
const commonBuckets = 1024;
/** More than one, so that idle buckets are evicted faster than new ones arrive. */
const evictionsPerRequest = 2;

/** The size of a burst, in seconds of the rate. */
export const burstSeconds = 2;

/**
 * The state of a rate limit: `limit` is the burst, `remaining` the tokens in the bucket, `resetSeconds` the time until
 * it is full again.
 */
export type RateLimit = { allowed: boolean; limit: number; remaining: number; resetSeconds: number };

/**
 * The subjects of rate limits: requests of a credential, requests of all credentials in an organization, requests
 * without a credential of an address or of its range, and guesses of the secret of an OAuth client.
 */
export type Kind = 'credential' | 'organization' | 'address' | 'range' | 'guess';

/** Counts one request; null when limits are off. */
export type RateLimiter = (kind: Kind, key: string) => RateLimit | null | Promise<RateLimit | null>;
export type LocalRateLimiter = (kind: Kind, key: string) => RateLimit | null;

/** The response headers that report a limit to the client. */
export function rateLimitHeaders({ limit, remaining, resetSeconds }: RateLimit): AnswerHeaders {
  return { 'RateLimit-Limit': limit, 'RateLimit-Remaining': remaining, 'RateLimit-Reset': resetSeconds };
}

/** Reports a limit on a response that is written later. Throws RATE_LIMITED when the request was rejected. */
export function applyRateLimit(response: ServerResponse, state: RateLimit | null): void {
  if (!state) return;
  for (const [name, value] of Object.entries(rateLimitHeaders(state))) response.setHeader(name, value);
  requireWithinLimit(state);
}

/** Throws RATE_LIMITED when a request was rejected; null means that limits are off. */
export function requireWithinLimit(state: RateLimit | null): void {
  if (state?.allowed === false) throw apiError('RATE_LIMITED');
}

type Bucket = { tokens: number; at: number };

/** The refill rate of a bucket in requests per second; 0 when limits are off. */
export function rateOf(kind: Kind, requestsPerSecond: number = settings.RATE_LIMIT_RPS): number {
  if (kind === 'range') return networksOfRange * rateOf('address', requestsPerSecond);
  if (kind === 'organization') return credentialsOfOrganization * requestsPerSecond;
  const rates = { credential: requestsPerSecond, address: addressRequestsPerSecond, guess: guessesPerSecond };
  return Math.min(rates[kind], requestsPerSecond);
}

/**
 * Counts a request without a credential against its network and, when that allows it, against the range of the network:
 * one attacker can have all networks of a range.
 */
export async function limitAddress(limit: RateLimiter, network: string): Promise<RateLimit | null> {
  const state = await limit('address', network);
  if (state?.allowed !== true) return state;
  const range = await limit('range', rangeOf(network));
  return range?.allowed === false ? range : state;
}

/**
 * Counts a request in an organization. The limit is reported only on rejection; otherwise the credential's limit is.
 */
export async function countInOrganization(limit: RateLimiter, orgId: string, headers: AnswerHeaders): Promise<void> {
  const state = await limit('organization', orgId);
  if (state?.allowed !== false) return;
  Object.assign(headers, rateLimitHeaders(state));
  requireWithinLimit(state);
}

/** The state of a bucket after a request was counted or rejected. */
export function toRateLimit(allowed: boolean, tokens: number, rate: number): RateLimit {
  const limit = rate * burstSeconds;
  const resetSeconds = Math.max(1, Math.ceil((limit - tokens) / rate));
  return { allowed, limit, remaining: Math.floor(tokens), resetSeconds };
}

export type LocalLimits = {
  requestsPerSecond?: number;
  /** The maximum number of buckets of a kind; beyond it new keys share buckets. */
  bucketsMax?: number;
  /** A monotonic clock in milliseconds. */
  read?: () => number;
};

/**
 * Token buckets in this process: a credential has RATE_LIMIT_RPS a second and twice that in a burst, an organization
 * four times as many, an address without a credential 20, its range 100.
 */
export function createRateLimiter(limits: LocalLimits = {}): LocalRateLimiter {
  const { requestsPerSecond = settings.RATE_LIMIT_RPS, read = () => performance.now() } = limits;
  const { bucketsMax = maxUsualBuckets } = limits;
  const shelves = new Map<Kind, BucketTable>();

  return (kind, key) => {
    const rate = rateOf(kind, requestsPerSecond);
    if (rate === 0) return null;
    const shelf = shelves.get(kind) ?? createBucketTable(bucketsMax);
    shelves.set(kind, shelf);
    const instant = read();
    const bucket = refill(shelf.take(key, instant), rate, instant);
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    return toRateLimit(allowed, bucket.tokens, rate);
  };
}

/** Refills a bucket in place. */
function refill(bucket: Bucket, rate: number, instant: number): Bucket {
  bucket.tokens = Math.min(rate * burstSeconds, bucket.tokens + ((instant - bucket.at) / 1000) * rate);
  bucket.at = instant;
  return bucket;
}

/** The buckets of one kind. The cost of a request does not depend on their number. */
type BucketTable = { take: (key: string, instant: number) => Bucket };

/**
 * Keeps buckets in the order of their last use. A bucket that was idle for long enough to be full again is evicted.
 * Others are never evicted, because a flood of addresses could otherwise reset an attacker's limit. When the table is
 * full, a new key shares one of a fixed number of common buckets, and keeps that bucket's tokens when it later gets a
 * separate one.
 */
function createBucketTable(bucketsMax: number): BucketTable {
  const own = new Map<string, Bucket>();
  const common = new Map<number, Bucket>();
  const seed = Math.floor(Math.random() * 2 ** 32);
  const isIdle = ({ at }: Bucket, instant: number): boolean => instant - at >= burstSeconds * 1000;

  function evictIdle(instant: number): void {
    for (let count = 0; count < evictionsPerRequest; count += 1) {
      const [oldest] = own;
      if (!oldest || !isIdle(oldest[1], instant)) return;
      own.delete(oldest[0]);
    }
  }

  function commonBucket(key: string, instant: number): Bucket {
    const place = hash(key, seed) % commonBuckets;
    const bucket = common.get(place) ?? fullBucket(instant);
    common.set(place, bucket);
    return bucket;
  }

  return {
    take(key, instant) {
      evictIdle(instant);
      const known = own.get(key);
      if (!known && own.size >= bucketsMax) return commonBucket(key, instant);
      const bucket = known ?? { ...(common.get(hash(key, seed) % commonBuckets) ?? fullBucket(instant)) };
      own.delete(key);
      own.set(key, bucket);
      return bucket;
    },
  };
}

/** {@link refill} caps the tokens at the capacity. */
const fullBucket = (at: number): Bucket => ({ tokens: Number.POSITIVE_INFINITY, at });

/** FNV-1a with a secret seed, so that an attacker cannot choose the shared bucket. */
function hash(text: string, seed: number): number {
  let value = seed ^ 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}

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
