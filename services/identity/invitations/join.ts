import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { call } from '../../../lib/calls.ts';
import { fromNow, minute, now, second } from '../../../lib/clock.ts';
import { isDuplicateKey } from '../../../lib/database-errors.ts';
import { isError } from '../../../lib/errors.ts';
import type { SystemRole } from '../../../lib/roles.ts';
import { type InvitationDocument, InvitationModel } from '../../../models/identity/invitation.ts';
import { UserModel } from '../../../models/identity/user.ts';
import { changeMembership, findMembership } from '../organizations/memberships.ts';
import { isOrganizationActive } from '../organizations/organizations.ts';
import { openKeyOf } from './invitations.ts';

/** After this time an accepted invitation without a membership counts as abandoned by a dead process. */
const grace = minute;
/** How far the clocks of two nodes may differ, in milliseconds. */
const clocksDiffer = 5 * second;

/** An invitation that a user has accepted. No other user can accept it. */
export type Accepted = InvitationDocument & { acceptedBy: string };

/**
 * Claims an open invitation for a user; one of concurrent calls succeeds. Null when it is not open, or has another
 * token.
 */
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

/** Reopens an invitation whose user did not become a member; it ends when there is a newer one. */
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
 * Makes the user who accepted an invitation a member; a present member keeps their role. May be repeated until it is
 * done. False when the organization or the user is gone.
 *
 * @throws PLAN_LIMIT_EXCEEDED the organization has no room; then the invitation is open again.
 */
export async function join(ctx: Ctx, invitation: Accepted): Promise<boolean> {
  const { orgId, _id, role, acceptedBy: userId } = invitation;
  if (!(await isOrganizationActive(orgId))) return false;
  const isAdded = await add(ctx, { orgId, userId, role }).catch(async (error) => {
    if (isError(error, 'PLAN_LIMIT_EXCEEDED')) await reopen(invitation);
    throw error;
  });
  if (isAdded === null) return false;
  // A deletion of the organization or of the user that began before has not seen the new member.
  if (!((await isOrganizationActive(orgId)) && (await isUserActive(userId)))) {
    if (isAdded) await changeMembership(ctx, { orgId, userId, role: null, isByCaller: false }).catch(ignoreMissing);
    return false;
  }
  const unfinished = { orgId, _id, acceptedBy: userId, joinBy: { $ne: null } };
  const { modifiedCount } = await InvitationModel.updateOne(unfinished, { $set: { joinBy: null } });
  if (modifiedCount === 1) await recordJoin(ctx, invitation, isAdded || (await hasJustJoined(ctx, invitation)));
  return true;
}

/** Whether this made the user a member; null when the organization or the user no longer exists. */
async function add(ctx: Ctx, member: { orgId: string; userId: string; role: SystemRole }): Promise<boolean | null> {
  try {
    return (await call(ctx, 'access.memberships.add', { body: member })).isAdded;
  } catch (error) {
    ignoreMissing(error);
    return null;
  }
}

function ignoreMissing(error: unknown): void {
  if (!isError(error, 'NOT_FOUND')) throw error;
}

/**
 * Whether another process, which completed the same acceptance or died during it, made the user a member after they
 * accepted.
 */
async function hasJustJoined(ctx: Ctx, { orgId, acceptedBy, role, updatedAt }: Accepted): Promise<boolean> {
  const membership = await findMembership(ctx, orgId, acceptedBy);
  if (membership?.role !== role) return false;
  return new Date(membership.createdAt).getTime() > updatedAt.getTime() - clocksDiffer;
}

/** Recorded by the one of concurrent calls that completes the acceptance. */
async function recordJoin(
  ctx: Ctx,
  { orgId, _id, email, role, acceptedBy: userId }: Accepted,
  isNew: boolean,
): Promise<void> {
  const actor = ctx.meta.caller ? {} : { actor: { type: 'user' as const, id: userId } };
  const accepted = { type: 'invitation', id: _id };
  await recordAuditEvent(ctx, { action: 'invitation.accepted', orgId, ...actor, target: accepted, after: { email } });
  if (!isNew) return;
  const added = { type: 'user', id: userId };
  await recordAuditEvent(ctx, { action: 'member.added', orgId, ...actor, target: added, after: { role } });
}

async function isUserActive(userId: string): Promise<boolean> {
  return (await UserModel.findOne({ _id: userId, status: 'active' }, { _id: 1 }).lean()) !== null;
}

/** Completes acceptances whose process died before the membership. */
export async function sweepJoins(ctx: Ctx): Promise<void> {
  const across = { acrossTenants: true };
  const left = await InvitationModel.find({ joinBy: { $lte: now() } }, null, across).lean<Accepted[]>();
  const failures: unknown[] = [];
  for (const invitation of left) {
    // A failure does not delay the others.
    await completeJoin(ctx, invitation).catch((error) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

async function completeJoin(ctx: Ctx, invitation: Accepted): Promise<void> {
  const user = await UserModel.findOne({ _id: invitation.acceptedBy }, { _id: 1 }).lean();
  if (!user) return reopen(invitation);
  await join(ctx, invitation).catch((error) => {
    if (!isError(error, 'PLAN_LIMIT_EXCEEDED')) throw error;
  });
}
