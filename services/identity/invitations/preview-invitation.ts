import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { systemRoles } from '../../../lib/roles.ts';
import { OrganizationModel } from '../../../models/identity/organization.ts';
import { UserModel } from '../../../models/identity/user.ts';
import { findByToken, invitationToken, isOpen } from './invitations.ts';

/**
 * `identity.invitations.preview`, for the page behind the mailed link: the details of the invitation, if it is open.
 */
export const previewInvitation = defineAction({
  summary: 'Read an open invitation by its token',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ token: invitationToken }) },
  output: z.strictObject({
    invitation: z
      .strictObject({
        organizationName: z.string(),
        role: z.enum(systemRoles),
        email: z.string(),
        /** Whether the address is the login of an account. */
        accountExists: z.boolean(),
      })
      .nullable(),
  }),
  async handler({ body: { token } }) {
    const invitation = await findByToken(token);
    if (!invitation || !isOpen(invitation)) return { invitation: null };
    const { orgId, email, role } = invitation;
    const [organization, user] = await Promise.all([
      OrganizationModel.findOne({ _id: orgId, status: 'active' }, { name: 1 }).lean(),
      UserModel.findOne({ email }, { _id: 1 }).lean(),
    ]);
    if (!organization) return { invitation: null };
    return { invitation: { organizationName: organization.name, role, email, accountExists: user !== null } };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.invitations.preview': typeof previewInvitation;
  }
}
