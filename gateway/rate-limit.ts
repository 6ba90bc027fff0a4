import { settings } from '../lib/settings.ts';

const addressRequestsPerSecond = 20;
const burstSeconds = 2;
const sweepEvery = 10_000;

/** What a client is told of its limit: `limit` the burst, `remaining` of it, `resetSeconds` until it is whole again. */
export type RateLimit = { allowed: boolean; limit: number; remaining: number; resetSeconds: number };

/** Counts one request of a credential or an address; null when limits are off. */
export type RateLimiter = (kind: 'credential' | 'address', key: string) => RateLimit | null;

type Bucket = { tokens: number; at: number };

/**
 * Token buckets in this process: a credential has RATE_LIMIT_RPS a second and twice that in a burst, an address
 * without a credential 20.
 *
 * @param read milliseconds of a clock that never goes back.
 */
export function createRateLimiter(
  requestsPerSecond: number = settings.RATE_LIMIT_RPS,
  read: () => number = () => performance.now(),
): RateLimiter {
  const buckets = new Map<string, Bucket>();

  return (kind, key) => {
    if (requestsPerSecond === 0) return null;
    const rate = kind === 'credential' ? requestsPerSecond : Math.min(addressRequestsPerSecond, requestsPerSecond);
    const capacity = rate * burstSeconds;
    const instant = read();
    const bucket = refill(buckets.get(`${kind} ${key}`), rate, capacity, instant);
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    buckets.set(`${kind} ${key}`, bucket);
    if (buckets.size > sweepEvery) forgetFull(buckets, instant);
    return {
      allowed,
      limit: capacity,
      remaining: Math.floor(bucket.tokens),
      resetSeconds: Math.max(1, Math.ceil((capacity - bucket.tokens) / rate)),
    };
  };
}

function refill(bucket: Bucket | undefined, rate: number, capacity: number, instant: number): Bucket {
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
