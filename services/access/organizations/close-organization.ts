import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { isError } from '../../../lib/errors.ts';
import type { OrgGraph } from '../graph/org-graph.ts';
import { idInput } from '../memberships/memberships.ts';
import { storeOf } from '../store/access-store.ts';

/**
 * The maximum of ids that fit into a message between nodes. The event makes gateways drop their cache of these members.
 */
const maxNamed = 10_000;

/**
 * `access.organizations.close`: ends all memberships and assignments of an organization for good. Answers the users
 * whose memberships ended, the first ten thousand by id; none when it is closed already.
 */
export const closeOrganization = defineAction({
  summary: 'End the access of an organization',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: idInput }) },
  output: z.strictObject({ userIds: z.array(z.string()) }),
  errors: ['CONFLICT'],
  async handler({ body: { orgId }, ctx }) {
    const closing = storeOf(ctx).change(ctx, orgId, (graph) => ({
      change: { kind: 'closed' },
      result: namesOf(graph),
    }));
    return await closing.then(
      ({ result }) => ({ userIds: result }),
      (error) => {
        if (isError(error, 'NOT_FOUND')) return { userIds: [] };
        throw error;
      },
    );
  },
});

function namesOf(graph: OrgGraph): string[] {
  const userIds: string[] = [];
  for (const { userId } of graph.members()) {
    if (userIds.push(userId) === maxNamed) break;
  }
  return userIds;
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.organizations.close': typeof closeOrganization;
  }
}
