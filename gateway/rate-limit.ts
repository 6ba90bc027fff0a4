import { fail } from '../lib/errors.ts';
import { settings } from '../lib/settings.ts';

const addressRequestsPerSecond = 20;
const sweepEvery = 10_000;

/** How many seconds' worth of requests may come at once. */
export const burstSeconds = 2;

/** What a client is told of its limit: `limit` the burst, `remaining` of it, `resetSeconds` until it is whole again. */
export type RateLimit = { allowed: boolean; limit: number; remaining: number; resetSeconds: number };

export type Kind = 'credential' | 'address';

/** Counts one request of a credential or an address; null when limits are off. */
export type RateLimiter = (kind: Kind, key: string) => RateLimit | null | Promise<RateLimit | null>;
export type LocalRateLimiter = (kind: Kind, key: string) => RateLimit | null;

/** Throws RATE_LIMITED when a request was refused; null is a limit that is off. */
export function refuseBeyond(state: RateLimit | null): void {
  if (state?.allowed === false) throw fail('RATE_LIMITED');
}

type Bucket = { tokens: number; at: number };

/** Requests a second that a bucket fills by; 0 when limits are off. */
export function rateOf(kind: Kind, requestsPerSecond: number = settings.RATE_LIMIT_RPS): number {
  return kind === 'credential' ? requestsPerSecond : Math.min(addressRequestsPerSecond, requestsPerSecond);
}

/** What a bucket says after a request was taken from it, or refused. */
export function toRateLimit(allowed: boolean, tokens: number, rate: number): RateLimit {
  const limit = rate * burstSeconds;
  const resetSeconds = Math.max(1, Math.ceil((limit - tokens) / rate));
  return { allowed, limit, remaining: Math.floor(tokens), resetSeconds };
}

/**
 * Token buckets in this process: a credential has RATE_LIMIT_RPS a second and twice that in a burst, an address
 * without a credential 20.
 *
 * @param read milliseconds of a clock that never goes back.
 */
export function createRateLimiter(
  requestsPerSecond: number = settings.RATE_LIMIT_RPS,
  read: () => number = () => performance.now(),
): LocalRateLimiter {
  const buckets = new Map<string, Bucket>();

  return (kind, key) => {
    const rate = rateOf(kind, requestsPerSecond);
    if (rate === 0) return null;
    const instant = read();
    const bucket = refill(buckets.get(`${kind} ${key}`), rate, instant);
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    buckets.set(`${kind} ${key}`, bucket);
    if (buckets.size > sweepEvery) forgetFull(buckets, instant);
    return toRateLimit(allowed, bucket.tokens, rate);
  };
}

function refill(bucket: Bucket | undefined, rate: number, instant: number): Bucket {
  const capacity = rate * burstSeconds;
  if (!bucket) return { tokens: capacity, at: instant };
  const tokens = Math.min(capacity, bucket.tokens + ((instant - bucket.at) / 1000) * rate);
  return { tokens, at: instant };
}

/** A bucket nobody used for as long as it takes to fill is as good as none. */
function forgetFull(buckets: Map<string, Bucket>, instant: number): void {
  for (const [key, bucket] of buckets) {
    if (instant - bucket.at > burstSeconds * 1000) buckets.delete(key);
  }
}
