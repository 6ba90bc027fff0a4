import type { Pool } from './pool.ts';
import { createTenant } from './tenants.ts';

/** Lets the acceptance suite, which takes the platform from the environment, meet a pool. */
export async function aimAcceptanceAt(pool: Pool): Promise<void> {
  const own = await createTenant(pool.databaseUrl);
  const other = await createTenant(pool.databaseUrl);
  Object.assign(process.env, {
    ACCEPTANCE_URL: pool.urls[0],
    ACCEPTANCE_ORG_ID: own.orgId,
    ACCEPTANCE_API_KEY: own.apiKey,
    ACCEPTANCE_OTHER_ORG_ID: other.orgId,
    ACCEPTANCE_OTHER_API_KEY: other.apiKey,
  });
}
