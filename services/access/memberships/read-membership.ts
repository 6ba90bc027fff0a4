import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { apiError } from '../../../lib/errors.ts';
import { requireAnswer } from '../checks/decide.ts';
import { scopesIn } from '../granting.ts';
import { storeOf } from '../store/access-store.ts';
import { idInput, membershipOutput, toMembershipResponse } from './memberships.ts';

/** `access.memberships.read`: a user's role in an organization; null when they are not a member. */
export const readMembership = defineAction({
  summary: 'Read a membership',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: idInput, userId: idInput }) },
  output: z.strictObject({ membership: membershipOutput.nullable() }),
  handler({ body: { orgId, userId }, ctx }) {
    const store = storeOf(ctx);
    requireAnswer(store, orgId);
    const membership = store.org(orgId)?.membership(userId);
    return { membership: membership ? toMembershipResponse(membership) : null };
  },
});

/**
 * `access.callers.scopes`, for what a caller creates that outlives the request, such as an API key: the caller's scopes
 * in an organization by the newest log, not by the cache of a gateway or of this node.
 *
 * @throws NOT_FOUND the organization is unknown or closed; UNAVAILABLE.
 */
export const readCallerScopes = defineAction({
  summary: "Read the caller's present scopes",
  permission: 'authenticated',
  input: { body: z.strictObject({ orgId: idInput }) },
  output: z.strictObject({ scopes: z.array(z.string()) }),
  errors: ['NOT_FOUND'],
  async handler({ body: { orgId }, caller, ctx }) {
    const graph = await storeOf(ctx).newest(orgId);
    if (!graph) throw apiError('NOT_FOUND');
    return { scopes: scopesIn(graph, caller) };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.memberships.read': typeof readMembership;
    'access.callers.scopes': typeof readCallerScopes;
  }
}
