import { z } from 'zod';
import { exampleInstant } from '../../../lib/examples.ts';
import { timestamp } from '../../../lib/instant.ts';
import { namespaceOf, platformPermission } from '../../../lib/permissions.ts';
import type { Permission } from '../graph/org-graph.ts';
import { readDescriptions } from '../store/descriptions.ts';

/**
 * A permission in API responses. Times are ISO 8601 UTC with milliseconds; the platform's own permissions have none.
 */
export const permissionOutput = z
  .strictObject({
    key: z.string(),
    namespace: z.string(),
    description: z.string(),
    isSystem: z.boolean(),
    createdAt: timestamp.nullable(),
    updatedAt: timestamp.nullable(),
  })
  .meta({ id: 'Permission' });
export type ShownPermission = z.output<typeof permissionOutput>;

export const examplePermissions = [
  {
    key: 'shop.orders.read',
    namespace: 'shop',
    description: 'Read orders',
    isSystem: false,
    createdAt: exampleInstant,
    updatedAt: exampleInstant,
  },
  {
    key: 'shop.orders.refund',
    namespace: 'shop',
    description: 'Refund orders',
    isSystem: false,
    createdAt: exampleInstant,
    updatedAt: exampleInstant,
  },
] satisfies z.input<typeof permissionOutput>[];

/** Permissions of an organization in API responses, with their descriptions from the database. */
export async function toPermissionsResponse(
  orgId: string,
  permissions: readonly Permission[],
): Promise<ShownPermission[]> {
  const described = await readDescriptions(orgId, permissions);
  return permissions.map((permission) =>
    toPermissionResponse(permission, described.get(permission.key)?.description ?? ''),
  );
}

function toPermissionResponse(
  { key, isSystem, createdAt, updatedAt }: Permission,
  description: string,
): ShownPermission {
  return {
    key,
    namespace: namespaceOf(key),
    description: isSystem ? (platformPermission(key)?.description ?? '') : description,
    isSystem,
    createdAt: isSystem ? null : new Date(createdAt).toISOString(),
    updatedAt: isSystem ? null : new Date(updatedAt).toISOString(),
  };
}
