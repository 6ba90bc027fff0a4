import type { Context } from 'moleculer';
import { recordAct } from '../../../lib/audit.ts';
import type { RequestMeta } from '../../../lib/caller.ts';
import { call } from '../../../lib/calls.ts';
import { fromNow, minute, now } from '../../../lib/clock.ts';
import { fail, isError } from '../../../lib/errors.ts';
import { OrganizationModel } from '../../../models/identity/organization.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';
import { announceChange } from '../announce.ts';
import { revokeGrants } from '../oauth/revoke-grants.ts';
import { changeMembership, membershipsOf } from '../organizations/memberships.ts';
import { forgetReservations } from '../reservations.ts';
import { endSessions } from '../sessions/sessions.ts';

type Ctx = Context<unknown, RequestMeta>;

/** Longer than a deletion takes: one that began before was left by a process that died. */
const patience = minute;

/**
 * Deletes a user with all that is theirs. From the mark `deleting` on nobody can log in as them, and a sweep completes
 * what a crash interrupts; the document, and with it the hold on the email, goes last. Of deletions at the same time
 * one does it.
 *
 * @throws LAST_OWNER an organization would be left without an owner; then nothing has changed.
 */
export async function deleteUser(ctx: Ctx, userId: string): Promise<void> {
  const { orgIds } = await call(ctx, 'access.memberships.owned-alone', { body: { userId } });
  await refuseLastOwner(orgIds);
  const marked = { status: 'deleting' as const, updatedAt: now() };
  const { matchedCount } = await UserModel.updateOne(
    { _id: userId, status: 'active' },
    { $set: marked, $inc: { revision: 1 } },
  );
  if (matchedCount === 1) await completeDeletion(ctx, userId);
}

/** Completes the deletions that somebody left, and says how many; for the scheduled sweep. */
export async function sweepDeletedUsers(ctx: Ctx, signal?: AbortSignal): Promise<number> {
  const left = { status: 'deleting' as const, updatedAt: { $lte: fromNow(-patience) } };
  const users = await UserModel.find(left, { _id: 1 }).lean<Pick<UserDocument, '_id'>[]>();
  let completed = 0;
  for (const { _id: userId } of users) {
    if (signal?.aborted) break;
    try {
      await completeDeletion(ctx, userId);
      completed += 1;
    } catch (error) {
      ctx.broker.logger.warn('The deletion of a user could not be completed', { userId, error });
    }
  }
  return completed;
}

/** Each step may be repeated. What others find the user by goes before the user. */
async function completeDeletion(ctx: Ctx, userId: string): Promise<void> {
  await announceChange(ctx, { userId });
  await stepDown(ctx, userId);
  const actor = ctx.meta.caller ? {} : { actor: { type: 'user' as const, id: userId } };
  await recordAct(ctx, { action: 'user.deleted', userId, ...actor, target: { type: 'user', id: userId } });
  await endSessions(ctx, { userId });
  await revokeGrants(ctx, { userId });
  for (const { orgId } of await membershipsOf(ctx, userId)) {
    await leave(ctx, orgId, userId);
  }
  await OrganizationModel.updateMany({ createdBy: userId }, { $unset: { createdBy: 1 } });
  await forgetReservations(userId);
  await UserModel.deleteOne({ _id: userId, status: 'deleting' });
}

/**
 * Makes the user no owner any more, of any organization. Where the other owner went in the meantime this is refused, and
 * the user gets back what they were.
 */
async function stepDown(ctx: Ctx, userId: string): Promise<void> {
  const owned = (await membershipsOf(ctx, userId)).filter(({ role }) => role === 'owner');
  const left: string[] = [];
  for (const { orgId } of owned) {
    try {
      await changeMembership(ctx, { orgId, userId, role: 'member', isByCaller: false });
      left.push(orgId);
    } catch (error) {
      const slugs = isError(error, 'LAST_OWNER') ? await slugsOfActive([orgId]) : [];
      if (slugs.length > 0) {
        await restore(ctx, userId, left);
        throw lastOwnerOf(slugs);
      }
      ignoreGone(error);
    }
  }
}

async function restore(ctx: Ctx, userId: string, owned: string[]): Promise<void> {
  for (const orgId of owned) {
    await changeMembership(ctx, { orgId, userId, role: 'owner', isByCaller: false }).catch(ignoreGone);
  }
  const restored = { status: 'active' as const, updatedAt: now() };
  await UserModel.updateOne({ _id: userId, status: 'deleting' }, { $set: restored, $inc: { revision: 1 } });
  await announceChange(ctx, { userId });
}

async function leave(ctx: Ctx, orgId: string, userId: string): Promise<void> {
  try {
    await changeMembership(ctx, { orgId, userId, role: null, isByCaller: false });
  } catch (error) {
    const isOwner = isError(error, 'LAST_OWNER') && (await slugsOfActive([orgId])).length > 0;
    if (isOwner) throw error;
    ignoreGone(error);
  }
}

async function refuseLastOwner(orgIds: string[]): Promise<void> {
  const slugs = await slugsOfActive(orgIds);
  if (slugs.length > 0) throw lastOwnerOf(slugs);
}

/** An organization that is being deleted itself needs no owner. */
async function slugsOfActive(orgIds: string[]): Promise<string[]> {
  if (orgIds.length === 0) return [];
  const active = { _id: { $in: orgIds }, status: 'active' as const };
  const organizations = await OrganizationModel.find(active, { slug: 1 }).sort({ slug: 1 }).lean();
  return organizations.map(({ slug }) => slug);
}

function lastOwnerOf(slugs: string[]): Error {
  return fail('LAST_OWNER', {
    message: `You are the only owner of ${slugs.join(', ')}: make somebody else an owner there, or delete the organization, first.`,
  });
}

/** Whoever is no member any more, or of an organization that goes itself, needs not leave it. */
function ignoreGone(error: unknown): void {
  if (!isError(error, 'NOT_FOUND') && !isError(error, 'LAST_OWNER')) throw error;
}
