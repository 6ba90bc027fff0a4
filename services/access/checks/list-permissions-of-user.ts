import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { now } from '../../../lib/clock.ts';
import { exampleId } from '../../../lib/examples.ts';
import { decodeCursor, encodeCursor, pageOf, pageQuery, toPage } from '../../../lib/page.ts';
import { pathId } from '../../../lib/path-text.ts';
import { requireMember } from '../assignments/assignments.ts';
import { orgOf } from '../granting.ts';

/** GET /access/users/:userId/permissions: all permissions of a member by roles, including the platform's own. */
export const listPermissionsOfUser = defineAction({
  rest: 'GET /access/users/:userId/permissions',
  summary: "List a member's permissions",
  permission: 'console.access.read',
  organization: ({ query }) => query.orgId,
  input: {
    path: z.strictObject({ userId: pathId('usr') }),
    query: z.strictObject({ ...pageQuery, orgId: z.string().optional() }),
  },
  output: pageOf(z.strictObject({ key: z.string() })),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { userId: exampleId('usr', 'grace') },
    query: { limit: '3', orgId: exampleId('org') },
    output: {
      data: [{ key: 'access.check' }, { key: 'billing.read' }, { key: 'connect.read' }],
      nextCursor: encodeCursor(['connect.read']),
    },
  },
  handler({ path: { userId }, query: { limit, cursor }, caller: { orgId }, ctx }) {
    const after = decodeCursor(cursor, 1)?.[0] ?? '';
    const graph = orgOf(ctx, orgId);
    requireMember(graph, userId);
    const keys = graph.permissionsOf(userId, now().getTime()).filter((key) => key > after);
    return toPage(
      keys.slice(0, limit + 1),
      limit,
      (key) => [key],
      (key) => ({ key }),
    );
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.users.list-permissions': typeof listPermissionsOfUser;
  }
}
