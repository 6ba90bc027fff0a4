import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { now } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { FirstRunModel } from '../../../models/identity/first-run.ts';
import { type OrganizationDocument, OrganizationModel } from '../../../models/identity/organization.ts';
import {
  exampleOrganization,
  findOrganization,
  organizationName,
  organizationOutput,
  organizationPath,
  orgIdOfSlug,
  refuseBrand,
  roleOf,
  toOrganizationResponse,
} from './organizations.ts';

/** PATCH /organizations/:slug: changes the name. */
export const updateOrganization = defineAction({
  rest: 'PATCH /organizations/:slug',
  summary: 'Change an organization',
  permission: 'console.orgs.write',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: organizationPath, body: z.strictObject({ name: organizationName.optional() }) },
  output: organizationOutput,
  errors: ['NOT_FOUND'],
  example: {
    path: { slug: exampleOrganization.slug },
    body: { name: 'Acme Bikes Ltd' },
    output: { ...exampleOrganization, name: 'Acme Bikes Ltd', updatedAt: '2026-03-05T14:00:00.000Z' },
  },
  async handler({ body: { name }, caller, ctx }) {
    const { orgId } = caller;
    const current = await findOrganization(orgId);
    if (name === undefined || name === current.name) return toOrganizationResponse(current, roleOf(caller));
    // The operator's own organization may have the name of the operator's platform.
    if (!(await FirstRunModel.exists({ orgId }))) refuseBrand(name);
    const before = await OrganizationModel.findOneAndUpdate(
      { _id: orgId, status: 'active' },
      { $set: { name, updatedAt: now() } },
    ).lean<OrganizationDocument>();
    if (!before) throw apiError('NOT_FOUND');
    await recordAuditEvent(ctx, {
      action: 'organization.updated',
      orgId,
      target: { type: 'organization', id: orgId },
      before: { name: before.name },
      after: { name },
    });
    return toOrganizationResponse(await findOrganization(orgId), roleOf(caller));
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.organizations.update': typeof updateOrganization;
  }
}
