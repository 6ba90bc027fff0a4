import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { Caller } from '../../../lib/caller.ts';
import { decodeCursor, pageOf, pageQuery, toPage } from '../../../lib/page.ts';
import { type OrganizationDocument, OrganizationModel } from '../../../models/identity/organization.ts';
import { exampleOrganization, organizationOutput, toOrganizationResponse } from './organizations.ts';

/** GET /organizations: a user's organizations with their role, the oldest first; for an application its own. */
export const listOrganizations = defineAction({
  rest: 'GET /organizations',
  summary: 'List the organizations of the caller',
  permission: 'authenticated',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(organizationOutput),
  errors: ['CURSOR_INVALID'],
  example: {
    query: { limit: '20' },
    output: { data: [exampleOrganization], nextCursor: null },
  },
  async handler({ query, caller }) {
    const after = decodeCursor(query.cursor, 1)?.[0];
    const roles = rolesOf(caller);
    const newer = after === undefined ? {} : { $gt: after };
    const organizations = await OrganizationModel.find({ _id: { $in: [...roles.keys()], ...newer }, status: 'active' })
      .sort({ _id: 1 })
      .limit(query.limit + 1)
      .lean<OrganizationDocument[]>();
    return toPage(
      organizations,
      query.limit,
      ({ _id }) => [_id],
      (organization) => toOrganizationResponse(organization, roles.get(organization._id)),
    );
  },
});

/** The caller's role by organization. Omits the other organizations for a client, which acts in its own only. */
function rolesOf(caller: Caller) {
  if (caller.type === 'application') return new Map([[caller.orgId, undefined]]);
  const seen = caller.memberships.filter(({ orgId }) => caller.clientId === undefined || orgId === caller.orgId);
  return new Map(seen.map(({ orgId, role }) => [orgId, role]));
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.organizations.list': typeof listOrganizations;
  }
}
