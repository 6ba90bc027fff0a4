import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { now } from '../../../lib/clock.ts';
import { requireMemberships } from '../checks/decide.ts';
import { storeOf } from '../store/access-store.ts';
import { idInput, roleSchema } from './memberships.ts';

/**
 * `access.memberships.of-user`: a user's memberships, sorted by organization, with the platform permissions (`extras`)
 * that other roles give them there. With `mayBeStale` a node answers even if it may have missed changes.
 */
export const listMembershipsOfUser = defineAction({
  summary: 'List the memberships of a user',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ userId: idInput, mayBeStale: z.boolean().default(false) }) },
  output: z.strictObject({
    memberships: z.array(z.strictObject({ orgId: z.string(), role: roleSchema, extras: z.array(z.string()) })),
  }),
  handler({ body: { userId, mayBeStale }, ctx }) {
    const store = storeOf(ctx);
    if (!mayBeStale) requireMemberships(store, userId);
    return { memberships: store.membershipsOf(userId, now().getTime()) };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.memberships.of-user': typeof listMembershipsOfUser;
  }
}
