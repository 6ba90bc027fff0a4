import { z } from 'zod';
import type { Caller } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { requireAuthorityOver, requireOrgsWrite, requireOtherOwner } from './change-membership.ts';
import type { Membership, OrgGraph } from './graph/org-graph.ts';
import { idInput } from './memberships.ts';
import { type Decision, storeOf } from './store/access-store.ts';

const suspensionInput = z.strictObject({ orgId: idInput, userId: idInput, isSuspended: z.boolean() });

/**
 * `access.memberships.suspend`: puts all assignments of a member out of force, or back into force. The caller needs
 * `console.orgs.write` and all permissions of the member, as to remove them.
 */
export const suspendMembership = defineAction({
  summary: 'Suspend a membership, or restore it',
  permission: 'internal',
  input: { body: suspensionInput },
  output: z.strictObject({ isChanged: z.boolean() }),
  errors: [
    'NOT_FOUND',
    'PERMISSION_DENIED',
    'OWNER_REQUIRED',
    'SCOPE_NOT_HELD',
    'OWN_MEMBERSHIP',
    'LAST_OWNER',
    'CONFLICT',
  ],
  async handler({ body, caller, ctx }) {
    if (!caller) throw apiError('CREDENTIAL_REQUIRED');
    const { isChanged } = await storeOf(ctx).change(ctx, body.orgId, (graph) => decide(graph, caller, body));
    return { isChanged };
  },
});

type Suspension = z.output<typeof suspensionInput>;

function decide(graph: OrgGraph, caller: Caller, { userId, isSuspended }: Suspension): Decision<null> {
  requireOrgsWrite(graph, caller);
  const membership = findMembership(graph, userId);
  if (caller.type === 'user' && caller.id === userId) throw apiError('OWN_MEMBERSHIP');
  requireAuthorityOver(graph, caller, membership);
  if (isSuspended === (membership.suspendedAt !== null)) return { change: null, result: null };
  if (isSuspended) requireOtherOwner(graph, { subject: userId, before: membership.role, after: null });
  return { change: { kind: isSuspended ? 'memberSuspended' : 'memberRestored', subject: userId }, result: null };
}

/**
 * `access.memberships.require-authority`: refuses unless the caller holds all permissions of a member, by the newest
 * log: for acts on a member's account, such as ending their sessions.
 */
export const requireAuthority = defineAction({
  summary: 'Refuse unless the caller holds all permissions of a member',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: idInput, userId: idInput }) },
  output: z.strictObject({}),
  errors: ['NOT_FOUND', 'OWNER_REQUIRED', 'SCOPE_NOT_HELD'],
  async handler({ body: { orgId, userId }, caller, ctx }) {
    if (!caller) throw apiError('CREDENTIAL_REQUIRED');
    const graph = await storeOf(ctx).newest(orgId);
    if (!graph) throw apiError('NOT_FOUND');
    requireAuthorityOver(graph, caller, findMembership(graph, userId));
    return {};
  },
});

function findMembership(graph: OrgGraph, userId: string): Membership {
  const membership = graph.membership(userId);
  if (!membership) throw apiError('NOT_FOUND', { message: 'The organization has no such member.' });
  return membership;
}
