import { afterAll, beforeAll, describe } from '@jest/globals';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { objectStoreEnvironment } from '../../support/pool.ts';
import { createTenant, databaseUrlOf, type Tenant } from '../../support/tenants.ts';
import { storesLargeObjects } from './large-objects.ts';

const stores: [name: string, settings: () => Record<string, string>][] = [['a folder', () => ({})]];
// The pool suite has them in S3 as well, but no large ones.
if (process.env.TEST_LONG === 'yes' && process.env.TEST_S3_URL) stores.push(['S3', objectStoreEnvironment]);

describe.each(stores)('objects in %s', (_name, settings) => {
  let platform: Platform;
  let tenant: Tenant;

  beforeAll(async () => {
    platform = await startPlatform({ env: settings() });
    tenant = await createTenant(await databaseUrlOf(platform), { plan: 'scale' });
  });
  afterAll(() => platform.stop());

  storesLargeObjects(() => ({ node: platform, url: platform.url, tenant }));
});
