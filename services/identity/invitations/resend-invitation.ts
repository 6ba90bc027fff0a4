import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { fromNow, now } from '../../../lib/clock.ts';
import { isDuplicateKey } from '../../../lib/database-errors.ts';
import { apiError, type ErrorCode } from '../../../lib/errors.ts';
import type { Operation } from '../../../lib/operation.ts';
import { requireMail } from '../../../lib/require-mail.ts';
import { requireRole } from '../../../lib/roles.ts';
import { hashToken } from '../../../lib/token-hash.ts';
import { type InvitationDocument, InvitationModel } from '../../../models/identity/invitation.ts';
import { tokenOf } from '../accounts/random-token.ts';
import { requireCurrentRights } from '../current-rights.ts';
import { orgIdOfSlug } from '../organizations/organizations.ts';
import { mailInvitation, takeInvitationMail } from './invitation-mail.ts';
import {
  exampleInvitation,
  findInvitation,
  invitationOutput,
  invitationPath,
  lifetime,
  openKeyOf,
  toInvitationResponse,
} from './invitations.ts';

/** More than the mails of a day, any of which may be retried. */
const maxOperations = 150;

/**
 * POST /organizations/:slug/invitations/:invitationId/resend: mails a new link, for seven days from now, and
 * invalidates the previous one. An expired invitation is open again.
 */
export const resendInvitation = defineAction({
  rest: 'POST /organizations/:slug/invitations/:invitationId/resend',
  summary: 'Mail an invitation again, with a new link',
  permission: 'console.orgs.write',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: invitationPath },
  output: invitationOutput,
  errors: [
    'NOT_FOUND',
    'SCOPE_NOT_HELD',
    'OWNER_REQUIRED',
    'INVITATION_NOT_OPEN',
    'INVITATION_PENDING',
    'CONFLICT',
    'MAIL_DISABLED',
  ],
  idempotent: {
    async resume({ path: { invitationId }, caller: { orgId }, operation, ctx }) {
      const renewed = { orgId, _id: invitationId, operations: operation.key };
      const invitation = await InvitationModel.findOne(renewed).lean<InvitationDocument>();
      return invitation && (await complete(ctx, operation, invitation));
    },
  },
  example: {
    path: { slug: 'acme-bikes', invitationId: exampleInvitation.id },
    output: {
      ...exampleInvitation,
      expiresAt: '2026-03-09T15:00:00.000Z',
      updatedAt: '2026-03-02T15:00:00.000Z',
    },
  },
  async handler({ path: { invitationId }, caller, operation, ctx }) {
    const { orgId } = caller;
    const invitation = await findInvitation(orgId, invitationId);
    requireRole(await requireCurrentRights(ctx, caller, 'console.orgs.write'), invitation.role);
    if (invitation.status !== 'pending') throw apiError('INVITATION_NOT_OPEN');
    await requireMail(ctx);
    await takeInvitationMail(caller, ctx.meta, invitation.email);
    return await complete(ctx, operation, await renew(invitation, operation));
  },
});

/** Completes the operation after the renewal. Idempotent: the mail service sends the mail of a token once. */
async function complete(ctx: Ctx, operation: Operation, invitation: InvitationDocument) {
  const token = tokenOf(operation);
  const { _id, orgId, tokenHash, status } = invitation;
  // Unless it was mailed again since, with a newer token, or is no longer open.
  if (tokenHash === hashToken(token) && status === 'pending') await mailInvitation(ctx, invitation, token);
  const target = { type: 'invitation', id: _id };
  await recordAuditEvent(ctx, { id: operation.newId('aud'), action: 'invitation.resent', orgId, target });
  return toInvitationResponse(invitation);
}

/**
 * Sets a new token and expiry, and reserves the place of its address again, which an expired invitation may have lost
 * to another one. An operation renews it once.
 */
async function renew(invitation: InvitationDocument, operation: Operation): Promise<InvitationDocument> {
  const { orgId, _id, email, tokenHash, operations = [] } = invitation;
  const changes = {
    tokenHash: hashToken(tokenOf(operation)),
    operations: [operation.key, ...operations].slice(0, maxOperations),
    openKey: openKeyOf(orgId, email),
    expiresAt: fromNow(lifetime),
    updatedAt: now(),
  };
  try {
    const renewed = await InvitationModel.findOneAndUpdate(
      { orgId, _id, status: 'pending', tokenHash },
      { $set: changes },
      { returnDocument: 'after' },
    ).lean<InvitationDocument>();
    if (!renewed) throw apiError(await refusalOf(invitation));
    return renewed;
  } catch (error) {
    throw isDuplicateKey(error) ? apiError('INVITATION_PENDING') : error;
  }
}

/** The reason why it was not renewed: it is no longer open, or a concurrent request renewed it. */
async function refusalOf({ orgId, _id }: InvitationDocument): Promise<ErrorCode> {
  const { status } = await findInvitation(orgId, _id);
  return status === 'pending' ? 'CONFLICT' : 'INVITATION_NOT_OPEN';
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.invitations.resend': typeof resendInvitation;
  }
}
