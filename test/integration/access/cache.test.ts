import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Client, clientOf } from '../../support/client.ts';
import { type NodeProcess, startPlatform } from '../../support/platform.ts';
import { createTenant, databaseUrlOf, type Tenant } from '../../support/tenants.ts';
import { assigned, isAllowed, makeRole, register, unassign } from './assigning.ts';

const permission = 'shop.orders.read';

/* A platform that keeps answers in memory. */

let platform: NodeProcess & { url: string };
let tenant: Client & Tenant;
let roleId: string;

beforeAll(async () => {
  platform = await startPlatform({ env: { ACCESS_CACHE: 'memory' } });
  const made = await createTenant(await databaseUrlOf(platform));
  tenant = { ...made, ...clientOf({ ...made, url: platform.url }) };
  await register(tenant, permission);
  roleId = await makeRole(tenant, [permission]);
});

afterAll(async () => {
  await platform.stop();
});

const about = () => ({ applicationId: tenant.applicationId, permission });

async function expectAnswers(allowed: boolean): Promise<void> {
  for (let time = 0; time < 5; time += 1) expect(await isAllowed(tenant, about())).toBe(allowed);
}

test('a cached answer does not outlive a change of an assignment or of a role', async () => {
  await expectAnswers(false);
  const { assignmentId } = await assigned(tenant, { applicationId: tenant.applicationId, roleId });
  await expectAnswers(true);
  await tenant.send('PATCH', `/access/roles/${roleId}`, { permissions: [] });
  await expectAnswers(false);
  await tenant.send('PATCH', `/access/roles/${roleId}`, { permissions: [permission] });
  await expectAnswers(true);
  await unassign(tenant, assignmentId);
  await expectAnswers(false);
});
