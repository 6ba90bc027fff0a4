import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { fail } from '../../../lib/errors.ts';
import { requireAnswer } from '../checks/decide.ts';
import { scopesIn } from '../granting.ts';
import { storeOf } from '../store/access-store.ts';
import { idInput, membershipOutput, showMembership } from './memberships.ts';

/** `access.memberships.read`: what a user is in an organization; null when they are no member. */
export const readMembership = defineAction({
  summary: 'Read a membership',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: idInput, userId: idInput }) },
  output: z.strictObject({ membership: membershipOutput.nullable() }),
  handler({ body: { orgId, userId }, ctx }) {
    const store = storeOf(ctx);
    requireAnswer(store, orgId);
    const membership = store.org(orgId)?.membership(userId);
    return { membership: membership ? showMembership(membership) : null };
  },
});

/**
 * `access.callers.scopes`, for what a caller makes that outlives the request, such as an API key: what the caller may do
 * in an organization by the newest log, and not by what a gateway or this node remembers.
 *
 * @throws NOT_FOUND the organization is unknown or closed; UNAVAILABLE.
 */
export const readCallerScopes = defineAction({
  summary: 'Read what the caller may do now',
  permission: 'authenticated',
  input: { body: z.strictObject({ orgId: idInput }) },
  output: z.strictObject({ scopes: z.array(z.string()) }),
  errors: ['NOT_FOUND'],
  async handler({ body: { orgId }, caller, ctx }) {
    const graph = await storeOf(ctx).newest(orgId);
    if (!graph) throw fail('NOT_FOUND');
    return { scopes: scopesIn(graph, caller) };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.memberships.read': typeof readMembership;
    'access.callers.scopes': typeof readCallerScopes;
  }
}
