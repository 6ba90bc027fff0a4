import { z } from 'zod';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId } from '../../lib/contract/examples.ts';
import { decodeCursor, pageOf, pageQuery, pathId, toPage } from '../../lib/contract/input.ts';
import { type UserDocument, UserModel } from '../../models/identity/user.ts';
import { findMembership, listMemberships, type MembershipEntry } from './members.ts';
import { exampleMember, exampleProfile, memberOutput, toMemberResponse } from './users.ts';

/**
 * GET /identity/users: the members of the organization `orgId`, or of the caller's where the query names none, the
 * newest first.
 */
export const listUsers = defineAction({
  rest: 'GET /identity/users',
  summary: "List an organization's users",
  permission: 'console.users.read',
  organization: ({ query }) => query.orgId,
  input: { query: z.strictObject({ ...pageQuery, orgId: z.string().optional() }) },
  output: pageOf(memberOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    query: { limit: '20', orgId: exampleId('org') },
    output: {
      data: [
        {
          ...exampleMember,
          ...exampleProfile,
          id: exampleId('usr'),
          email: 'ada@acme-bikes.example',
          role: 'owner',
        },
        exampleMember,
      ],
      nextCursor: null,
    },
  },
  async handler({ query, caller: { orgId }, ctx }) {
    const after = decodeCursor(query.cursor, 1)?.[0] ?? null;
    const memberships = await listMemberships(ctx, { orgId, after, limit: query.limit + 1, newestFirst: true });
    const users = await readUsers(memberships);
    const { data, nextCursor } = toPage(
      memberships,
      query.limit,
      ({ userId }) => [userId],
      (membership) => membership,
    );
    // Omits a user who is being deleted, so that a page can be shorter than its limit.
    const shown = data.flatMap((membership) => {
      const user = users.get(membership.userId);
      return user ? [toMemberResponse(user, membership.role)] : [];
    });
    return { data: shown, nextCursor };
  },
});

async function readUsers(memberships: MembershipEntry[]): Promise<Map<string, UserDocument>> {
  const ids = memberships.map(({ userId }) => userId);
  const users = await UserModel.find({ _id: { $in: ids }, status: 'active' }).lean<UserDocument[]>();
  return new Map(users.map((user) => [user._id, user]));
}

/** GET /identity/users/:userId: a member of the caller's organization; 404 for all others, existing or not. */
export const readUser = defineAction({
  rest: 'GET /identity/users/:userId',
  summary: 'Read a user of your organization',
  permission: 'console.users.read',
  input: { path: z.strictObject({ userId: pathId('usr') }) },
  output: memberOutput,
  errors: ['NOT_FOUND'],
  example: { path: { userId: exampleMember.id }, output: exampleMember },
  async handler({ path: { userId }, caller: { orgId }, ctx }) {
    const [membership, user] = await Promise.all([
      findMembership(ctx, orgId, userId),
      UserModel.findOne({ _id: userId, status: 'active' }).lean<UserDocument>(),
    ]);
    if (!membership || !user) throw apiError('NOT_FOUND', { message: 'There is no such user in your organization.' });
    return toMemberResponse(user, membership.role);
  },
});
