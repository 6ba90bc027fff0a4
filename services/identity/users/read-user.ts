import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { apiError } from '../../../lib/errors.ts';
import { pathId } from '../../../lib/path-text.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';
import { findMembership } from '../organizations/memberships.ts';
import { exampleMember, memberOutput, toMemberResponse } from './member-output.ts';

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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.users.read': typeof readUser;
  }
}
