import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from 'moleculer';
import { fromNow, minute, now } from '../../../lib/clock.ts';
import { fail } from '../../../lib/errors.ts';
import type { SystemRole } from '../../../lib/roles.ts';
import { type MembershipDocument, MembershipModel, membershipId } from '../../../models/identity/membership.ts';
import { type OrganizationDocument, OrganizationModel } from '../../../models/identity/organization.ts';
import { announceChange } from '../announce.ts';
import { insertMembership } from './memberships.ts';

type Ctx = Pick<Context, 'broadcast' | 'broker'>;
type Decided = Pick<OrganizationDocument, '_id'> &
  Required<Pick<OrganizationDocument, 'membershipRevision'>> & {
    pendingChange: NonNullable<OrganizationDocument['pendingChange']>;
  };

const attemptsMax = 400;
const longestPause = 50;

type Wanted = {
  orgId: string;
  userId: string;
  /** Null: they leave. */
  role: SystemRole | null;
  /** Throws where the change of this membership is refused. May run several times. */
  check?: (current: MembershipDocument) => void;
};

/**
 * Changes a member's role or removes them. Two changes of one organization never overlap: each is decided on what the
 * former left, by one guarded update of the organization's document that says what is to be done, and then carried
 * out; where its author died, by whoever comes next. So the last owner stays, however many try at once.
 *
 * @throws NOT_FOUND no such member; LAST_OWNER; CONFLICT so many changes at once that this one found no gap.
 */
export async function changeMembership(
  ctx: Ctx,
  { orgId, userId, role, check }: Wanted,
): Promise<{ before: MembershipDocument; isChanged: boolean }> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const organization = await readSettled(orgId);
    const before = await findMembership(orgId, userId);
    check?.(before);
    if (before.role === role) return { before, isChanged: false };
    if (before.role === 'owner') await refuseLastOwner(orgId, userId);
    const decided = await decide(organization, { userId, role, isFounder: false, at: now() });
    if (decided) {
      await carryOut(decided);
      await announceChange(ctx, { userId });
      return { before, isChanged: true };
    }
    await wait(Math.random() * Math.min(attempt, longestPause));
  }
  throw fail('CONFLICT');
}

/** Carries out the change that an organization's document holds, as often as one likes; the document forgets it then. */
export async function carryOut({ _id: orgId, membershipRevision: revision, pendingChange }: Decided): Promise<void> {
  const { userId, role, isFounder } = pendingChange;
  const _id = membershipId(orgId, userId);
  // Whoever comes late with a change finds a membership of a later revision, and leaves it alone.
  const earlier = { orgId, _id, $or: [{ revision: { $lt: revision } }, { revision: null }] };
  if (isFounder) await insertMembership({ orgId, userId, role: 'owner', revision });
  else if (role === null) await MembershipModel.deleteOne(earlier);
  else await MembershipModel.updateOne(earlier, { $set: { role, revision, updatedAt: now() } });
  await OrganizationModel.updateOne({ _id: orgId, membershipRevision: revision }, { $set: { pendingChange: null } });
}

/** Carries out what was decided by processes that died. */
export async function sweepMembershipChanges(ctx: Ctx): Promise<void> {
  const left = { 'pendingChange.at': { $lte: fromNow(-minute) } };
  const organizations = await OrganizationModel.find(left).lean<OrganizationDocument[]>();
  for (const organization of organizations) {
    if (!isDecided(organization)) continue;
    await carryOut(organization);
    await announceChange(ctx, { userId: organization.pendingChange.userId });
  }
}

export function isDecided(organization: OrganizationDocument): organization is OrganizationDocument & Decided {
  return Boolean(organization.pendingChange);
}

/** The organization when no change of its memberships is under way. */
async function readSettled(orgId: string): Promise<OrganizationDocument> {
  for (;;) {
    const organization = await OrganizationModel.findOne({ _id: orgId, status: 'active' }).lean<OrganizationDocument>();
    if (!organization) throw fail('NOT_FOUND');
    if (!isDecided(organization)) return organization;
    await carryOut(organization);
  }
}

async function findMembership(orgId: string, userId: string): Promise<MembershipDocument> {
  const _id = membershipId(orgId, userId);
  const membership = await MembershipModel.findOne({ orgId, _id }).lean<MembershipDocument>();
  if (!membership) throw fail('NOT_FOUND', { message: 'The organization has no such member.' });
  return membership;
}

async function refuseLastOwner(orgId: string, userId: string): Promise<void> {
  const other = await MembershipModel.findOne({ orgId, role: 'owner', userId: { $ne: userId } }, { _id: 1 }).lean();
  if (!other) throw fail('LAST_OWNER');
}

/** The change, when nothing was decided since the organization was read; null otherwise. */
async function decide(
  { _id, membershipRevision = 0 }: OrganizationDocument,
  pendingChange: Decided['pendingChange'],
): Promise<Decided | null> {
  const unchanged = { _id, status: 'active' as const, pendingChange: null };
  const revision = membershipRevision === 0 ? null : membershipRevision;
  const next = { membershipRevision: membershipRevision + 1, pendingChange };
  const { matchedCount } = await OrganizationModel.updateOne(
    { ...unchanged, membershipRevision: revision },
    { $set: next },
  );
  return matchedCount === 1 ? { _id, ...next } : null;
}
