import { objectStoreEnvironment, type Pool, startPool } from '../support/pool.ts';
import { aimAcceptanceAt } from './acceptance-environment.ts';

/**
 * Runs once, before the acceptance suite meets a pool: the gateway, identity and access on Node, the other services
 * on Deno, over NATS, with the second implementation of the database and an S3 server.
 *
 * Its files run one after the other: all act for the same persons, and that database loses one of two changes that are
 * made to a document at the same moment.
 */
export default async function setup(): Promise<void> {
  const pool = await startPool(
    [
      { services: ['gateway', 'identity', 'access'] },
      { services: ['billing', 'context', 'mail', 'storage', 'notification', 'connect'], runtime: 'deno' },
    ],
    { PAYMENT_PROVIDER: 'test', ...objectStoreEnvironment() },
  );
  await aimAcceptanceAt(pool);
  Object.assign(globalThis, { pool });
}

/** Ends what was started. */
export async function stop(): Promise<void> {
  await (globalThis as unknown as { pool: Pool }).pool.stop();
}
