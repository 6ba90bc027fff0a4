import { randomUUID } from 'node:crypto';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { type Ctx, call } from '../../lib/contract/context.ts';
import { apiError, isError } from '../../lib/contract/errors.ts';
import { fromNow, minute, now } from '../../lib/data/clock.ts';
import { recordErasure } from '../../lib/data/erasure-records.ts';
import { OrganizationModel } from '../../models/identity/organization.ts';
import { type UserDeletion, type UserDocument, UserModel } from '../../models/identity/user.ts';
import { publishCredentialChange } from './current-rights.ts';
import { eraseUserFromDirectories } from './directory/directory.ts';
import { changeMembership, membershipsOf } from './members.ts';
import { revokeGrants } from './oauth/grants.ts';
import { deleteReservations } from './reservations.ts';
import { endSessions } from './sessions.ts';

/** A deletion whose lease this process holds. */
export type UserInDeletion = { userId: string; deletion: UserDeletion };

/**
 * Renews the lease before a step, and stores what the step will do. A process that lost its lease stops here.
 *
 * @throws CONFLICT another process holds the lease.
 */
export async function renew({ userId, deletion }: UserInDeletion, set: object = {}, addToSet?: object): Promise<void> {
  const { matchedCount } = await UserModel.updateOne(
    { _id: userId, status: 'deleting', 'deletion.leaseOwner': deletion.leaseOwner },
    { $set: { ...set, updatedAt: now() }, ...(addToSet && { $addToSet: addToSet }) },
  );
  if (matchedCount === 0) throw apiError('CONFLICT');
}

/** Enters another phase. Every process that continues the deletion starts from it. */
export async function enter(work: UserInDeletion, phase: UserDeletion['phase']): Promise<void> {
  await renew(work, { 'deletion.phase': phase });
  work.deletion.phase = phase;
}

/** Ends a deletion that was refused: the user can log in again. */
export async function reactivate({ userId, deletion }: UserInDeletion): Promise<void> {
  await UserModel.updateOne(
    { _id: userId, status: 'deleting', 'deletion.leaseOwner': deletion.leaseOwner },
    { $set: { status: 'active', deletion: null, updatedAt: now() }, $inc: { revision: 1 } },
  );
}

/**
 * Removes the user as an owner of any organization, each of which is stored first. Returns the active organizations
 * that refuse, because the user is their last owner: the first refusal ends it.
 */
export async function relinquishOwnership(
  ctx: Ctx,
  work: UserInDeletion,
  isActive: (orgId: string) => Promise<boolean>,
): Promise<string[]> {
  const { userId, deletion } = work;
  const memberships = await membershipsOf(ctx, userId, { withSuspended: true });
  const owned = memberships.filter(({ role }) => role === 'owner');
  for (const { orgId } of owned) {
    await renew(work, {}, { 'deletion.ownedOrgIds': orgId });
    deletion.ownedOrgIds = [...new Set([...deletion.ownedOrgIds, orgId])];
    try {
      await changeMembership(ctx, { orgId, userId, role: 'member', isByCaller: false });
    } catch (error) {
      if (isError(error, 'LAST_OWNER') && (await isActive(orgId))) return [orgId];
      ignoreGone(error);
    }
  }
  return [];
}

/** Restores the user as an owner wherever they stepped down, and as active. May be repeated until it is done. */
export async function restoreUser(ctx: Ctx, work: UserInDeletion): Promise<void> {
  const { userId, deletion } = work;
  for (const orgId of deletion.ownedOrgIds) {
    await renew(work);
    await changeMembership(ctx, { orgId, userId, role: 'owner', isByCaller: false }).catch(ignoreGone);
  }
  await reactivate(work);
  await publishCredentialChange(ctx, { userId });
}

/**
 * Ignores a refusal for a user who is no longer a member, or whose organization is being deleted: they have no role to
 * relinquish or restore.
 */
function ignoreGone(error: unknown): void {
  if (!isError(error, 'NOT_FOUND') && !isError(error, 'LAST_OWNER')) throw error;
}

/** Longer than a step takes: a step that began before was left by a dead process. */
const patience = minute;

/**
 * Deletes a user with all their data. From the mark `deleting` on, login is refused. The access log of each
 * organization, one after the other, decides whether it can spare the user as an owner; if one cannot, the user's
 * ownership of the others is restored. The document stores the progress, so that a sweep completes or undoes what a
 * crash interrupts. The document goes last, and with it the reservation of the email. Of concurrent deletions one is
 * carried out.
 *
 * @throws LAST_OWNER an organization would be left without an owner; then nothing has changed.
 */
export async function deleteUser(ctx: Ctx, userId: string): Promise<void> {
  const { orgIds } = await call(ctx, 'access.memberships.owned-alone', { body: { userId } });
  await rejectLastOwner(orgIds);
  const deletion: UserDeletion = { phase: 'stepping-down', ownedOrgIds: [], leaseOwner: randomUUID() };
  const { matchedCount } = await UserModel.updateOne(
    { _id: userId, status: 'active' },
    { $set: { status: 'deleting', deletion, updatedAt: now() }, $inc: { revision: 1 } },
  );
  if (matchedCount === 0) return;
  const refusing = await runUserDeletion(ctx, { userId, deletion });
  await rejectLastOwner(refusing);
  // The refusing organization was deleted concurrently, and the user is restored.
  if (refusing.length > 0) throw apiError('CONFLICT');
}

/**
 * Stores the deletion of a user whom a restored database contains again, as due work for the sweep. Login is refused
 * immediately.
 */
