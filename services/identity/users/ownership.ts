import type { Ctx } from '../../../lib/caller.ts';
import { isError } from '../../../lib/errors.ts';
import { publishCredentialChange } from '../announce.ts';
import { changeMembership, membershipsOf } from '../organizations/memberships.ts';
import { reactivate, renew, type UserInDeletion } from './user-in-deletion.ts';

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
  const owned = (await membershipsOf(ctx, userId)).filter(({ role }) => role === 'owner');
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
