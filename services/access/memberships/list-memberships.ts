import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { systemRoles } from '../../../lib/roles.ts';
import { requireAnswer } from '../checks/decide.ts';
import { storeOf } from '../store/access-store.ts';
import { idInput, membershipOutput, toMembershipResponse } from './memberships.ts';

const maxPageSize = 1000;
const entry = membershipOutput.extend({ userId: z.string() });

/**
 * `access.memberships.list`: the members of an organization after one of them, sorted by user id; with `newestFirst` in
 * the other direction, for later ids sort after earlier ones. With `role`, only those who have it.
 */
export const listMemberships = defineAction({
  summary: 'List the memberships of an organization',
  permission: 'internal',
  safe: true,
  input: {
    body: z.strictObject({
      orgId: idInput,
      after: z.string().nullable(),
      limit: z.int().min(1).max(maxPageSize),
      newestFirst: z.boolean().default(false),
      role: z.enum(systemRoles).optional(),
    }),
  },
  output: z.strictObject({
    memberships: z.array(entry),
    more: z.boolean(),
  }),
  handler({ body: { orgId, after, limit, newestFirst, role }, ctx }) {
    const store = storeOf(ctx);
    requireAnswer(store, orgId);
    const memberships: z.output<typeof entry>[] = [];
    for (const member of store.org(orgId)?.members(after, newestFirst) ?? []) {
      if (role && member.role !== role) continue;
      if (memberships.length === limit) return { memberships, more: true };
      memberships.push({ userId: member.userId, ...toMembershipResponse(member) });
    }
    return { memberships, more: false };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.memberships.list': typeof listMemberships;
  }
}
