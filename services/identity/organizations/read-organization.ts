import { defineAction } from '../../../lib/action.ts';
import {
  exampleOrganization,
  findOrganization,
  organizationOutput,
  organizationPath,
  orgIdOfSlug,
  roleOf,
  toOrganizationResponse,
} from './organizations.ts';

/** GET /organizations/:slug: one organization of the caller's. */
export const readOrganization = defineAction({
  rest: 'GET /organizations/:slug',
  summary: 'Read an organization',
  permission: 'console.orgs.read',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: organizationPath },
  output: organizationOutput,
  errors: ['NOT_FOUND'],
  example: { path: { slug: exampleOrganization.slug }, output: exampleOrganization },
  async handler({ caller }) {
    return toOrganizationResponse(await findOrganization(caller.orgId), roleOf(caller));
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.organizations.read': typeof readOrganization;
  }
}
