import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { requireCurrentPermission, revisionHeaders } from '../granting.ts';
import type { RoleValue } from '../graph/changes.ts';
import type { Role } from '../graph/org-graph.ts';
import { storeOf } from '../store/access-store.ts';
import { describeRoleChange } from './acts.ts';
import { ifMatchHeaders, requireMatch } from './if-match.ts';
import { requireGrantableAdditions, requireGrantableRemovals, requireKnown, unique } from './requirements.ts';
import {
  exampleRole,
  findOwnRole,
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

const changes = z.strictObject({
  name: roleName.optional(),
  description: roleDescription.optional(),
  permissions: rolePermissions.optional(),
  includes: roleIncludes.optional(),
});

/**
 * PATCH /access/roles/:id: changes the fields in the body; a list replaces the present one. With If-Match only at that
 * revision of the role.
 */
export const updateRole = defineAction({
  rest: 'PATCH /access/roles/:id',
  summary: 'Change a role',
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.roles.update': typeof updateRole;
  }
}
