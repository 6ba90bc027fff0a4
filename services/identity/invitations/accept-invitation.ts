import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { apiError } from '../../../lib/errors.ts';
import { exampleId } from '../../../lib/examples.ts';
import { type InvitationDocument, InvitationModel } from '../../../models/identity/invitation.ts';
import type { UserDocument } from '../../../models/identity/user.ts';
import { exampleMember, memberOutput, toMemberResponse } from '../organizations/members.ts';
import { findMembership, type MembershipEntry } from '../organizations/memberships.ts';
import { findOrganization } from '../organizations/organizations.ts';
import { readCurrentUser } from '../users/current-user.ts';
import { findByToken, invitationToken } from './invitations.ts';
import { type Accepted, claim, join } from './join.ts';

/**
 * POST /organizations/invitations/:token/accept: makes the user who is logged in a member, if the invited address is
 * one of theirs that they have verified. It works once; a repetition gets the same answer for as long as the user is a
 * member.
 */
export const acceptInvitation = defineAction({
  rest: 'POST /organizations/invitations/:token/accept',
  summary: 'Accept an invitation into an organization',
  permission: 'session',
  input: { path: z.strictObject({ token: invitationToken }) },
  output: memberOutput
    .extend({
      organization: z.strictObject({ id: z.string(), slug: z.string(), name: z.string() }),
    })
    .meta({ id: 'AcceptedMembership' }),
  errors: ['NOT_FOUND', 'PERMISSION_DENIED', 'INVITATION_NOT_OPEN', 'PLAN_LIMIT_EXCEEDED'],
  example: {
    path: { token: 'example'.padEnd(32, '0') },
    output: {
      ...exampleMember,
      organization: { id: exampleId('org'), slug: 'acme-bikes', name: 'Acme Bikes' },
    },
  },
  async handler({ path: { token }, caller: { id: userId }, ctx }) {
    const invitation = await findByToken(token);
    if (!invitation)
      throw apiError('NOT_FOUND', { message: 'There is no such invitation, or a newer mail replaced it.' });
    const user = await readCurrentUser(userId);
    refuseOthers(user, invitation);
    const membership = await becomeMember(ctx, invitation, userId);
    const { _id: id, slug, name } = await findOrganization(invitation.orgId);
    return { ...toMemberResponse(membership, user), organization: { id, slug, name } };
  },
});

/** The refusal does not reveal the invited address to a holder of the link. */
function refuseOthers({ contacts }: UserDocument, { email }: InvitationDocument): void {
  const isTheirs = contacts.some(
    ({ type, value, verifiedAt }) => type === 'email' && value === email && verifiedAt !== null,
  );
  if (isTheirs) return;
  throw apiError('PERMISSION_DENIED', {
    message: 'This invitation was sent to another address; log in with the account that has it.',
  });
}

async function becomeMember(ctx: Ctx, invitation: InvitationDocument, userId: string): Promise<MembershipEntry> {
  const claimed = (await claim(invitation, userId)) ?? (await readAccepted(invitation, userId));
  if (claimed.joinBy !== null && !(await join(ctx, claimed))) throw apiError('NOT_FOUND');
  const membership = await findMembership(ctx, invitation.orgId, userId);
  // The member was removed since: the invitation does not restore the membership.
  if (!membership) throw apiError('INVITATION_NOT_OPEN');
  return membership;
}

/** The invitation as it is now, if this user accepted it before or at the same time. */
async function readAccepted({ orgId, _id }: InvitationDocument, userId: string): Promise<Accepted> {
  const accepted = { orgId, _id, status: 'accepted' as const, acceptedBy: userId };
  const found = await InvitationModel.findOne(accepted).lean<Accepted>();
  if (!found) throw apiError('INVITATION_NOT_OPEN');
  return found;
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.invitations.accept': typeof acceptInvitation;
  }
}
