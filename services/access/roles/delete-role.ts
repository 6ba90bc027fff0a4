import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { exampleId } from '../../../lib/examples.ts';
import { requireCurrentPermission, requireGrantable, revisionHeaders } from '../granting.ts';
import { storeOf } from '../store/access-store.ts';
import { describeRole } from './acts.ts';
import { ifMatchHeaders, requireMatch } from './if-match.ts';
import { findOwnRole, rolePath } from './roles.ts';

/** DELETE /access/roles/:id: deletes a role with its assignments, and removes it from roles that include it. */
export const deleteRole = defineAction({
  rest: 'DELETE /access/roles/:id',
  summary: 'Delete a role',
  permission: 'console.access.write',
  input: { path: rolePath, headers: ifMatchHeaders },
  output: z.void(),
  errors: ['NOT_FOUND', 'ROLE_READ_ONLY', 'PRECONDITION_FAILED', 'SCOPE_NOT_HELD', 'CONFLICT'],
  example: { path: { id: exampleId('role') }, headers: { 'if-match': '"7"' } },
  async handler({ path: { id }, headers, caller, ctx }) {
    const { orgId } = caller;
    const { result: role, revision } = await storeOf(ctx).change(ctx, orgId, (graph) => {
      requireCurrentPermission(graph, caller, 'console.access.write');
      const role = findOwnRole(graph, id);
      requireMatch(headers, role.revision);
      requireGrantable(graph, caller, graph.permissionsOfRole(id));
      return { change: { kind: 'roleRemoved', roleId: id }, result: role };
    });
    await recordAuditEvent(ctx, {
      action: 'role.deleted',
      orgId,
      target: { type: 'role', id },
      before: describeRole(role),
    });
    revisionHeaders(ctx, revision);
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.roles.delete': typeof deleteRole;
  }
}
