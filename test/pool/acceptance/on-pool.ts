import { afterAll, beforeAll } from '@jest/globals';
import { aimAcceptanceAt } from '../../support/acceptance-environment.ts';
import { type Pool, startPool } from '../../support/platform.ts';

/**
 * Reads a file of the acceptance suite once more, for a pool of two nodes joined by NATS over another implementation
 * of the database. Each file has a pool and a database of its own, because that implementation reads a collection
 * whole for most queries. The `deno` suite does the same with a node on Deno.
 */
export async function runOnPool(read: () => Promise<unknown>): Promise<void> {
  let pool: Pool;
  beforeAll(async () => {
    pool = await startPool(
      [{ services: ['gateway', 'identity', 'access'] }, { services: ['billing', 'context', 'mail'] }],
      { PAYMENT_PROVIDER: 'test' },
    );
    await aimAcceptanceAt(pool);
  }, 60_000);
  afterAll(() => pool.stop());
  await read();
}
