import type { UserCaller } from '../../../lib/caller.ts';
import { now } from '../../../lib/clock.ts';
import { insertUnlessThere } from '../../../lib/insert-unless-there.ts';
import { type MembershipDocument, MembershipModel, membershipId } from '../../../models/identity/membership.ts';

/** The organizations a user is a member of, the oldest membership first. */
export async function membershipsOf(userId: string): Promise<UserCaller['memberships']> {
  const memberships = await MembershipModel.find({ userId }, { orgId: 1, role: 1 }, { acrossTenants: true })
    .sort({ _id: 1 })
    .lean<MembershipDocument[]>();
  return memberships.map(({ orgId, role }) => ({ orgId, role }));
}

type NewMembership = Required<Pick<MembershipDocument, 'orgId' | 'userId' | 'role' | 'revision'>>;

/** Makes a user a member; whoever is one already stays what they are. Says whether this made them one. */
export async function insertMembership(membership: NewMembership): Promise<boolean> {
  const at = now();
  const _id = membershipId(membership.orgId, membership.userId);
  const document: MembershipDocument = { _id, ...membership, createdAt: at, updatedAt: at };
  return await insertUnlessThere<MembershipDocument>(MembershipModel, document);
}
