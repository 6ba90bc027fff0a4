import { type Client, clientOf } from './client.ts';
import { sharedPlatform } from './shared-platform.ts';
import { createTenant, databaseUrlOf, type Tenant, type TenantOptions } from './tenants.ts';

/** A client of the shared platform on behalf of an organization that nobody else uses. */
export async function newTenantClient(options?: TenantOptions): Promise<Client & Tenant> {
  const platform = await sharedPlatform();
  const tenant = await createTenant(await databaseUrlOf(platform), options);
  return { ...tenant, ...clientOf({ url: platform.url, ...tenant }) };
}
