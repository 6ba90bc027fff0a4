import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { scopesOf, systemRoles } from '../../lib/contract/authorize.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import {
  decodeCursor,
  encodeCursor,
  optionalLines,
  pageOf,
  pageQuery,
  pathText,
  singleLine,
  timestamp,
  toPage,
} from '../../lib/contract/input.ts';
import { isSystemPermission } from '../../lib/contract/permissions.ts';
import { now } from '../../lib/data/clock.ts';
import { idPattern } from '../../lib/data/ids.ts';
import { orgOf, requireCurrentPermission, requireGrantable, revisionHeaders } from './granting.ts';
import type { Change, RoleValue } from './graph/changes.ts';
import type { OrgGraph, Role } from './graph/org-graph.ts';
import { describeRole } from './requirements.ts';
import { storeOf } from './store/access-store.ts';

/** One or more entity tags, or `*` (RFC 9110 section 13.1.1). */
const entityTags = /^(?:\*|(?:W\/)?"[\x21\x23-\x7e]*"(?:[ \t]*,[ \t]*(?:W\/)?"[\x21\x23-\x7e]*")*)$/;

/** The headers of a request that changes a resource only at the named revision. */
export const ifMatchHeaders = z
  .object({
    'if-match': z
      .string()
      .trim()
      .max(1000, 'Must be at most 1000 characters.')
      .regex(entityTags, 'Must be the ETag as received, with its quotes, such as "7"; or *.')
      .optional()
      .describe(
        'The `ETag` of the role as you know it, with its quotes; the role is changed only if it still has it. `*` ' +
          'for any.',
      ),
  })
  .default({});

/**
 * Throws PRECONDITION_FAILED unless If-Match allows a change at this revision. A weak tag never matches: If-Match takes
 * the strong comparison.
 */
export function requireMatch(headers: z.output<typeof ifMatchHeaders>, revision: number): void {
  const tags = headers['if-match'];
  if (tags === undefined || tags === '*') return;
  // The platform's tags contain no comma.
  if (tags.split(',').some((tag) => tag.trim() === `"${revision}"`)) return;
  throw apiError('PRECONDITION_FAILED');
}

/** Any text is accepted in the path: one that names no role of the organization is 404, never 400. */
export const rolePath = z.strictObject({
  id: pathText(new RegExp(`${idPattern('role').source}|^role_(?:${systemRoles.join('|')})$`)).describe(
    'The id of the role: `role_…`, or built in `role_owner`, `role_admin` or `role_member`.',
  ),
});

const maxPermissions = 1000;
const maxIncludes = 50;
const maxNameLength = 256;

/** Larger than most bodies: it takes as many keys as a role can have. */
export const roleBodyBytes = 256 * 1024;

export const roleName = singleLine(100);
/** May have several lines; null or nothing clears it. */
export const roleDescription = optionalLines(1000)
  .nullable()
  .transform((text) => text ?? '');
/** Each name is looked up when the role is stored; duplicates are stored once. */
export const rolePermissions = z
  .array(z.string().max(maxNameLength, `Send at most ${maxNameLength} characters.`))
  .max(maxPermissions, `Must have at most ${maxPermissions} permissions.`);
export const roleIncludes = z
  .array(z.string().max(maxNameLength, `Send at most ${maxNameLength} characters.`))
  .max(maxIncludes, `Must have at most ${maxIncludes} roles.`);

/** A role in API responses. Times are ISO 8601 UTC with milliseconds; the platform's own roles have none. */
export const roleOutput = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    permissions: z.array(z.string()),
    includes: z.array(z.string()),
    isSystem: z.boolean(),
    revision: z.number(),
    createdAt: timestamp.nullable().describe('When it was created; null for a built-in role.'),
    updatedAt: timestamp.nullable().describe('When it was last changed; null for a built-in role.'),
  })
  .meta({ id: 'Role' });
export type ShownRole = z.output<typeof roleOutput>;

export const exampleRole = {
  id: exampleId('role'),
  name: 'Order support',
  description: 'Answers questions about orders and refunds them',
  permissions: ['shop.orders.read', 'shop.orders.refund'],
  includes: [],
  isSystem: false,
  revision: 3,
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
} satisfies z.input<typeof roleOutput>;

export function toRoleResponse(role: Role): ShownRole {
  const { id, name, description, permissions, includes, isSystem, revision, createdAt, updatedAt } = role;
  return {
    id,
    name,
    description,
    permissions: [...permissions],
    includes: [...includes],
    isSystem,
    revision,
    createdAt: isSystem ? null : new Date(createdAt).toISOString(),
    updatedAt: isSystem ? null : new Date(updatedAt).toISOString(),
  };
}

