import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { limitsOf, requireRoom } from '../../lib/clients/plan-limits.ts';
import type { Ctx } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import type { Operation } from '../../lib/contract/idempotency.ts';
import { requireCurrentPermission, revisionHeaders } from './granting.ts';
import type { RoleValue } from './graph/changes.ts';
import type { OrgGraph, Role } from './graph/org-graph.ts';
import {
  describeRole,
  describeRoleChange,
  requireGrantableAdditions,
  requireGrantableRemovals,
  requireKnown,
  unique,
} from './requirements.ts';
import {
  exampleRole,
  findOwnRole,
  ifMatchHeaders,
  requireMatch,
  roleAsOf,
  roleBodyBytes,
  roleDescription,
  roleIncludes,
  roleName,
  roleOutput,
  rolePath,
  rolePermissions,
  roleStored,
  toRoleResponse,
} from './roles.ts';
import { storeOf } from './store/access-store.ts';

/** POST /access/roles: makes a role of permissions that the caller holds, and of other roles. */
export const createRole = defineAction({
  rest: 'POST /access/roles',
  summary: 'Create a role',
  description:
    'Creates a role from permission keys and from other roles, which it then includes. You can only put ' +
    'permissions into it that your credential holds; otherwise the answer is `SCOPE_NOT_HELD`. Unknown keys and ' +
    'roles, and roles that would include themselves, are refused with `INPUT_INVALID`.',
  permission: 'console.access.write',
  input: {
    body: z
      .strictObject({
        name: roleName,
        description: roleDescription.optional(),
        permissions: rolePermissions,
        includes: roleIncludes.optional(),
      })
      .meta({ id: 'RoleInput' }),
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

const changes = z
  .strictObject({
    name: roleName.optional(),
    description: roleDescription.optional(),
    permissions: rolePermissions.optional(),
    includes: roleIncludes.optional(),
  })
  .meta({ id: 'RoleUpdateInput' });

/**
 * PATCH /access/roles/:id: changes the fields in the body; a list replaces the present one. With If-Match only at that
 * revision of the role.
 */
export const updateRole = defineAction({
  rest: 'PATCH /access/roles/:id',
  summary: 'Change a role',
  description:
    'Changes the fields that the body names; a list replaces the present one. Everyone who has the role gains and ' +
    'loses permissions with it, so your credential must hold all that are added or removed (`SCOPE_NOT_HELD`). ' +
    'Built-in roles cannot be changed (`ROLE_READ_ONLY`). With `If-Match`, a role that was changed since is ' +
    'refused with `PRECONDITION_FAILED`.',
  permission: 'console.access.write',
  input: { path: rolePath, headers: ifMatchHeaders, body: changes },
  output: roleOutput,
  errors: ['NOT_FOUND', 'ROLE_READ_ONLY', 'PRECONDITION_FAILED', 'SCOPE_NOT_HELD', 'CONFLICT'],
  limits: { bodyBytes: roleBodyBytes },
  example: {
    path: { id: exampleRole.id },
    headers: { 'if-match': '"3"' },
    body: { permissions: [...exampleRole.permissions, 'storage.read'] },
    output: {
      ...exampleRole,
      permissions: [...exampleRole.permissions, 'storage.read'],
      revision: 7,
      updatedAt: '2026-03-05T14:00:00.000Z',
    },
  },
  async handler({ path: { id }, headers, body, caller, ctx }) {
    const { orgId } = caller;
    const store = storeOf(ctx);
    const { result, revision, isChanged } = await store.change(ctx, orgId, (graph) => {
      requireCurrentPermission(graph, caller, 'console.access.write');
      const before = findOwnRole(graph, id);
      requireMatch(headers, before.revision);
      requireKnown(graph, id, body);
      const role = changed(before, body);
      requireGrantableAdditions(graph, caller, before, role);
      requireGrantableRemovals(graph, caller, before, role);
      const result = { before, role };
      return isDeepStrictEqual(role, valuesOf(before))
        ? { change: null, result }
        : { change: roleStored(graph, role), result };
    });
    const { before, role } = result;
    if (isChanged) {
      const target = { type: 'role', id };
      await recordAuditEvent(ctx, { action: 'role.updated', orgId, target, ...describeRoleChange(before, role) });
    }
    const present = isChanged ? roleAsOf(store.org(orgId), role, revision) : before;
    revisionHeaders(ctx, revision, present.revision);
    return toRoleResponse(present);
  },
});

function valuesOf({ id, name, description, permissions, includes }: Role): RoleValue {
  return { id, name, description, permissions: [...permissions], includes: [...includes] };
}

function changed(before: Role, { permissions, includes, ...texts }: z.output<typeof changes>): RoleValue {
  const { name, description, ...former } = valuesOf(before);
  return {
    ...former,
    name: texts.name ?? name,
    description: texts.description ?? description,
    ...(permissions && { permissions: unique(permissions) }),
    ...(includes && { includes: unique(includes) }),
  };
}
