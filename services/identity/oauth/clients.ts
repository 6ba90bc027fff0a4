import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { now } from '../../../lib/data/clock.ts';
import { type ApplicationDocument, ApplicationModel } from '../../../models/identity/application.ts';
import {
  grantTypes,
  type OAuthClientDocument,
  OAuthClientModel,
  tokenEndpointAuthMethods,
} from '../../../models/identity/oauth-client.ts';
import { type OrganizationDocument, OrganizationModel } from '../../../models/identity/organization.ts';
import { type Brand, brandedFields, brandOutput, toBrand } from '../brand.ts';

export type LiveClient = OAuthClientDocument & {
  applicationName: string;
  organizationName: string;
  organizationBrand: Brand;
  /** Whether the operator trusts the organization. */
  isTrusted: boolean;
  /** Whether the operator has suspended the organization. */
  isSuspended: boolean;
};

/** A client with the names of its application and organization; null when one of the three is deleted. */
export async function findLiveClient(clientId: string): Promise<LiveClient | null> {
  const client = await OAuthClientModel.findOne({ _id: clientId }, null, {
    acrossTenants: true,
  }).lean<OAuthClientDocument>();
  if (!client) return null;
  const { orgId, applicationId } = client;
  const [application, organization] = await Promise.all([
    ApplicationModel.findOne({ orgId, _id: applicationId }, { name: 1 }).lean<ApplicationDocument>(),
    OrganizationModel.findOne(
      { _id: orgId, status: 'active' },
      { name: 1, isTrusted: 1, ...brandedFields },
    ).lean<OrganizationDocument>(),
  ]);
  if (!application || !organization) return null;
  const { name: organizationName, isTrusted = false, suspension } = organization;
  const isSuspended = Boolean(suspension);
  const organizationBrand = toBrand(organization);
  const names = { applicationName: application.name, organizationName, organizationBrand };
  return { ...client, ...names, isTrusted, isSuspended };
}

const texts = z.array(z.string());

/** `identity.oauth.clients.find`, for the gateway: a client with the hashes of its secrets in force, or null. */
export const findClient = defineAction({
  summary: 'Find an OAuth client',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ clientId: z.string() }) },
  output: z.strictObject({
    client: z
      .strictObject({
        clientId: z.string(),
        orgId: z.string(),
        applicationId: z.string(),
        applicationName: z.string(),
        organizationName: z.string(),
        organizationBrand: brandOutput,
        grantTypes: z.array(z.enum(grantTypes)),
        redirectUris: texts,
        postLogoutRedirectUris: texts,
        redirectOrigins: texts,
        scopes: texts,
        tokenEndpointAuthMethod: z.enum(tokenEndpointAuthMethods),
        secretHashes: texts,
        isFirstParty: z.boolean(),
        isTrusted: z.boolean(),
        isSuspended: z.boolean(),
      })
      .nullable(),
  }),
  async handler({ body: { clientId } }) {
    const found = await findLiveClient(clientId);
    if (!found) return { client: null };
    const { _id, secrets, operations, isFirstParty = false, createdAt, updatedAt, ...client } = found;
    const inForce = secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now());
    const secretHashes = inForce.map(({ hash }) => hash);
    return { client: { ...client, clientId: _id, secretHashes, isFirstParty } };
  },
});
