import { z } from 'zod';
import { defineAction } from '../../lib/contract/define-action.ts';
import { isError } from '../../lib/contract/errors.ts';
import type { OrgGraph } from './graph/org-graph.ts';
import { idInput } from './memberships.ts';
import { storeOf } from './store/access-store.ts';

/** A little less than the caller's timeout. */
export const maxWait = 240;

/** `access.graph.reach`: waits until this node has a revision of an organization; returns whether it has. */
export const waitForRevision = defineAction({
  summary: 'Know a revision of an organization',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: idInput, revision: z.int().min(1) }) },
  output: z.strictObject({ reached: z.boolean() }),
  async handler({ body: { orgId, revision }, ctx }) {
    return { reached: await storeOf(ctx).reach(orgId, revision, maxWait) };
  },
});

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

/**
 * `access.organizations.erase`: removes the data of a closed organization. Works in parts: call it until it is complete.
 */
export const eraseOrganization = defineAction({
  summary: 'Erase the access of a closed organization',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: idInput }) },
  output: z.strictObject({ isComplete: z.boolean() }),
  async handler({ body: { orgId }, ctx }) {
    return { isComplete: await storeOf(ctx).erase(orgId) };
  },
});

/** `access.organizations.sizes`: the number of members of each organization, without those that do not exist. */
export const countMembers = defineAction({
  summary: 'Count the members of organizations',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgIds: z.array(idInput).max(100) }) },
  output: z.strictObject({ members: z.record(z.string(), z.int()) }),
  handler({ body: { orgIds }, ctx }) {
    const store = storeOf(ctx);
    const sizes = orgIds.flatMap((orgId) => {
      const size = store.org(orgId)?.sizes().members;
      return size === undefined ? [] : [[orgId, size] as const];
    });
    return { members: Object.fromEntries(sizes) };
  },
});

/** `access.organizations.found`: creates an organization's access with its first owner. Idempotent. */
export const initializeOrganization = defineAction({
  summary: 'Begin the access of an organization',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: idInput, userId: idInput }) },
  output: z.strictObject({ revision: z.int() }),
  errors: ['CONFLICT'],
  handler: ({ body: { orgId, userId }, ctx }) => storeOf(ctx).found(ctx, orgId, userId),
});
