import type { Context } from 'moleculer';
import { recordAct } from '../../../lib/audit.ts';
import type { RequestMeta } from '../../../lib/caller.ts';
import { fromNow, minute, now } from '../../../lib/clock.ts';
import { isDuplicateKey } from '../../../lib/database-errors.ts';
import { type InvitationDocument, InvitationModel } from '../../../models/identity/invitation.ts';
import { MembershipModel, membershipId } from '../../../models/identity/membership.ts';
import { OrganizationModel } from '../../../models/identity/organization.ts';
import { UserModel } from '../../../models/identity/user.ts';
import { announceChange } from '../announce.ts';
import { insertMembership } from '../organizations/memberships.ts';
import { isOrganizationActive } from '../organizations/organizations.ts';
import { openKeyOf } from './invitations.ts';

type Ctx = Context<unknown, RequestMeta>;

/** After that whoever accepted and did not become a member was left half-way by a process that died. */
const grace = minute;

/** An invitation that a user has, and that nobody else can have any more. */
export type Accepted = InvitationDocument & { acceptedBy: string };

/** Gives an open invitation to a user: of any number at once, to one. Null when it is not open, or not by this token. */
export async function claim(invitation: InvitationDocument, userId: string): Promise<Accepted | null> {
  const { orgId, _id, tokenHash } = invitation;
  const claimed = {
    status: 'accepted',
    acceptedBy: userId,
    joinBy: fromNow(grace),
    openKey: _id,
    updatedAt: now(),
  } as const;
  const open = { orgId, _id, tokenHash, status: 'pending' as const, expiresAt: { $gt: now() } };
  const { modifiedCount } = await InvitationModel.updateOne(open, { $set: claimed });
  return modifiedCount === 1 ? { ...invitation, ...claimed } : null;
}

/** Takes an invitation back from a user who did not come into being; it is over when there is a newer one. */
export async function reopen({ orgId, _id, email, acceptedBy }: Accepted): Promise<void> {
  const unused = { orgId, _id, status: 'accepted' as const, acceptedBy, joinBy: { $ne: null } };
  const pending = { status: 'pending' as const, acceptedBy: null, joinBy: null, openKey: openKeyOf(orgId, email) };
  try {
    await InvitationModel.updateOne(unused, { $set: pending });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    await InvitationModel.updateOne(unused, { $set: { status: 'revoked', acceptedBy: null, joinBy: null } });
  }
}

/**
 * Makes the user who accepted an invitation a member; whoever is one already stays what they are. May be repeated until
 * it is done. False when the organization or the user is gone.
 */
export async function join(ctx: Ctx, invitation: Accepted): Promise<boolean> {
  const { orgId, _id, role, acceptedBy: userId } = invitation;
  const organization = await OrganizationModel.findOne({ _id: orgId, status: 'active' }).lean();
  if (!organization) return false;
  const revision = organization.membershipRevision ?? 0;
  const isNew = await insertMembership({ orgId, userId, role, revision });
  // A deletion of the organization or of the user that began before has not seen the new member.
  if (!((await isOrganizationActive(orgId)) && (await isUserActive(userId)))) {
    if (isNew) await MembershipModel.deleteOne({ orgId, _id: membershipId(orgId, userId) });
    return false;
  }
  const unfinished = { orgId, _id, acceptedBy: userId, joinBy: { $ne: null } };
  const { modifiedCount } = await InvitationModel.updateOne(unfinished, { $set: { joinBy: null } });
  if (isNew) await announceChange(ctx, { userId });
  await recordJoin(ctx, invitation, { isAccepted: modifiedCount === 1, isNew });
  return true;
}

/** Of several who complete the same at once each records what it did. */
async function recordJoin(
  ctx: Ctx,
  { orgId, _id, email, role, acceptedBy: userId }: Accepted,
  { isAccepted, isNew }: { isAccepted: boolean; isNew: boolean },
): Promise<void> {
  const actor = ctx.meta.caller ? {} : { actor: { type: 'user' as const, id: userId } };
  if (isAccepted) {
    const target = { type: 'invitation', id: _id };
    await recordAct(ctx, { action: 'invitation.accepted', orgId, ...actor, target, after: { email } });
  }
  if (isNew) {
    const target = { type: 'user', id: userId };
    await recordAct(ctx, { action: 'member.added', orgId, ...actor, target, after: { role } });
  }
}

async function isUserActive(userId: string): Promise<boolean> {
  return (await UserModel.findOne({ _id: userId, status: 'active' }, { _id: 1 }).lean()) !== null;
}

/** Completes what processes left that died between an acceptance and the membership. */
export async function sweepJoins(ctx: Ctx): Promise<void> {
  const across = { acrossTenants: true };
  const left = await InvitationModel.find({ joinBy: { $lte: now() } }, null, across).lean<Accepted[]>();
  for (const invitation of left) {
    const user = await UserModel.findOne({ _id: invitation.acceptedBy }, { _id: 1 }).lean();
    if (user) await join(ctx, invitation);
    else await reopen(invitation);
  }
}
