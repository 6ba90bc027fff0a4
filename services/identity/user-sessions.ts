import { z } from 'zod';
import type { Caller } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId } from '../../lib/contract/examples.ts';
import { pageOf, pageQuery, pathId } from '../../lib/contract/input.ts';
import { requireAuthorityOver } from './members.ts';
import { endSessions, exampleSession, pageOfSessions, sessionOutput } from './sessions.ts';
import { findMember } from './users.actions.ts';
import { exampleMember } from './users.ts';

const userPath = z.strictObject({ userId: pathId('usr') });
const orgQuery = { orgId: z.string().optional() };

const currentIdOf = (caller: Caller): string | undefined => (caller.type === 'user' ? caller.sessionId : undefined);

/** GET /identity/users/:userId/sessions: where a member of the organization is logged in, the newest login first. */
export const listUserSessions = defineAction({
  rest: 'GET /identity/users/:userId/sessions',
  summary: "List a user's sessions",
  description: 'Returns the browsers in which a member is signed in, the newest login first.',
  permission: 'console.users.read',
  organization: ({ query }) => query.orgId,
  input: { path: userPath, query: z.strictObject({ ...pageQuery, ...orgQuery }) },
  output: pageOf(sessionOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { userId: exampleMember.id },
    query: { limit: '20', orgId: exampleId('org') },
    output: { data: [{ ...exampleSession, current: false }], nextCursor: null },
  },
  async handler({ path: { userId }, query, caller, ctx }) {
    await findMember(ctx, caller.orgId, userId);
    return await pageOfSessions(userId, query, currentIdOf(caller));
  },
});

/**
 * DELETE /identity/users/:userId/sessions: logs a member out everywhere. They can log in again, so they keep their access to
 * other organizations. The caller must hold all permissions of the member.
 */
export const revokeUserSessions = defineAction({
  rest: 'DELETE /identity/users/:userId/sessions',
  summary: 'End all sessions of a user',
  description:
    'Signs a member out of all browsers; they can sign in again. Your credential must hold all permissions of the ' +
    'member. Without sessions it changes nothing.',
  permission: 'console.users.write',
  organization: ({ query }) => query.orgId,
  input: { path: userPath, query: z.strictObject(orgQuery) },
  output: z.void(),
  errors: ['NOT_FOUND', 'SCOPE_NOT_HELD', 'OWNER_REQUIRED'],
  example: { path: { userId: exampleMember.id }, query: { orgId: exampleId('org') } },
  async handler({ path: { userId }, caller: { orgId }, ctx }) {
    await requireAuthorityOver(ctx, orgId, userId);
    await endSessions(ctx, { userId }, orgId);
  },
});

/** DELETE /identity/users/:userId/sessions/:sessionId: ends one session of a member, as {@link revokeUserSessions}. */
export const revokeUserSession = defineAction({
  rest: 'DELETE /identity/users/:userId/sessions/:sessionId',
  summary: 'End a session of a user',
  description:
    'Ends one session of a member; they can sign in again. Your credential must hold all permissions of the ' +
    'member. A session that has ended is `NOT_FOUND`.',
  permission: 'console.users.write',
  organization: ({ query }) => query.orgId,
  input: {
    path: userPath.extend({ sessionId: pathId('ses').describe('The id of the session (`ses_…`).') }),
    query: z.strictObject(orgQuery),
  },
  output: z.void(),
  errors: ['NOT_FOUND', 'SCOPE_NOT_HELD', 'OWNER_REQUIRED'],
  example: {
    path: { userId: exampleMember.id, sessionId: exampleId('ses') },
    query: { orgId: exampleId('org') },
  },
  async handler({ path: { userId, sessionId }, caller: { orgId }, ctx }) {
    await requireAuthorityOver(ctx, orgId, userId);
    const ended = await endSessions(ctx, { userId, sessionId }, orgId);
    if (ended === 0) throw apiError('NOT_FOUND', { message: 'The user has no such session, or it has ended already.' });
  },
});
