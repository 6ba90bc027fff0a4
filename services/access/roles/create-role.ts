import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Ctx } from '../../../lib/caller.ts';
import type { Operation } from '../../../lib/operation.ts';
import { limitsOf, requireRoom } from '../../../lib/plan-limits.ts';
import { requireCurrentPermission, revisionHeaders } from '../granting.ts';
import type { RoleValue } from '../graph/changes.ts';
import type { OrgGraph } from '../graph/org-graph.ts';
import { storeOf } from '../store/access-store.ts';
import { describeRole } from './acts.ts';
import { requireGrantableAdditions, requireKnown, unique } from './requirements.ts';
import {
  exampleRole,
  roleAsOf,
  roleBodyBytes,
  roleDescription,
  roleIncludes,
  roleName,
  roleOutput,
  rolePermissions,
  roleStored,
  toRoleResponse,
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
  errors: ['NOT_FOUND', 'SCOPE_NOT_HELD', 'PLAN_LIMIT_EXCEEDED', 'CONFLICT'],
  idempotent: {
    async resume({ caller: { orgId }, operation, ctx }) {
      const made = await storeOf(ctx).changeOf(orgId, operation);
      return made?.change.kind === 'roleStored'
        ? await complete(ctx, operation, { orgId, role: made.change.role, revision: made.revision })
        : null;
    },
  },
  limits: { bodyBytes: roleBodyBytes },
  example: {
    body: {
      name: exampleRole.name,
      description: exampleRole.description,
      permissions: exampleRole.permissions,
    },
    output: exampleRole,
  },
  async handler({ body: { name, description = '', permissions, includes = [] }, caller, operation, ctx }) {
    const { orgId } = caller;
    const lists = { permissions: unique(permissions), includes: unique(includes) };
    const role = { id: operation.newId('role'), name, description, ...lists };
    const limits = await limitsOf(ctx, orgId);
    const decide = (graph: OrgGraph) => {
      requireCurrentPermission(graph, caller, 'console.access.write');
      requireKnown(graph, role.id, { permissions, includes });
      requireRoom(limits, { orgId, name: 'roles', present: graph.sizes().roles });
      requireGrantableAdditions(graph, caller, null, role);
      return { change: roleStored(graph, role), result: null };
    };
    const { revision } = await storeOf(ctx).change(ctx, orgId, decide, operation);
    return await complete(ctx, operation, { orgId, role, revision });
  },
});

type Made = { orgId: string; role: RoleValue; revision: number };

/** Completes the operation after the change. Idempotent. */
async function complete(ctx: Ctx, operation: Operation, { orgId, role, revision }: Made) {
  await recordAuditEvent(ctx, {
    id: operation.newId('aud'),
    action: 'role.created',
    orgId,
    target: { type: 'role', id: role.id },
    after: describeRole(role),
  });
  revisionHeaders(ctx, revision, revision);
  return toRoleResponse(roleAsOf(storeOf(ctx).org(orgId), role, revision));
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.roles.create': typeof createRole;
  }
}
