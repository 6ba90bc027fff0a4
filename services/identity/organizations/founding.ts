import type { Ctx } from '../../../lib/caller.ts';
import { call } from '../../../lib/calls.ts';
import { fromNow, minute } from '../../../lib/clock.ts';
import { type OrganizationDocument, OrganizationModel } from '../../../models/identity/organization.ts';
import { beginDeletion } from '../deletions/deletions.ts';
import { isActiveUser } from '../users/current-user.ts';

type Unfounded = Pick<OrganizationDocument, '_id'> & {
  pendingFounder: NonNullable<OrganizationDocument['pendingFounder']>;
};

/** Makes the founder in an organization's document its owner, and clears the founder. Idempotent. */
export async function found(ctx: Ctx, { _id: orgId, pendingFounder: { userId } }: Unfounded): Promise<void> {
  await call(ctx, 'access.organizations.found', { body: { orgId, userId } });
  // A deletion of the user that began before has not seen this organization: delete it too.
  if (!(await isActiveUser(userId))) {
    await beginDeletion({ _id: orgId, kind: 'organization', orgId });
  }
  await OrganizationModel.updateOne({ _id: orgId }, { $set: { pendingFounder: null } });
}

/** Founds the organizations whose process died before the owner was set. */
export async function sweepUnfinishedInitializations(ctx: Ctx): Promise<void> {
  const unfinished = { status: 'active' as const, 'pendingFounder.at': { $lte: fromNow(-minute) } };
  const organizations = await OrganizationModel.find(unfinished).lean<OrganizationDocument[]>();
  for (const { _id, pendingFounder } of organizations) {
    if (pendingFounder) await found(ctx, { _id, pendingFounder });
  }
}
