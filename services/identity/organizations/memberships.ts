import type { UserCaller } from '../../../lib/caller.ts';
import { type MembershipDocument, MembershipModel } from '../../../models/identity/membership.ts';

/** The organizations a user is a member of, the oldest membership first. */
export async function membershipsOf(userId: string): Promise<UserCaller['memberships']> {
  const memberships = await MembershipModel.find({ userId }, { orgId: 1, role: 1 }, { acrossTenants: true })
    .sort({ _id: 1 })
    .lean<MembershipDocument[]>();
  return memberships.map(({ orgId, role }) => ({ orgId, role }));
}
