import { isDeepStrictEqual } from 'node:util';
import type { ServiceBroker } from 'moleculer';
import { z } from 'zod';
import { defineAction } from '../../lib/contract/define-action.ts';
import { exampleInstant } from '../../lib/contract/examples.ts';
import { decodeCursor, pageOf, pageQuery, timestamp, toPage } from '../../lib/contract/input.ts';
import {
  declaredKeys,
  declarePermissions,
  namespaceOf,
  type PermissionInfo,
  platformPermission,
} from '../../lib/contract/permissions.ts';
import { registerDeclaredPermissions } from '../../lib/contract/service-declarations.ts';
import { type DeclaredPermissionDocument, DeclaredPermissionModel } from '../../models/access/declared-permission.ts';
import { orgOf } from './granting.ts';
import type { Permission } from './graph/org-graph.ts';
import { readDescriptions } from './store/descriptions.ts';

/** The declarations that are stored, by key. */
const stored = new Map<string, PermissionInfo>();

/** Loads the stored declarations of services that may be absent now. Call it before roles are read, which name them. */
export async function loadDeclaredPermissions(): Promise<void> {
  const documents = await DeclaredPermissionModel.find().lean<DeclaredPermissionDocument[]>();
  for (const { _id, reads, description } of documents) {
    stored.set(_id, { reads, description });
    declarePermissions({ [_id]: { reads, description } });
  }
}

/** Stores new and changed declarations of the services in the pool. */
export async function keepDeclaredPermissions(broker: ServiceBroker): Promise<void> {
  for (const permissions of registerDeclaredPermissions(broker).values()) {
    for (const [key, info] of Object.entries(permissions)) {
      if (isDeepStrictEqual(stored.get(key), info)) continue;
      await DeclaredPermissionModel.updateOne({ _id: key }, { $set: info }, { upsert: true });
      stored.set(key, info);
    }
  }
}

/**
 * A permission in API responses. Times are ISO 8601 UTC with milliseconds; the platform's own permissions have none.
 */
export const permissionOutput = z
  .strictObject({
    key: z.string().describe('The permission key.'),
    namespace: z.string(),
    description: z.string(),
    isSystem: z.boolean(),
    createdAt: timestamp.nullable().describe('When it was registered; null for a built-in permission.'),
    updatedAt: timestamp.nullable().describe('When its description was last changed; null for a built-in permission.'),
  })
  .meta({ id: 'Permission' });
type ShownPermission = z.output<typeof permissionOutput>;

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

/** `access.permissions.declared`, for starting nodes: the permissions of services, including absent ones. */
export const listDeclaredPermissions = defineAction({
  summary: 'List the permissions that services declare',
  permission: 'internal',
  safe: true,
  input: {},
  output: z.strictObject({
    permissions: z.array(z.strictObject({ key: z.string(), reads: z.boolean(), description: z.string() })),
  }),
  handler() {
    const permissions = [...declaredKeys()].flatMap((key) => {
      const info = platformPermission(key);
      return info ? [{ key, reads: info.reads, description: info.description }] : [];
    });
    return { permissions };
  },
});

/** GET /access/permissions: the platform's and the organization's permissions by key, optionally of one namespace. */
export const listPermissions = defineAction({
  rest: 'GET /access/permissions',
  summary: 'List permissions',
  description:
    "Returns the permissions that roles of the organization can contain, sorted by key: the platform's own " +
    '(`isSystem: true`) and the keys that the organization registered. `namespace` limits the list to the keys ' +
    'that begin with it.',
  permission: 'console.access.read',
  input: { query: z.strictObject({ ...pageQuery, namespace: z.string().min(1).max(128).optional() }) },
  output: pageOf(permissionOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    query: { limit: '20', namespace: 'shop' },
    output: { data: examplePermissions, nextCursor: null },
  },
  async handler({ query: { limit, cursor, namespace }, caller: { orgId }, ctx }) {
    const after = decodeCursor(cursor, 1)?.[0] ?? '';
    const permissions = orgOf(ctx, orgId)
      .permissions()
      .filter(({ key }) => key > after && (namespace === undefined || namespaceOf(key) === namespace));
    const shown = await toPermissionsResponse(orgId, permissions.slice(0, limit + 1));
    return toPage(
      shown,
      limit,
      ({ key }) => [key],
      (permission) => permission,
    );
  },
});
