import { z } from 'zod';
import { systemRoles } from '../../lib/contract/authorize.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { timestamp } from '../../lib/contract/input.ts';
import { now } from '../../lib/data/clock.ts';
import { toInstant } from './assignments.ts';
import { requireAnswer, requireMemberships } from './decide.ts';
import { scopesIn } from './granting.ts';
import type { Membership } from './graph/org-graph.ts';
import { storeOf } from './store/access-store.ts';

export const idInput = z.string().min(1).max(256);
export const roleSchema = z.enum(systemRoles);

/** A membership as identity gets it; times are ISO 8601 UTC. `suspendedAt` is null while it is in force. */
const membershipOutput = z.strictObject({
  role: roleSchema,
  suspendedAt: timestamp.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

function toMembershipResponse({ role, suspendedAt, assignment }: Membership): z.output<typeof membershipOutput> {
  const { createdAt, updatedAt } = assignment;
  return {
    role,
    suspendedAt: toInstant(suspendedAt),
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
}

const membershipOfUser = z.strictObject({ orgId: z.string(), role: roleSchema, extras: z.array(z.string()) });

/**
 * `access.memberships.of-user`: a user's memberships, sorted by organization, with the platform permissions (`extras`)
 * that other roles give them there. Suspended ones only with `withSuspended`: they give no access. With `mayBeStale` a
 * node answers even if it may have missed changes.
 */
export const listMembershipsOfUser = defineAction({
  summary: 'List the memberships of a user',
  permission: 'internal',
  safe: true,
  input: {
    body: z.strictObject({
      userId: idInput,
      mayBeStale: z.boolean().default(false),
      withSuspended: z.boolean().default(false),
    }),
  },
  output: z.strictObject({ memberships: z.array(membershipOfUser) }),
  handler({ body: { userId, mayBeStale, withSuspended }, ctx }) {
    const store = storeOf(ctx);
    if (!mayBeStale) requireMemberships(store, userId);
    return { memberships: store.membershipsOf(userId, now().getTime(), withSuspended) };
  },
});

/** `access.memberships.of-users`: what {@link listMembershipsOfUser} answers, for a page of users, by user. */
export const listMembershipsOfUsers = defineAction({
  summary: 'List the memberships of users',
  permission: 'internal',
  safe: true,
  input: {
    body: z.strictObject({ userIds: z.array(idInput).max(100), withSuspended: z.boolean().default(false) }),
  },
  output: z.strictObject({ memberships: z.record(z.string(), z.array(membershipOfUser)) }),
  handler({ body: { userIds, withSuspended }, ctx }) {
    const store = storeOf(ctx);
    const at = now().getTime();
    const memberships = userIds.map((userId) => {
      requireMemberships(store, userId);
      return [userId, store.membershipsOf(userId, at, withSuspended)] as const;
    });
    return { memberships: Object.fromEntries(memberships) };
  },
});

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

/** `access.memberships.find`: the memberships of users in an organization; it omits users who are not members. */
export const findMemberships = defineAction({
  summary: 'Find the memberships of users in an organization',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: idInput, userIds: z.array(idInput).max(maxPageSize) }) },
  output: z.strictObject({ memberships: z.array(entry) }),
  handler({ body: { orgId, userIds }, ctx }) {
    const store = storeOf(ctx);
    requireAnswer(store, orgId);
    const graph = store.org(orgId);
    const memberships = userIds.flatMap((userId) => {
      const membership = graph?.membership(userId);
      return membership ? [{ userId, ...toMembershipResponse(membership) }] : [];
    });
    return { memberships };
  },
});

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
