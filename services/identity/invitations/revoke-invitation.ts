import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { now } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { requireRole } from '../../../lib/roles.ts';
import { InvitationModel } from '../../../models/identity/invitation.ts';
import { requireCurrentRights } from '../current-rights.ts';
import { orgIdOfSlug } from '../organizations/organizations.ts';
import { exampleInvitation, findInvitation, invitationPath } from './invitations.ts';

/**
 * DELETE /organizations/:slug/invitations/:invitationId: revokes an invitation for a role that the caller could give.
 */
export const revokeInvitation = defineAction({
  rest: 'DELETE /organizations/:slug/invitations/:invitationId',
  summary: 'Revoke an invitation',
  permission: 'console.orgs.write',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: invitationPath },
  output: z.void(),
  errors: ['NOT_FOUND', 'SCOPE_NOT_HELD', 'OWNER_REQUIRED', 'INVITATION_NOT_OPEN'],
  example: { path: { slug: 'acme-bikes', invitationId: exampleInvitation.id } },
  async handler({ path: { invitationId }, caller, ctx }) {
    const { orgId } = caller;
    const { email, role } = await findInvitation(orgId, invitationId);
    requireRole(await requireCurrentRights(ctx, caller, 'console.orgs.write'), role);
    const { modifiedCount } = await InvitationModel.updateOne(
      { orgId, _id: invitationId, status: 'pending' },
      { $set: { status: 'revoked', openKey: invitationId, updatedAt: now() } },
    );
    if (modifiedCount === 0) throw apiError('INVITATION_NOT_OPEN');
    await recordAuditEvent(ctx, {
      action: 'invitation.revoked',
      orgId,
      target: { type: 'invitation', id: invitationId },
      before: { email, role },
    });
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.invitations.revoke': typeof revokeInvitation;
  }
}
