import { z } from 'zod';
import { type CallContext, call } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError, inputError } from '../../lib/contract/errors.ts';
import { exampleId } from '../../lib/contract/examples.ts';
import { decodeCursor, type Page, pageOf, pageQuery, pathId, singleLine, toPage } from '../../lib/contract/input.ts';
import { type UserDocument, UserModel } from '../../models/identity/user.ts';
import { leaveDirectory } from './directory/directory.ts';
import { type DirectoryPage, isShownBy, readByKey, readByLastLogin } from './directory/read-directory.ts';
import { searchTermOf } from './directory/search-keys.ts';
import { findMembership, isUserId, listMemberships, type MembershipEntry } from './members.ts';
import { exampleMember, exampleProfile, memberOutput, toMemberResponse } from './users.ts';

type ShownUser = z.output<typeof memberOutput>;

const orders = { asc: 1, desc: -1 } as const;

/** The query of GET /identity/users. */
const listQuery = z.strictObject({
  ...pageQuery,
  orgId: z.string().optional().describe('The id of the organization; by default the one of the credential.'),
  search: singleLine(200)
    .optional()
    .describe('An id, an email address, a phone number, or the beginning of a name. Not with `sort` and `order`.'),
  sort: z
    .enum(['createdAt', 'lastLoginAt'])
    .optional()
    .describe('The time by which the list is sorted; by default `createdAt`, when the member joined.'),
  order: z.enum(['asc', 'desc']).optional().describe('The direction; by default `desc`, the latest first.'),
});

/** Throws INPUT_INVALID for a search with an order: it has the order of what it finds. */
function rejectOrderOfSearch({
  search,
  ...query
}: Pick<z.output<typeof listQuery>, 'search' | 'sort' | 'order'>): void {
  if (search === undefined) return;
  const details = (['sort', 'order'] as const).flatMap((name) =>
    query[name] === undefined ? [] : [{ path: `query.${name}`, message: 'A search has the order of what it finds.' }],
  );
  if (details.length > 0) throw inputError(details);
}

/**
 * GET /identity/users: the members of the organization `orgId`, or of the caller's where the query names none, the
 * newest first, or as `sort` and `order` say. `search` finds them by their id, email address or telephone number, or by
 * the beginning of a word of their name or of the address they log in with; case and accents do not count. It is
 * answered by index ranges, in the order of what was found. A page can be shorter than its limit.
 */
export const listUsers = defineAction({
  rest: 'GET /identity/users',
  summary: "List an organization's users, or search them",
  description:
    "Returns the profiles of an organization's members, the newest member first. Without `orgId` it is the " +
    'organization of the credential. A user who is being deleted is omitted, so a page can be shorter than `limit`.',
  permission: 'console.users.read',
  organization: ({ query }) => query.orgId,
  input: { query: listQuery },
  output: pageOf(memberOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    query: { limit: '20', orgId: exampleId('org') },
    output: {
      data: [
        {
          ...exampleMember,
          ...exampleProfile,
          id: exampleId('usr'),
          email: 'ada@acme-bikes.example',
          role: 'owner',
        },
        exampleMember,
      ],
      nextCursor: null,
    },
  },
  async handler({ query, caller: { orgId }, ctx }) {
    rejectOrderOfSearch(query);
    const { search, sort = 'createdAt', order = 'desc' } = query;
    const page = { orgId, limit: query.limit, cursor: query.cursor };
    if (search !== undefined) return await searchUsers(ctx, page, search);
    if (sort === 'createdAt') return await listByCreation(ctx, page, order === 'desc');
    const { data, nextCursor } = await readByLastLogin(page, orders[order]);
    return { data: await show(ctx, orgId, data), nextCursor };
  },
});

/** Ids begin with their time of creation. */
async function listByCreation(
  ctx: CallContext,
  { orgId, limit, cursor }: DirectoryPage,
  newestFirst: boolean,
): Promise<Page<ShownUser>> {
  const after = decodeCursor(cursor, 1)?.[0] ?? null;
  const memberships = await listMemberships(ctx, { orgId, after, limit: limit + 1, newestFirst });
  const { data, nextCursor } = toPage(
    memberships,
    limit,
    ({ userId }) => [userId],
    (membership) => membership,
  );
  const users = await readUsers(data);
  // Omits a user who is being deleted.
  const shown = data.flatMap((membership) => {
    const user = users.get(membership.userId);
    return user ? [toMemberResponse(user, membership)] : [];
  });
  return { data: shown, nextCursor };
}

