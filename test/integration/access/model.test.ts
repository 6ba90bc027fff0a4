import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { clientOf } from '../../support/client.ts';
import { propertyCases, propertyTimeout } from '../../support/property-cases.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { createTenant, databaseUrlOf } from '../../support/tenants.ts';
import { createUser } from '../../support/user-client.ts';
import { follow, history, members } from './access-model.ts';

const histories = propertyCases(2, 40);

test(
  'checks answer what a plain model does, after whatever changes',
  async () => {
    const platform = await sharedPlatform();
    const databaseUrl = await databaseUrlOf(platform);
    let changes = 0;
    const property = fc.asyncProperty(history, async (past) => {
      const tenant = await createTenant(databaseUrl);
      const users = [];
      for (let count = 0; count < members; count += 1) {
        users.push(await createUser(databaseUrl, { orgId: tenant.orgId, role: 'member' }));
      }
      const userIds = users.map(({ userId }) => userId);
      const clients = [clientOf({ url: platform.url, ...tenant })];
      changes += await follow({ orgId: tenant.orgId, userIds, clients }, past);
    });
    await fc.assert(property, { numRuns: histories, endOnFailure: true });
    expect(changes).toBeGreaterThan(histories * 10);
  },
  propertyTimeout,
);
