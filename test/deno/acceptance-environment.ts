import type { Pool } from '../support/pool.ts';
import { createTenant } from '../support/tenants.ts';
import { createUser } from '../support/user-client.ts';

/** Lets the acceptance suite, which takes the platform from the environment, meet a pool. */
export async function aimAcceptanceAt({ databaseUrl, urls }: Pool): Promise<void> {
  // The suite sends more events than `free` gives.
  const own = await createTenant(databaseUrl, { plan: 'scale' });
  const other = await createTenant(databaseUrl, { plan: 'scale' });
  const owner = await createUser(databaseUrl, { orgId: own.orgId });
  const otherOwner = await createUser(databaseUrl, { orgId: other.orgId });
  const member = await createUser(databaseUrl, { orgId: own.orgId, role: 'member' });
  Object.assign(process.env, {
    ACCEPTANCE_URL: urls[0],
    ACCEPTANCE_ORG_ID: own.orgId,
    ACCEPTANCE_API_KEY: own.apiKey,
    ACCEPTANCE_EMAIL: owner.email,
    ACCEPTANCE_PASSWORD: owner.password,
    ACCEPTANCE_OTHER_ORG_ID: other.orgId,
    ACCEPTANCE_OTHER_API_KEY: other.apiKey,
    ACCEPTANCE_OTHER_EMAIL: otherOwner.email,
    ACCEPTANCE_OTHER_PASSWORD: otherOwner.password,
    ACCEPTANCE_MEMBER_EMAIL: member.email,
    ACCEPTANCE_MEMBER_PASSWORD: member.password,
  });
}
