import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { decodeCursor, pageOf, pageQuery, toPage } from '../../../lib/page.ts';
import { exampleMember, memberOutput, readUsers, toMemberResponse } from './members.ts';
import { listMemberships } from './memberships.ts';
import { organizationPath, orgIdOfSlug } from './organizations.ts';

/** GET /organizations/:slug/members: the members of the organization with their roles. */
export const listMembers = defineAction({
  rest: 'GET /organizations/:slug/members',
  summary: "List an organization's members",
  permission: 'console.orgs.read',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: organizationPath, query: z.strictObject(pageQuery) },
  output: pageOf(memberOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { slug: 'acme-bikes' },
    query: { limit: '20' },
    output: {
      data: [
        exampleMember,
        {
          userId: exampleId('usr'),
          role: 'owner',
          email: 'ada@acme-bikes.example',
          displayName: 'Ada Lovelace',
          createdAt: exampleInstant,
          updatedAt: exampleInstant,
        },
      ],
      nextCursor: null,
    },
  },
  async handler({ query, caller: { orgId }, ctx }) {
    const after = decodeCursor(query.cursor, 1)?.[0] ?? null;
    const memberships = await listMemberships(ctx, { orgId, after, limit: query.limit + 1 });
    const users = await readUsers(memberships.map(({ userId }) => userId));
    return toPage(
      memberships,
      query.limit,
      ({ userId }) => [userId],
      (membership) => toMemberResponse(membership, users.get(membership.userId)),
    );
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.members.list': typeof listMembers;
  }
}
