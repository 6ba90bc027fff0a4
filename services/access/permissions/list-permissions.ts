import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { decodeCursor, pageOf, pageQuery, toPage } from '../../../lib/page.ts';
import { namespaceOf } from '../../../lib/permissions.ts';
import { orgOf } from '../granting.ts';
import { examplePermissions, permissionOutput, toPermissionsResponse } from './permissions.ts';

/** GET /access/permissions: the platform's and the organization's permissions by key, optionally of one namespace. */
export const listPermissions = defineAction({
  rest: 'GET /access/permissions',
  summary: 'List permissions',
  permission: 'console.access.read',
  input: { query: z.strictObject({ ...pageQuery, namespace: z.string().min(1).max(128).optional() }) },
  output: pageOf(permissionOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    query: { limit: '20', namespace: 'shop' },
    output: { data: examplePermissions, nextCursor: null },
  },
  async handler({ query: { limit, cursor, namespace }, caller: { orgId }, ctx }) {
    const after = decodeCursor(cursor, 1)?.[0] ?? '';
    const permissions = orgOf(ctx, orgId)
      .permissions()
      .filter(({ key }) => key > after && (namespace === undefined || namespaceOf(key) === namespace));
    const shown = await toPermissionsResponse(orgId, permissions.slice(0, limit + 1));
    return toPage(
      shown,
      limit,
      ({ key }) => [key],
      (permission) => permission,
    );
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.permissions.list': typeof listPermissions;
  }
}
