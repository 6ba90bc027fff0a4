import { type Client, clientOf } from '../support/client.ts';
import { sharedPlatform } from '../support/shared-platform.ts';
import { createTenant, databaseUrlOf } from '../support/tenants.ts';

/** Two organizations of one platform: the suite acts for `own`, and `other` is whom it must not see. */
export type Platform = { own: Client; other: Client };

let opening: Promise<Platform> | undefined;

/**
 * The platform that ACCEPTANCE_URL names, with the organizations and keys (scope `svc:admin`) of ACCEPTANCE_ORG_ID,
 * ACCEPTANCE_API_KEY, ACCEPTANCE_OTHER_ORG_ID and ACCEPTANCE_OTHER_API_KEY; without it the one that tests share.
 */
export function platform(): Promise<Platform> {
  const { ACCEPTANCE_URL: url } = process.env;
  opening ??= url ? Promise.resolve(fromEnvironment(url)) : fromSharedPlatform();
  return opening;
}

function fromEnvironment(url: string): Platform {
  return {
    own: clientOf({ url, orgId: variable('ACCEPTANCE_ORG_ID'), apiKey: variable('ACCEPTANCE_API_KEY') }),
    other: clientOf({ url, orgId: variable('ACCEPTANCE_OTHER_ORG_ID'), apiKey: variable('ACCEPTANCE_OTHER_API_KEY') }),
  };
}

async function fromSharedPlatform(): Promise<Platform> {
  const shared = await sharedPlatform();
  const databaseUrl = await databaseUrlOf(shared);
  const [own, other] = await Promise.all([createTenant(databaseUrl), createTenant(databaseUrl)]);
  return { own: clientOf({ url: shared.url, ...own }), other: clientOf({ url: shared.url, ...other }) };
}

function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name} beside ACCEPTANCE_URL.`);
  return value;
}
