import { afterAll, beforeAll, describe } from '@jest/globals';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { storesLargeObjects } from '../../support/storage/large-objects.ts';
import { createTenant, databaseUrlOf, type Tenant } from '../../support/tenants.ts';

describe('objects in a folder', () => {
  let platform: Platform;
  let tenant: Tenant;

  beforeAll(async () => {
    platform = await startPlatform();
    tenant = await createTenant(await databaseUrlOf(platform), { plan: 'scale' });
  });
  afterAll(() => platform.stop());

  storesLargeObjects(() => ({ node: platform, url: platform.url, tenant }));
});
