import type { Context } from 'moleculer';
import { MembershipModel } from '../../../models/identity/membership.ts';
import { changeMembership } from './membership-changes.ts';

type Ctx = Pick<Context, 'broadcast' | 'broker'>;

/**
 * Takes a user out of an organization; may be repeated. The caller records the act.
 *
 * @throws NOT_FOUND they are no member, or the organization is being deleted; LAST_OWNER they are its only owner.
 */
export async function leaveOrganization(ctx: Ctx, orgId: string, userId: string): Promise<void> {
  await changeMembership(ctx, { orgId, userId, role: null });
}

/**
 * The ids of the organizations of which a user is the only owner: as long as there are any, they cannot be deleted. It
 * is true for this instant; {@link leaveOrganization} is what holds it under concurrency.
 */
export async function organizationsOwnedAlone(userId: string): Promise<string[]> {
  const owned = await MembershipModel.find({ userId, role: 'owner' }, { orgId: 1 }, { acrossTenants: true }).lean();
  const alone: string[] = [];
  for (const { orgId } of owned) {
    const other = await MembershipModel.findOne({ orgId, role: 'owner', userId: { $ne: userId } }, { _id: 1 }).lean();
    if (!other) alone.push(orgId);
  }
  return alone;
}
