import { type ApplicationDocument, ApplicationModel } from '../../../models/identity/application.ts';
import { type OAuthClientDocument, OAuthClientModel } from '../../../models/identity/oauth-client.ts';
import { type OrganizationDocument, OrganizationModel } from '../../../models/identity/organization.ts';

export type LiveClient = OAuthClientDocument & {
  applicationName: string;
  organizationName: string;
  /** Whether the operator trusts the organization. */
  isTrusted: boolean;
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
    OrganizationModel.findOne({ _id: orgId, status: 'active' }, { name: 1, isTrusted: 1 }).lean<OrganizationDocument>(),
  ]);
  if (!application || !organization) return null;
  const { name: organizationName, isTrusted = false } = organization;
  return { ...client, applicationName: application.name, organizationName, isTrusted };
}
