import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { requirePermission, type SystemRole, systemRoles } from '../../lib/contract/authorize.ts';
import {
  type CallContext,
  type Caller,
  type CallInput,
  type CallOutput,
  call,
  type Membership,
} from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { decodeCursor, pageOf, pageQuery, pathId, timestamp, toPage } from '../../lib/contract/input.ts';
import { fromNow, hour } from '../../lib/data/clock.ts';
import { idPattern } from '../../lib/data/ids.ts';
import { languages } from '../../lib/format/language.ts';
import { type UserDocument, UserModel } from '../../models/identity/user.ts';
import { leaveDirectory } from './directory/directory.ts';
import { organizationPath, orgIdOfSlug } from './organizations.ts';
import { findStanding } from './suspension.ts';

export const memberPath = organizationPath.extend({ userId: pathId('usr') });

/**
 * A member as the organization sees them. `createdAt` is when they joined; an unset field is null. `suspendedAt`: since
 * when they are suspended; absent for others.
 */
export const memberOutput = z
  .strictObject({
    userId: z.string(),
    role: z.enum(systemRoles),
    email: z.string().nullable().describe('The address with which the member signs in; null if the account is gone.'),
    displayName: z.string().nullable(),
    suspendedAt: timestamp.optional().describe('When the membership was suspended; absent while it is in force.'),
    createdAt: timestamp.describe('When the member joined.'),
    updatedAt: timestamp,
  })
  .meta({ id: 'Member' });

export const exampleMember = {
  userId: exampleId('usr', 'grace'),
  role: 'member',
  email: 'grace@acme-bikes.example',
  displayName: 'Grace Hopper',
  createdAt: '2026-03-03T08:15:00.000Z',
  updatedAt: '2026-03-03T08:15:00.000Z',
} satisfies z.input<typeof memberOutput>;

type ShownUser = Pick<UserDocument, '_id' | 'email' | 'displayName' | 'language'>;

/** The users by id, with the fields that an organization may see. */
async function readUsers(userIds: string[]): Promise<Map<string, ShownUser>> {
  const users = await UserModel.find({ _id: { $in: userIds } }, { email: 1, displayName: 1, language: 1 }).lean<
    ShownUser[]
  >();
  return new Map(users.map((user) => [user._id, user]));
}

export function toMemberResponse(
  membership: MembershipEntry,
  user: ShownUser | undefined,
): z.output<typeof memberOutput> {
  const { userId, role, suspendedAt, createdAt, updatedAt } = membership;
  const { email = null, displayName = null } = user ?? {};
  const suspension = suspendedAt === null ? {} : { suspendedAt };
  return { userId, role, email, displayName, ...suspension, createdAt, updatedAt };
}

const userIdPattern = idPattern('usr');
/** A path may contain any text. */
export const isUserId = (text: string): boolean => userIdPattern.test(text);

/** A membership as it travels with the caller. */
export const membershipOutput = z.strictObject({
  orgId: z.string(),
  role: z.enum(systemRoles),
  extras: z.array(z.string()).optional(),
  isSuspended: z.literal(true).optional(),
  isSessionOld: z.literal(true).optional(),
}) satisfies z.ZodType<Membership>;

/** A membership as access control, which stores them all, returns it: times are ISO 8601 UTC. */
export type MembershipEntry = CallOutput<'access.memberships.list'>['memberships'][number];

/** A user's organizations with their rights there, the oldest organization first; suspended ones only on request. */
export async function membershipsOf(
  ctx: CallContext,
  userId: string,
  { withSuspended = false } = {},
): Promise<Membership[]> {
  const { memberships } = await call(ctx, 'access.memberships.of-user', { body: { userId, withSuspended } });
  return memberships.map(({ orgId, role, extras }) => {
    if (extras.length === 0) return { orgId, role };
    return { orgId, role, extras };
  });
}

