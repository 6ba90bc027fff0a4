import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { now } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { exampleId } from '../../../lib/examples.ts';
import { decodeCursor, pageOf, pageQuery, toPage } from '../../../lib/page.ts';
import { pathText } from '../../../lib/path-text.ts';
import { permissionKey } from '../../../lib/permissions.ts';
import { orgOf } from '../granting.ts';

/**
 * GET /access/permissions/:key/users: every member who holds a permission, by id. The pages together omit no member.
 */
export const listUsersWithPermission = defineAction({
  rest: 'GET /access/permissions/:key/users',
  summary: 'List the members who hold a permission',
  permission: 'console.access.read',
  organization: ({ query }) => query.orgId,
  input: {
    path: z.strictObject({ key: pathText(permissionKey) }),
    query: z.strictObject({ ...pageQuery, orgId: z.string().optional() }),
  },
  output: pageOf(z.strictObject({ userId: z.string() })),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { key: 'shop.orders.refund' },
    query: { limit: '20', orgId: exampleId('org') },
    output: { data: [{ userId: exampleId('usr', 'grace') }], nextCursor: null },
  },
  async handler({ path: { key }, query: { limit, cursor }, caller: { orgId }, ctx }) {
    const after = decodeCursor(cursor, 1)?.[0] ?? null;
    const graph = orgOf(ctx, orgId);
    if (!graph.permission(key)) throw apiError('NOT_FOUND', { message: 'The organization has no such permission.' });
    const range = { after, limit: limit + 1 };
    const userIds = await graph.subjectsWithSliced(key, now().getTime(), 'user', range);
    return toPage(
      userIds,
      limit,
      (userId) => [userId],
      (userId) => ({ userId }),
    );
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.permissions.list-users': typeof listUsersWithPermission;
  }
}
