import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { requireAnswer } from '../checks/decide.ts';
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.memberships.read': typeof readMembership;
  }
}