/**
 * A user's memberships as their callers carry them, with marks where the organization is suspended or asks for a more
 * recent login. `loggedInAt`: when the user of a session logged in; access tokens have their own lifetime.
 */
export async function membershipsOfCaller(
  ctx: CallContext,
  userId: string,
  loggedInAt: Date | null = null,
): Promise<Membership[]> {
  const memberships = await membershipsOf(ctx, userId);
  const standings = await Promise.all(memberships.map(({ orgId }) => findStanding(orgId)));
  return memberships.map((one, place) => {
    const { suspension, maxSessionHours } = standings[place] ?? {};
    return {
      ...one,
      ...(suspension && { isSuspended: true as const }),
      ...(maxSessionHours && isOlder(loggedInAt, maxSessionHours) && { isSessionOld: true as const }),
    };
  });
}

const isOlder = (at: Date | null, hours: number): boolean => at !== null && at <= fromNow(-hours * hour);

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

/**
 * Throws unless the caller holds all permissions of a member by now: for acts on the member's account.
 *
 * @throws NOT_FOUND no such member; OWNER_REQUIRED or SCOPE_NOT_HELD for what the caller does not hold.
 */
export async function requireAuthorityOver(ctx: CallContext, orgId: string, userId: string): Promise<void> {
  if (!isUserId(userId)) throw noSuchMember();
  await call(ctx, 'access.memberships.require-authority', { body: { orgId, userId } });
}

export const noSuchMember = () => apiError('NOT_FOUND', { message: 'The organization has no such member.' });

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
  if (!isUserId(change.userId)) throw noSuchMember();
  return await call(ctx, 'access.memberships.change', { body: change });
}

/** GET /organizations/:slug/members: the members of the organization with their roles. */
export const listMembers = defineAction({
  rest: 'GET /organizations/:slug/members',
  summary: "List an organization's members",
  description: 'Returns the members of an organization with their built-in role, sorted by user id.',
  permission: 'console.orgs.read',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: organizationPath, query: z.strictObject(pageQuery) },
  output: pageOf(memberOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { slug: 'acme-bikes' },
    query: { limit: '20' },
    output: {
      data: [
        exampleMember,
        {
          userId: exampleId('usr'),
          role: 'owner',
          email: 'ada@acme-bikes.example',
          displayName: 'Ada Lovelace',
          createdAt: exampleInstant,
          updatedAt: exampleInstant,
        },
      ],
      nextCursor: null,
    },
  },
  async handler({ query, caller: { orgId }, ctx }) {
    const after = decodeCursor(query.cursor, 1)?.[0] ?? null;
    const memberships = await listMemberships(ctx, { orgId, after, limit: query.limit + 1 });
    const users = await readUsers(memberships.map(({ userId }) => userId));
    return toPage(
      memberships,
      query.limit,
      ({ userId }) => [userId],
      (membership) => toMemberResponse(membership, users.get(membership.userId)),
    );
  },
});

const queryConcurrency = 200;

/**
 * `identity.organizations.owners`, for services: the recipients of an organization's mails, with their addresses
 * and languages.
 * Suspended owners are none.
 */
export const listOwners = defineAction({
  summary: "List an organization's owners with their addresses",
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: z.string() }) },
  output: z.strictObject({
    owners: z.array(z.strictObject({ userId: z.string(), email: z.string(), language: z.enum(languages).nullable() })),
  }),
  async handler({ body: { orgId }, ctx }) {
    const owners: MembershipEntry[] = [];
    for (let after: string | null = null, isWhole = false; !isWhole; ) {
      const page: MembershipEntry[] = await listMemberships(ctx, {
        orgId,
        after,
        limit: queryConcurrency,
        role: 'owner',
      });
      owners.push(...page);
      after = page.at(-1)?.userId ?? null;
      isWhole = page.length < queryConcurrency;
    }
    const active = owners.filter(({ suspendedAt }) => suspendedAt === null);
    const users = await readUsers(active.map(({ userId }) => userId));
    return {
      owners: active.flatMap(({ userId }) => {
        const user = users.get(userId);
        return user ? [{ userId, email: user.email, language: user.language ?? null }] : [];
      }),
    };
  },
});

