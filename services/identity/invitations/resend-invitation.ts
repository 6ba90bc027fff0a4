import { defineAction } from '../../../lib/action.ts';
import { recordAct } from '../../../lib/audit.ts';
import { fromNow, now } from '../../../lib/clock.ts';
import { isDuplicateKey } from '../../../lib/database-errors.ts';
import { fail } from '../../../lib/errors.ts';
import { requireRole } from '../../../lib/roles.ts';
import { hashToken } from '../../../lib/token-hash.ts';
import { type InvitationDocument, InvitationModel } from '../../../models/identity/invitation.ts';
import { newRandomToken } from '../accounts/random-token.ts';
import { orgIdOfSlug } from '../organizations/organizations.ts';
import { mailInvitation, takeInvitationMail } from './invitation-mail.ts';
import {
  findInvitation,
  invitationOutput,
  invitationPath,
  lifetime,
  openKeyOf,
  showInvitation,
} from './invitations.ts';

/**
 * POST /organizations/:slug/invitations/:invitationId/resend: mails a new link, for seven days from now; the former one
 * works no more. One that has expired is open again.
 */
export const resendInvitation = defineAction({
  rest: 'POST /organizations/:slug/invitations/:invitationId/resend',
  summary: 'Mail an invitation again, with a new link',
  permission: 'console.orgs.write',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: invitationPath },
  output: invitationOutput,
  errors: ['NOT_FOUND', 'SCOPE_NOT_HELD', 'OWNER_REQUIRED', 'INVITATION_NOT_OPEN', 'INVITATION_PENDING'],
  idempotent: true,
  async handler({ path: { invitationId }, caller, ctx }) {
    const { orgId, scopes } = caller;
    const invitation = await findInvitation(orgId, invitationId);
    requireRole(scopes, invitation.role);
    if (invitation.status !== 'pending') throw fail('INVITATION_NOT_OPEN');
    await takeInvitationMail(caller, ctx.meta, invitation.email);
    const token = newRandomToken();
    const renewed = await renew(invitation, token);
    await mailInvitation(ctx, renewed, token);
    await recordAct(ctx, { action: 'invitation.resent', orgId, target: { type: 'invitation', id: invitationId } });
    return showInvitation(renewed);
  },
});

/** With a new token and end; and with the place of its address, which it gave up if it expired and another was made. */
async function renew({ orgId, _id, email }: InvitationDocument, token: string): Promise<InvitationDocument> {
  const changes = {
    tokenHash: hashToken(token),
    openKey: openKeyOf(orgId, email),
    expiresAt: fromNow(lifetime),
    updatedAt: now(),
  };
  try {
    const renewed = await InvitationModel.findOneAndUpdate(
      { orgId, _id, status: 'pending' },
      { $set: changes },
      { returnDocument: 'after' },
    ).lean<InvitationDocument>();
    if (!renewed) throw fail('INVITATION_NOT_OPEN');
    return renewed;
  } catch (error) {
    throw isDuplicateKey(error) ? fail('INVITATION_PENDING') : error;
  }
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.invitations.resend': typeof resendInvitation;
  }
}
