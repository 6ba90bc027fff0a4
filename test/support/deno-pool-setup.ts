import { aimAcceptanceAt } from './acceptance-environment.ts';
import { type Pool, startPool } from './pool.ts';

/**
 * Runs once, before the acceptance suite meets a pool: the gateway, identity and access on Node, billing,
 * context and mail on Deno, over NATS, with the second implementation of the database.
 */
export default async function setup(): Promise<void> {
  const pool = await startPool(
    [{ services: ['gateway', 'identity', 'access'] }, { services: ['billing', 'context', 'mail'], runtime: 'deno' }],
    { PAYMENT_PROVIDER: 'test' },
  );
  await aimAcceptanceAt(pool);
  Object.assign(globalThis, { pool });
}

/** Ends what was started. */
export async function stop(): Promise<void> {
  await (globalThis as unknown as { pool: Pool }).pool.stop();
}
