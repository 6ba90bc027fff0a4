import { type BrokerOptions, Cachers, type ServiceBroker } from 'moleculer';
import { Counter } from 'prom-client';
import type { Secret } from '../lib/security/secret.ts';
import type { Settings } from '../lib/settings/variables.ts';
import { redisOptions } from './redis.ts';

/** Entries of about two hundred bytes each. */
const maxInMemory = 50_000;
/** In seconds. Entries never become stale, because their keys hold a revision; the expiry only frees the memory. */
const keptInRedis = 60;
const pauseAfterFailure = 1000;
/** The maximum delay of the process's exit by a connection that does not close, in milliseconds. */
const disconnectTimeout = 100;

const failures = new Counter({
  name: 'cacher_failures_total',
  help: 'Times that the cacher failed and the work was done without it, by operation.',
  labelNames: ['operation'],
});

type Cached = Record<string, unknown> | null;

/** Moleculer's cacher for ACCESS_CACHE; undefined for none. */
export function createCacher({ ACCESS_CACHE, REDIS_URL }: Settings): BrokerOptions['cacher'] {
  if (ACCESS_CACHE === 'memory') return new Cachers.MemoryLRU({ max: maxInMemory });
  if (ACCESS_CACHE === 'redis' && REDIS_URL) return new GuardedRedisCacher(REDIS_URL);
  return undefined;
}

/**
 * Moleculer's Redis cacher, made safe against failures of Redis. A failed command counts as a cache miss; after it,
 * Redis is skipped for a second, and then one call probes it before the others use it again. Moleculer does not await
 * SET, so that a failed one would end the process.
 */
class GuardedRedisCacher extends Cachers.Redis {
  private isAnswering = true;
  private isEmptied = false;
  private isClosed = false;
  private askAgainAt = 0;

  constructor(url: Secret) {
    super({
      ttl: keptInRedis,
      redis: { ...redisOptions, disconnectTimeout, ...redisOptionsFrom(url) },
      redlock: false as never,
    });
  }

  override init(broker: ServiceBroker): void {
    super.init(broker);
    // Moleculer logs every failed connection attempt as an error; this logs it once.
    this.client.removeAllListeners('error').on('error', (error: Error) => this.lose('connect', error));
    this.client.removeAllListeners('ready').on('ready', () => void this.begin());
    this.client.on('close', () => {
      this.connected = false;
    });
  }

  override get(key: string): Promise<Cached> {
    return this.guarded('get', () => super.get(key), this.opts.missingResponse);
  }

  override set(key: string, data: unknown, ttl?: number): Promise<void> {
    return this.guarded('set', () => super.set(key, data, ttl), undefined);
  }

  override del(key: string | string[]): Promise<void> {
    return this.guarded('del', () => super.del(key), undefined);
  }

  override clean(match?: string | string[]): Promise<void> {
    return this.guarded('clean', () => super.clean(match), undefined);
  }

  override close(): Promise<void> {
    this.isClosed = true;
    this.client.disconnect();
    return Promise.resolve();
  }

  /** Empties the cache first: entries from before the start may belong to a database that a restore has replaced. */
  private async begin(): Promise<void> {
    try {
      if (!this.isEmptied) await super.clean();
      this.isEmptied = true;
      this.connected = true;
      this.regain();
    } catch (error) {
      this.lose('clean', error);
      if (!this.isClosed) this.client.disconnect(true);
    }
  }

  private async guarded<T>(operation: string, ask: () => Promise<T>, otherwise: T): Promise<T> {
    const at = performance.now();
    if (at < this.askAgainAt) return otherwise;
    if (!this.isAnswering) this.askAgainAt = at + pauseAfterFailure;
    try {
      const answer = await ask();
      this.regain();
      return answer;
    } catch (error) {
      this.lose(operation, error);
      return otherwise;
    }
  }

  private lose(operation: string, error: unknown): void {
    failures.inc({ operation });
    this.askAgainAt = performance.now() + pauseAfterFailure;
    this.logger.debug('Redis did not answer the cacher', { operation, error });
    if (this.isAnswering) this.logger.warn('Redis does not answer; nothing is cached until it does.');
    this.isAnswering = false;
  }

  private regain(): void {
    if (this.isAnswering) return;
    this.isAnswering = true;
    this.askAgainAt = 0;
    this.logger.info('Redis answers the cacher again.');
  }
}

/** The client's options for a URL: server, credentials, database and TLS. */
function redisOptionsFrom(url: Secret) {
  const { protocol, hostname, port, username, password, pathname } = new URL(url.reveal());
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    ...(port && { port: Number(port) }),
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(pathname.length > 1 && { db: Number(pathname.slice(1)) }),
    ...(protocol === 'rediss:' && { tls: {} }),
  };
}
