import { type Pool, startPool } from './pool.ts';
import { createTenant } from './tenants.ts';

/**
 * Runs once, before the acceptance suite meets a pool: the gateway and identity on Node, the context service on Deno,
 * over NATS, with the second implementation of the database.
 */
export default async function setup(): Promise<void> {
  const pool = await startPool([{ services: ['gateway', 'identity'] }, { services: ['context'], runtime: 'deno' }]);
  const own = await createTenant(pool.databaseUrl);
  const other = await createTenant(pool.databaseUrl);
  Object.assign(process.env, {
    ACCEPTANCE_URL: pool.urls[0],
    ACCEPTANCE_ORG_ID: own.orgId,
    ACCEPTANCE_API_KEY: own.apiKey,
    ACCEPTANCE_OTHER_ORG_ID: other.orgId,
    ACCEPTANCE_OTHER_API_KEY: other.apiKey,
  });
  Object.assign(globalThis, { pool });
}

/** Ends what was started. */
export async function stop(): Promise<void> {
  await (globalThis as unknown as { pool: Pool }).pool.stop();
}
