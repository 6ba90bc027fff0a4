import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { FirstRunModel } from '../../../models/identity/first-run.ts';
import { OrganizationModel } from '../../../models/identity/organization.ts';

/** `identity.organizations.describe`, for services: an organization; null when it is deleted or being deleted. */
export const describeOrganization = defineAction({
  summary: 'Describe an organization',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: z.string() }) },
  output: z.strictObject({
    organization: z
      .strictObject({
        name: z.string(),
        slug: z.string(),
        /** Whether it is the operator's own, which the first run created. */
        isFirst: z.boolean(),
      })
      .nullable(),
  }),
  async handler({ body: { orgId } }) {
    const [found, firstRun] = await Promise.all([
      OrganizationModel.findOne({ _id: orgId, status: 'active' }, { name: 1, slug: 1 }).lean(),
      FirstRunModel.exists({ orgId }),
    ]);
    return { organization: found && { name: found.name, slug: found.slug, isFirst: firstRun !== null } };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.organizations.describe': typeof describeOrganization;
  }
}
