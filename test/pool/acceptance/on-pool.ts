import { afterAll, beforeAll } from '@jest/globals';
import { type Pool, startPool } from '../../support/platform.ts';
import { createTenant } from '../../support/tenants.ts';

/**
 * Reads a file of the acceptance suite once more, for a pool: the gateway on Node and the context service on Deno,
 * joined by NATS over another implementation of the database. Its tests take the platform from the environment. Each
 * file has a pool and a database of its own, because that implementation reads a collection whole for most queries.
 */
export async function runOnPool(read: () => Promise<unknown>): Promise<void> {
  let pool: Pool;
  beforeAll(async () => {
    pool = await startPool([{ services: ['gateway', 'identity'] }, { services: ['context'], runtime: 'deno' }]);
    const own = await createTenant(pool.databaseUrl);
    const other = await createTenant(pool.databaseUrl);
    Object.assign(process.env, {
      ACCEPTANCE_URL: pool.urls[0],
      ACCEPTANCE_ORG_ID: own.orgId,
      ACCEPTANCE_API_KEY: own.apiKey,
      ACCEPTANCE_OTHER_ORG_ID: other.orgId,
      ACCEPTANCE_OTHER_API_KEY: other.apiKey,
    });
  }, 60_000);
  afterAll(() => pool.stop());
  await read();
}
