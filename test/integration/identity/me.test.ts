import { describe, expect, test } from '@jest/globals';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { createTenant, databaseUrlOf } from '../../support/tenants.ts';

describe('GET /identity/me', () => {
  test('answers a tenant made for a test', async () => {
    const platform = await sharedPlatform();
    const { apiKey, applicationId: id, orgId, keyId } = await createTenant(await databaseUrlOf(platform));
    const response = await fetch(`${platform.url}/identity/me`, { headers: { Authorization: `Bearer ${apiKey}` } });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ type: 'application', id, orgId, keyId });
  });
});