/**
 * DELETE /organizations/:slug/members/:userId: removes a member from the organization. It needs `console.orgs.write`
 * and all permissions of the member; but every user who is logged in may leave.
 */
export const removeMember = defineAction({
  rest: 'DELETE /organizations/:slug/members/:userId',
  summary: 'Remove a member, or leave',
  description:
    'Removes a member from the organization with all their roles. It needs `console.orgs.write` and every ' +
    'permission of the member; a signed-in user can always remove themselves, which is how they leave. The last ' +
    'owner cannot be removed (`LAST_OWNER`).',
  permission: 'authenticated',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: memberPath },
  output: z.void(),
  errors: ['NOT_FOUND', 'PERMISSION_DENIED', 'SCOPE_NOT_HELD', 'OWNER_REQUIRED', 'LAST_OWNER', 'CONFLICT'],
  example: { path: { slug: 'acme-bikes', userId: exampleMember.userId } },
  async handler({ path: { userId }, caller, ctx }) {
    const leaves = isSelf(caller, userId);
    if (!leaves) requirePermission(caller, 'console.orgs.write');
    const orgId = caller.orgId ?? '';
    const { before } = await changeMembership(ctx, { orgId, userId, role: null, isByCaller: !leaves });
    await recordAuditEvent(ctx, {
      action: leaves ? 'member.left' : 'member.removed',
      orgId,
      target: { type: 'user', id: userId },
      before: { role: before },
    });
    await leaveDirectory(ctx, orgId, userId);
  },
});

/** A client that acts for a user cannot leave for them: it needs the permission. */
function isSelf(caller: Caller, userId: string): boolean {
  return caller.type === 'user' && caller.id === userId && caller.sessionId !== undefined;
}

/**
 * PATCH /organizations/:slug/members/:userId: gives a member another role. The caller must hold all permissions of
 * both.
 */
export const updateMember = defineAction({
  rest: 'PATCH /organizations/:slug/members/:userId',
  summary: "Change a member's role",
  description:
    'Gives a member another built-in role. Your credential must hold all permissions of both roles; owners are ' +
    'made and changed by owners only (`OWNER_REQUIRED`). The last owner keeps the role (`LAST_OWNER`).',
  permission: 'console.orgs.write',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: memberPath, body: z.strictObject({ role: z.enum(systemRoles) }).meta({ id: 'MemberUpdateInput' }) },
  output: memberOutput,
  errors: ['NOT_FOUND', 'SCOPE_NOT_HELD', 'OWNER_REQUIRED', 'LAST_OWNER', 'CONFLICT'],
  example: {
    path: { slug: 'acme-bikes', userId: exampleMember.userId },
    body: { role: 'admin' },
    output: { ...exampleMember, role: 'admin', updatedAt: '2026-03-05T14:00:00.000Z' },
  },
  async handler({ path: { userId }, body: { role }, caller: { orgId }, ctx }) {
    const { before, isChanged } = await changeMembership(ctx, { orgId, userId, role, isByCaller: true });
    if (isChanged) {
      await recordAuditEvent(ctx, {
        action: 'member.updated',
        orgId,
        target: { type: 'user', id: userId },
        before: { role: before },
        after: { role },
      });
    }
    return await readMember(ctx, orgId, userId);
  },
});

/** A member as they are now; throws NOT_FOUND for others. */
export async function readMember(
  ctx: CallContext,
  orgId: string,
  userId: string,
): Promise<z.output<typeof memberOutput>> {
  const member = await findMembership(ctx, orgId, userId);
  if (!member) throw apiError('NOT_FOUND');
  return toMemberResponse(member, (await readUsers([userId])).get(userId));
}