export async function repeatUserDeletion(userId: string): Promise<void> {
  const isRepeated = true;
  const deletion: UserDeletion = { phase: 'stepping-down', ownedOrgIds: [], leaseOwner: randomUUID(), isRepeated };
  await UserModel.updateOne(
    { _id: userId },
    { $set: { status: 'deleting', deletion, updatedAt: fromNow(-patience) }, $inc: { revision: 1 } },
  );
}

/** Continues interrupted deletions and returns how many; for the scheduled sweep. */
export async function sweepDeletedUsers(ctx: Ctx, signal?: AbortSignal): Promise<number> {
  const interrupted = { status: 'deleting' as const, updatedAt: { $lte: fromNow(-patience) } };
  const users = await UserModel.find(interrupted, { _id: 1 }).lean<Pick<UserDocument, '_id'>[]>();
  let settled = 0;
  for (const { _id: userId } of users) {
    if (signal?.aborted) break;
    try {
      const work = await adoptContent(userId);
      if (!work) continue;
      await runUserDeletion(ctx, work);
      settled += 1;
    } catch (error) {
      ctx.broker.logger.warn('Deletion of a user could not be completed; will retry', { userId, error });
    }
  }
  return settled;
}

/** Null when another sweep was faster, or the deletion's own process is alive. */
async function adoptContent(userId: string): Promise<UserInDeletion | null> {
  const interrupted = { _id: userId, status: 'deleting' as const, updatedAt: { $lte: fromNow(-patience) } };
  const user = await UserModel.findOne(interrupted).lean<UserDocument>();
  if (!user) return null;
  const { phase = 'stepping-down', ownedOrgIds = [], isRepeated = false } = user.deletion ?? {};
  const deletion: UserDeletion = { phase, ownedOrgIds, leaseOwner: randomUUID(), isRepeated };
  const { matchedCount } = await UserModel.updateOne(
    { ...interrupted, updatedAt: user.updatedAt },
    { $set: { deletion, updatedAt: now() } },
  );
  return matchedCount === 1 ? { userId, deletion } : null;
}

/**
 * Carries out the remaining steps; returns the organizations that refused, none when the user is deleted.
 *
 * @throws Error an organization has no other owner, and the deletion is one that is not refused: the sweep tries again.
 */
async function runUserDeletion(ctx: Ctx, work: UserInDeletion): Promise<string[]> {
  await publishCredentialChange(ctx, { userId: work.userId });
  let refusing: string[] = [];
  if (work.deletion.phase === 'stepping-down') {
    refusing = await relinquishOwnership(ctx, work, isActive);
    requireOtherOwners(work, refusing);
    await enter(work, refusing.length > 0 ? 'restoring' : 'leaving');
  }
  if (work.deletion.phase === 'leaving') refusing = await leaveEverything(ctx, work);
  if (work.deletion.phase === 'restoring') await restoreUser(ctx, work);
  return refusing;
}

/** Each step may be repeated. Documents that refer to the user are removed before the user. */
async function leaveEverything(ctx: Ctx, work: UserInDeletion): Promise<string[]> {
  const { userId } = work;
  const actor = ctx.meta.caller ? {} : { actor: { type: 'user' as const, id: userId } };
  await recordAuditEvent(ctx, { action: 'user.deleted', userId, ...actor, target: { type: 'user', id: userId } });
  await endSessions(ctx, { userId });
  await revokeGrants(ctx, { userId });
  for (const { orgId } of await membershipsOf(ctx, userId, { withSuspended: true })) {
    await renew(work);
    if (await isOnlyOwner(ctx, orgId, userId)) {
      requireOtherOwners(work, [orgId]);
      return await stay(work, orgId);
    }
  }
  await OrganizationModel.updateMany({ createdBy: userId }, { $unset: { createdBy: 1 } });
  await deleteReservations(userId);
  await eraseUserFromDirectories(userId);
  await recordErasure({ _id: userId, kind: 'user', orgId: null, identifiers: null, erasedAt: now() });
  await UserModel.deleteOne({ _id: userId, status: 'deleting', 'deletion.leaseOwner': work.deletion.leaseOwner });
  return [];
}

function requireOtherOwners({ userId, deletion }: UserInDeletion, refusing: string[]): void {
  if (!deletion.isRepeated || refusing.length === 0) return;
  throw new Error(`${userId} was deleted before the restore and is the only owner of ${refusing.join(', ')}.`);
}

/** Leaves an organization; true when it has no other owner. */
async function isOnlyOwner(ctx: Ctx, orgId: string, userId: string): Promise<boolean> {
  try {
    await changeMembership(ctx, { orgId, userId, role: null, isByCaller: false });
    return false;
  } catch (error) {
    if (isError(error, 'LAST_OWNER')) return await isActive(orgId);
    if (isError(error, 'NOT_FOUND')) return false;
    throw error;
  }
}

/** The user became the only owner again since the check: the user stays, and keeps what they have there. */
async function stay(work: UserInDeletion, orgId: string): Promise<string[]> {
  await renew(work, { 'deletion.ownedOrgIds': [] });
  work.deletion.ownedOrgIds = [];
  await enter(work, 'restoring');
  return [orgId];
}

/** An organization that is being deleted itself needs no owner. */
async function isActive(orgId: string): Promise<boolean> {
  return (await OrganizationModel.exists({ _id: orgId, status: 'active' })) !== null;
}

async function rejectLastOwner(orgIds: string[]): Promise<void> {
  if (orgIds.length === 0) return;
  const active = { _id: { $in: orgIds }, status: 'active' as const };
  const organizations = await OrganizationModel.find(active, { slug: 1 }).sort({ slug: 1 }).lean();
  if (organizations.length === 0) return;
  const slugs = organizations.map(({ slug }) => slug).join(', ');
  throw apiError('LAST_OWNER', {
    message: `You are the only owner of ${slugs}: make someone else an owner there, or delete the organization, first.`,
  });
}
