import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { now } from '../../../lib/clock.ts';
import { requireMemberships } from '../checks/decide.ts';
import { storeOf } from '../store/access-store.ts';
import { idInput } from './memberships.ts';

/** `access.memberships.owned-alone`: the organizations that would have no owner without a user. */
export const listOwnedAlone = defineAction({
  summary: 'List the organizations of which a user is the only owner',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ userId: idInput }) },
  output: z.strictObject({ orgIds: z.array(z.string()) }),
  handler({ body: { userId }, ctx }) {
    const store = storeOf(ctx);
    requireMemberships(store, userId);
    const owned = store.membershipsOf(userId, now().getTime()).filter(({ role }) => role === 'owner');
    return { orgIds: owned.map(({ orgId }) => orgId).filter((orgId) => store.org(orgId)?.owners() === 1) };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.memberships.owned-alone': typeof listOwnedAlone;
  }
}
