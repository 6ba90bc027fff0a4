import type { Redis } from 'ioredis';
import type { Service, ServiceSchema } from 'moleculer';
import { settings } from '../lib/settings/settings.ts';

export type RedisUser = Service & { redis?: Redis };

/** The timeout of a command; the caller continues without Redis after it. */
const commandTimeout = 100;
const maxPause = 1000;

/** The client's options for a Redis without essential data: it answers quickly or fails. */
export const redisOptions = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: maxPause,
  commandTimeout,
  retryStrategy: (attempt: number) => Math.min(attempt * 100, maxPause),
};

/**
 * The service's connection to Redis in `this.redis`; absent where REDIS_URL is not set. Redis holds no essential data:
 * the service starts and works without it, and commands fail immediately while it is unreachable.
 */
export function redis(): Partial<ServiceSchema> {
  return {
    async started(this: RedisUser) {
      if (!settings.REDIS_URL) return;
      const { Redis } = await import('ioredis');
      this.redis = new Redis(settings.REDIS_URL.reveal(), redisOptions);
      // Each failed attempt to connect emits an `error` event; without a listener it would end the process.
      this.redis.on('error', (error) => this.logger.debug('Redis does not answer', error));
    },
    stopped(this: RedisUser) {
      this.redis?.disconnect();
    },
  };
}
