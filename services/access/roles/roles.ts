import { z } from 'zod';
import { now } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { idPattern } from '../../../lib/ids.ts';
import { timestamp } from '../../../lib/instant.ts';
import { pathText } from '../../../lib/path-text.ts';
import { isSystemPermission } from '../../../lib/permissions.ts';
import { systemRoles } from '../../../lib/roles.ts';
import { optionalLines, singleLine } from '../../../lib/text.ts';
import type { Change, RoleValue } from '../graph/changes.ts';
import type { OrgGraph, Role } from '../graph/org-graph.ts';

/** Any text is accepted in the path: one that names no role of the organization is 404, never 400. */
export const rolePath = z.strictObject({
  id: pathText(new RegExp(`${idPattern('role').source}|^role_(?:${systemRoles.join('|')})$`)),
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
    createdAt: timestamp.nullable(),
    updatedAt: timestamp.nullable(),
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
