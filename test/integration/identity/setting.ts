import { type Client, clientOf } from '../../support/client.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { createTenant, databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';

/** A tenant of the tests' own on the shared platform, and a stranger beside it. */
export type Setting = { tenant: Tenant; client: Client; stranger: Tenant; url: string; databaseUrl: string };

export async function makeSetting(): Promise<Setting> {
  const platform = await sharedPlatform();
  const { url } = platform;
  const databaseUrl = await databaseUrlOf(platform);
  const tenant = await createTenant(databaseUrl);
  const stranger = await createTenant(databaseUrl);
  return { tenant, client: clientOf({ url, ...tenant }), stranger, url, databaseUrl };
}

/** A client that calls with another key of the same organization. */
export function withKey(client: Client, apiKey: string): Client {
  return clientOf({ ...client, apiKey });
}

/** Every key that a tenant's organization has, whatever its state, as it is stored; but for the time of its use. */
export function storedKeys({ databaseUrl }: Setting, { orgId }: Tenant): Promise<Record<string, unknown>[]> {
  return withDatabase(databaseUrl, (database) =>
    database.collection('identity_api_keys').find({ orgId }).sort({ _id: 1 }).toArray(),
  );
}

/** Makes a second application in a tenant's organization, and gives its id. */
export async function addApplication({ databaseUrl }: Setting, { orgId }: Tenant): Promise<string> {
  const { applicationId } = await createTenant(databaseUrl);
  await withDatabase(databaseUrl, (database) =>
    database
      .collection<{ _id: string }>('identity_applications')
      .updateOne({ _id: applicationId }, { $set: { orgId } }),
  );
  return applicationId;
}

/** An instant as the APIs write it, so many milliseconds from now. */
export function instantFromNow(milliseconds: number): string {
  return new Date(Date.now() + milliseconds).toISOString();
}
