import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAct } from '../../../lib/audit.ts';
import { newId } from '../../../lib/ids.ts';
import { requireStill, revisionHeaders } from '../granting.ts';
import { storeOf } from '../store/access-store.ts';
import { describeRole } from './acts.ts';
import { onceEach, requireGain, requireKnown, requireRoom } from './requirements.ts';
import {
  roleAsOf,
  roleBodyBytes,
  roleDescription,
  roleIncludes,
  roleName,
  roleOutput,
  rolePermissions,
  roleStored,
  showRole,
} from './roles.ts';

/** POST /access/roles: makes a role of permissions that the caller holds, and of other roles. */
export const createRole = defineAction({
  rest: 'POST /access/roles',
  summary: 'Create a role',
  permission: 'console.access.write',
  input: {
    body: z.strictObject({
      name: roleName,
      description: roleDescription.optional(),
      permissions: rolePermissions,
      includes: roleIncludes.optional(),
    }),
  },
  output: roleOutput,
  status: 201,
  errors: ['NOT_FOUND', 'SCOPE_NOT_HELD', 'LIMIT_REACHED', 'CONFLICT'],
  idempotent: true,
  limits: { bodyBytes: roleBodyBytes },
  async handler({ body: { name, description = '', permissions, includes = [] }, caller, ctx }) {
    const { orgId } = caller;
    const lists = { permissions: onceEach(permissions), includes: onceEach(includes) };
    const role = { id: newId('role'), name, description, ...lists };
    const store = storeOf(ctx);
    const { revision } = await store.change(ctx, orgId, (graph) => {
      requireStill(graph, caller, 'console.access.write');
      requireKnown(graph, role.id, { permissions, includes });
      requireRoom(graph);
      requireGain(graph, caller, null, role);
      return { change: roleStored(graph, role), result: null };
    });
    await recordAct(ctx, {
      action: 'role.created',
      orgId,
      target: { type: 'role', id: role.id },
      after: describeRole(role),
    });
    revisionHeaders(ctx, revision, revision);
    return showRole(roleAsOf(store.org(orgId), role, revision));
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.roles.create': typeof createRole;
  }
}
