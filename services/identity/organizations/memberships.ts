import type { Context } from 'moleculer';
import { z } from 'zod';
import type { Membership } from '../../../lib/caller.ts';
import { type CallInput, type CallOutput, call } from '../../../lib/calls.ts';
import { apiError } from '../../../lib/errors.ts';
import { idPattern } from '../../../lib/ids.ts';
import { type SystemRole, systemRoles } from '../../../lib/roles.ts';

type CallContext = Pick<Context, 'call'>;

const userIdPattern = idPattern('usr');
/** A path may contain any text. */
const isUserId = (text: string): boolean => userIdPattern.test(text);

/** A membership as it travels with the caller. */
export const membershipOutput = z.strictObject({
  orgId: z.string(),
  role: z.enum(systemRoles),
  extras: z.array(z.string()).optional(),
}) satisfies z.ZodType<Membership>;

/** A membership as access control, which stores them all, returns it: times are ISO 8601 UTC. */
export type MembershipEntry = CallOutput<'access.memberships.list'>['memberships'][number];

/** A user's organizations with their rights there, the oldest organization first. */
export async function membershipsOf(ctx: CallContext, userId: string): Promise<Membership[]> {
  const { memberships } = await call(ctx, 'access.memberships.of-user', { body: { userId } });
  return memberships.map(({ orgId, role, extras }) => {
    if (extras.length === 0) return { orgId, role };
    return { orgId, role, extras };
  });
}

/** The members of an organization after one of them, by user id; with `newestFirst` in the other direction. */
export async function listMemberships(
  ctx: CallContext,
  range: CallInput<'access.memberships.list'>['body'],
): Promise<MembershipEntry[]> {
  return (await call(ctx, 'access.memberships.list', { body: range })).memberships;
}

/** A user's role in an organization, and since when; null when they are not a member. */
export async function findMembership(ctx: CallContext, orgId: string, userId: string): Promise<MembershipEntry | null> {
  if (!isUserId(userId)) return null;
  const { membership } = await call(ctx, 'access.memberships.read', { body: { orgId, userId } });
  return membership && { userId, ...membership };
}

type MembershipChange = {
  orgId: string;
  userId: string;
  /** Null: they leave. */
  role: SystemRole | null;
  /** Whether the caller's present rights are checked: not where the user leaves, or is deleted. */
  isByCaller: boolean;
};

/**
 * Changes a member's role or removes them; concurrent calls cannot remove the last owner.
 *
 * @throws NOT_FOUND no such member; LAST_OWNER; PERMISSION_DENIED, OWNER_REQUIRED or SCOPE_NOT_HELD for what the caller
 *   does not hold.
 */
export async function changeMembership(
  ctx: CallContext,
  change: MembershipChange,
): Promise<CallOutput<'access.memberships.change'>> {
  if (!isUserId(change.userId)) throw apiError('NOT_FOUND', { message: 'The organization has no such member.' });
  return await call(ctx, 'access.memberships.change', { body: change });
}
