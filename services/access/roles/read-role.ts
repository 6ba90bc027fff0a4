import { defineAction } from '../../../lib/action.ts';
import { orgOf, revisionHeaders } from '../granting.ts';
import { exampleRole, findRole, roleOutput, rolePath, toRoleResponse } from './roles.ts';

/** GET /access/roles/:id: one role; its ETag is for If-Match. */
export const readRole = defineAction({
  rest: 'GET /access/roles/:id',
  summary: 'Read a role',
  permission: 'console.access.read',
  input: { path: rolePath },
  output: roleOutput,
  errors: ['NOT_FOUND'],
  example: { path: { id: exampleRole.id }, output: exampleRole },
  handler({ path: { id }, caller: { orgId }, ctx }) {
    const graph = orgOf(ctx, orgId);
    const role = findRole(graph, id);
    revisionHeaders(ctx, graph.revision, role.revision);
    return toRoleResponse(role);
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.roles.read': typeof readRole;
  }
}
