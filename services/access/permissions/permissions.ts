import { z } from 'zod';
import { namespaceOf } from '../../../lib/permissions.ts';
import type { Permission } from '../graph/org-graph.ts';

/** A permission as it is shown. Times are ISO 8601 UTC with milliseconds; the platform's own permissions have none. */
export const permissionOutput = z.strictObject({
  key: z.string(),
  namespace: z.string(),
  description: z.string(),
  isSystem: z.boolean(),
  createdAt: z.string().nullable(),
  updatedAt: z.string().nullable(),
});

export function showPermission(permission: Permission): z.output<typeof permissionOutput> {
  const { key, description, isSystem, createdAt, updatedAt } = permission;
  return {
    key,
    namespace: namespaceOf(key),
    description,
    isSystem,
    createdAt: isSystem ? null : new Date(createdAt).toISOString(),
    updatedAt: isSystem ? null : new Date(updatedAt).toISOString(),
  };
}