/** The organization's role of this id; throws NOT_FOUND, also for another organization's. */
export function findRole(graph: OrgGraph, id: string): Role {
  const role = graph.role(id);
  if (!role) throw apiError('NOT_FOUND', { message: 'There is no such role in your organization.' });
  return role;
}

/** {@link findRole} for a role that can be changed; throws ROLE_READ_ONLY for a platform role. */
export function findOwnRole(graph: OrgGraph, id: string): Role {
  const role = findRole(graph, id);
  if (role.isSystem) throw apiError('ROLE_READ_ONLY');
  return role;
}

/** The change that stores a role. It includes the keys that services declare, which other nodes may not know yet. */
export function roleStored(graph: OrgGraph, role: RoleValue): Change {
  const declared = role.permissions.filter(
    (key) => !isSystemPermission(key) && graph.permission(key)?.isSystem !== false,
  );
  return { kind: 'roleStored', role: declared.length === 0 ? role : { ...role, declared } };
}

/** The role as a change at this revision made it, without later changes. */
export function roleAsOf(graph: OrgGraph | undefined, value: RoleValue, revision: number): Role {
  const present = graph?.role(value.id);
  if (present?.revision === revision) return present;
  const at = now().getTime();
  return { ...value, isSystem: false, revision, createdAt: present?.createdAt ?? at, updatedAt: at };
}

/** DELETE /access/roles/:id: deletes a role with its assignments, and removes it from roles that include it. */
export const deleteRole = defineAction({
  rest: 'DELETE /access/roles/:id',
  summary: 'Delete a role',
  description:
    'Deletes a role, removes its assignments, and removes it from the roles that include it. Your credential must ' +
    'hold every permission of the role. Built-in roles cannot be deleted (`ROLE_READ_ONLY`).',
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

/** Keeps a page within one message of NATS (1 MiB), also with large roles. */
const maxBytes = 512 * 1024;

const exampleMemberRole: ShownRole = {
  id: 'role_member',
  name: 'member',
  description: 'May read, and use the services',
  permissions: scopesOf('member').toSorted(),
  includes: [],
  isSystem: true,
  revision: 0,
  createdAt: null,
  updatedAt: null,
};

/** GET /access/roles: the platform's roles, then the organization's, by id. Large roles make shorter pages. */
export const listRoles = defineAction({
  rest: 'GET /access/roles',
  summary: 'List roles',
  description:
    'Returns the built-in roles `role_owner`, `role_admin` and `role_member`, then the roles of the organization ' +
    'in the order of their creation. A page of large roles can be shorter than `limit`; only `nextCursor` says ' +
    'whether there are more.',
  permission: 'console.access.read',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(roleOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    // The page after the platform's roles of owners and admins.
    query: { limit: '20', cursor: encodeCursor(['1', 'role_admin']) },
    output: { data: [exampleMemberRole, exampleRole], nextCursor: null },
  },
  handler({ query: { limit, cursor }, caller: { orgId }, ctx }) {
    const after = decodeCursor(cursor, 2);
    const roles = orgOf(ctx, orgId)
      .roles()
      .filter((role) => after === null || isAfter(pageKeyOf(role), after))
      .slice(0, limit + 1)
      .map(toRoleResponse);
    return toPage(roles, Math.min(limit, countFitting(roles)), pageKeyOf, (role) => role);
  },
});

/** The position of a role in the list, in the order of the graph. It does not depend on other roles. */
function pageKeyOf({ id }: Pick<ShownRole, 'id'>): string[] {
  const rank = systemRoles.findIndex((role) => id === `role_${role}`);
  return [`${rank === -1 ? systemRoles.length : rank}`, id];
}

function isAfter([group = '', id = '']: string[], [otherGroup = '', otherId = '']: string[]): boolean {
  return group === otherGroup ? id > otherId : group > otherGroup;
}

/** The number of leading roles that fit into an answer, at least one. */
function countFitting(roles: ShownRole[]): number {
  let bytes = 0;
  const tooMany = roles.findIndex((role) => {
    bytes += Buffer.byteLength(JSON.stringify(role));
    return bytes > maxBytes;
  });
  return tooMany === -1 ? roles.length : Math.max(1, tooMany);
}

/** GET /access/roles/:id: one role; its ETag is for If-Match. */
export const readRole = defineAction({
  rest: 'GET /access/roles/:id',
  summary: 'Read a role',
  description:
    'Returns one role with the permissions and roles it contains. Send the `ETag` of the answer as `If-Match` when ' +
    'you change or delete the role, so that you never overwrite a change you have not seen.',
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
