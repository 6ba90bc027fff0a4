import { describe } from '@jest/globals';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { databaseUrlOf } from '../../support/tenants.ts';
import { servesOutsideClients } from './outside-clients.ts';

// On a pool with S3 the same is in `nodes.test.ts`.
describe('on one process', () => {
  servesOutsideClients(async () => {
    const platform = await sharedPlatform();
    return { url: platform.url, databaseUrl: await databaseUrlOf(platform) };
  });
});