async function searchUsers(ctx: CallContext, page: DirectoryPage, search: string): Promise<Page<ShownUser>> {
  const { orgId, cursor } = page;
  if (isUserId(search)) {
    decodeCursor(cursor, 3);
    return { data: cursor === undefined ? await show(ctx, orgId, [{ userId: search }]) : [], nextCursor: null };
  }
  const term = searchTermOf(search);
  // Only marks, of which nothing is searched.
  if (term.text === '') return { data: [], nextCursor: null };
  const { data, nextCursor } = await readByKey(page, term);
  const shown = await show(ctx, orgId, data, ({ key }, user) => isShownBy(term, key, user));
  return { data: shown, nextCursor };
}

/** The rows' users who are members, in the order of the rows, each row that `isShown` accepts. */
async function show<Row extends { userId: string }>(
  ctx: CallContext,
  orgId: string,
  rows: Row[],
  isShown: (row: Row, user: UserDocument) => boolean = () => true,
): Promise<ShownUser[]> {
  const userIds = [...new Set(rows.map(({ userId }) => userId))];
  const [{ memberships }, users] = await Promise.all([
    call(ctx, 'access.memberships.find', { body: { orgId, userIds } }),
    readUsers(rows),
  ]);
  const members = new Map(memberships.map((membership) => [membership.userId, membership]));
  void removeFormer(
    ctx,
    orgId,
    userIds.filter((userId) => !members.has(userId)),
  );
  return rows.flatMap((row) => {
    const [user, membership] = [users.get(row.userId), members.get(row.userId)];
    return user && membership && isShown(row, user) ? [toMemberResponse(user, membership)] : [];
  });
}

/** Removes the entries of users whose membership ended in access alone. The next reader repeats a failed removal. */
async function removeFormer(ctx: CallContext, orgId: string, userIds: string[]): Promise<void> {
  for (const userId of userIds) await leaveDirectory(ctx, orgId, userId).catch(() => undefined);
}

async function readUsers(rows: { userId: string }[]): Promise<Map<string, UserDocument>> {
  const ids = rows.map(({ userId }) => userId);
  const users = await UserModel.find({ _id: { $in: ids }, status: 'active' }).lean<UserDocument[]>();
  return new Map(users.map((user) => [user._id, user]));
}

/** GET /identity/users/:userId: a member of the organization; 404 for all others, existing or not. */
export const readUser = defineAction({
  rest: 'GET /identity/users/:userId',
  summary: 'Read a user of your organization',
  description:
    'Returns the profile of a member of your organization. Every other user is `NOT_FOUND`, whether or not they ' +
    'exist.',
  permission: 'console.users.read',
  organization: ({ query }) => query.orgId,
  input: {
    path: z.strictObject({ userId: pathId('usr') }),
    query: z.strictObject({ orgId: z.string().optional() }),
  },
  output: memberOutput,
  errors: ['NOT_FOUND'],
  example: { path: { userId: exampleMember.id }, query: {}, output: exampleMember },
  async handler({ path: { userId }, caller: { orgId }, ctx }) {
    const { user, membership } = await findMember(ctx, orgId, userId);
    return toMemberResponse(user, membership);
  },
});

/** A member of an organization; throws NOT_FOUND for all others, existing or not. */
export async function findMember(
  ctx: CallContext,
  orgId: string,
  userId: string,
): Promise<{ user: UserDocument; membership: MembershipEntry }> {
  const [membership, user] = await Promise.all([
    findMembership(ctx, orgId, userId),
    UserModel.findOne({ _id: userId, status: 'active' }).lean<UserDocument>(),
  ]);
  if (!membership || !user) throw apiError('NOT_FOUND', { message: 'There is no such user in your organization.' });
  return { user, membership };
}
