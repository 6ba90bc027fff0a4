import { z } from 'zod';
import { type CallContext, call } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { decodeCursor, pageOf, pageQuery, timestamp, toPage } from '../../../lib/contract/input.ts';
import { normalizeEmail } from '../../../lib/format/email-address.ts';
import { type OrganizationDocument, OrganizationModel } from '../../../models/identity/organization.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';
import { type Branded, brandedFields } from '../brand.ts';
import { organizationRole, toOrganizationRole } from '../me.ts';
import { nameOf } from '../users.ts';
import { placeOf, searchInput } from './search.ts';

const userOutput = z
  .strictObject({
    id: z.string(),
    email: z.string().describe('The address with which the user logs in.'),
    name: z.string().nullable().describe('The display name, otherwise first and last name; null without any.'),
    isOperator: z.boolean().describe('Whether the user operates the platform.'),
    lastLoginAt: timestamp.nullable().describe('When the user last signed in; null if never.'),
    createdAt: timestamp,
    organizations: z
      .array(organizationRole)
      .describe('The organizations of which the user is a member, suspended memberships included.'),
  })
  .meta({ id: 'OperatedUser' });

/**
 * GET /operator/users: all users, the newest first; with `search` the one with this id, or those whose login email
 * begins so, sorted by it. Each is a range of one index.
 */
export const listUsers = defineAction({
  rest: 'GET /operator/users',
  summary: 'List the users of the platform',
  description:
    'Returns all users with their organizations, the newest first. `search` is an id (`usr_…`) or the beginning of ' +
    'the address with which users log in, whose matches are sorted by address.',
  permission: 'operator',
  input: {
    query: z.strictObject({ ...pageQuery, search: searchInput.describe('An id, or the beginning of a login email.') }),
  },
  output: pageOf(userOutput),
  errors: ['CURSOR_INVALID'],
  example: {
    query: { limit: '20', search: 'ada@' },
    output: {
      data: [
        {
          id: exampleId('usr'),
          email: 'ada@acme-bikes.example',
          name: 'Ada Lovelace',
          isOperator: false,
          lastLoginAt: '2026-03-05T14:00:00.000Z',
          createdAt: exampleInstant,
          organizations: [{ id: exampleId('org'), slug: 'acme-bikes', name: 'Acme Bikes', role: 'owner' }],
        },
      ],
      nextCursor: null,
    },
  },
  async handler({ query: { search, limit, cursor }, ctx }) {
    const after = decodeCursor(cursor, 1)?.[0];
    const { filter, sort, by } = placeOf(search, after, { idPrefix: 'usr_', key: 'email', formOf: normalizeEmail });
    const found = await UserModel.find({ ...filter, status: 'active' })
      .sort(sort)
      .limit(limit + 1)
      .lean<UserDocument[]>();
    const organizations = await organizationsOf(ctx, found.slice(0, limit));
    return toPage(
      found,
      limit,
      (user) => [user[by]],
      (user) => toResponse(user, organizations.get(user._id) ?? []),
    );
  },
});

type Organizations = z.output<typeof userOutput>['organizations'];

/** The organizations of users, by user: one call reads the memberships of all, and one query the organizations. */
async function organizationsOf(ctx: CallContext, users: readonly UserDocument[]): Promise<Map<string, Organizations>> {
  const userIds = users.map(({ _id }) => _id);
  const { memberships } = await call(ctx, 'access.memberships.of-users', { body: { userIds, withSuspended: true } });
  const orgIds = [...new Set(Object.values(memberships).flatMap((list) => list.map(({ orgId }) => orgId)))];
  const listed = { name: 1, ...brandedFields } as const;
  const found = await OrganizationModel.find({ _id: { $in: orgIds }, status: 'active' }, listed).lean<
    (Pick<OrganizationDocument, '_id' | 'name'> & Branded)[]
  >();
  const byId = new Map(found.map((one) => [one._id, one]));
  return new Map(
    userIds.map((userId) => [
      userId,
      (memberships[userId] ?? []).flatMap(({ orgId, role }) => {
        const one = byId.get(orgId);
        return one ? [toOrganizationRole(one, role)] : [];
      }),
    ]),
  );
}

function toResponse(user: UserDocument, organizations: Organizations): z.output<typeof userOutput> {
  const { _id: id, email, isOperator = false, lastLoginAt, createdAt } = user;
  const times = { lastLoginAt: lastLoginAt?.toISOString() ?? null, createdAt: createdAt.toISOString() };
  return { id, email, name: nameOf(user), isOperator, ...times, organizations };
}

export const operatedUserActions = { 'operator.users.list': listUsers };
