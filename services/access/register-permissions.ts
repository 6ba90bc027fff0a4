import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { limitsOf, requireRoom } from '../../lib/clients/plan-limits.ts';
import type { Ctx } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import type { Operation } from '../../lib/contract/idempotency.ts';
import { optionalLines } from '../../lib/contract/input.ts';
import { isPermissionKey, isReservedNamespace, namespaceOf, permissionKey } from '../../lib/contract/permissions.ts';
import { orgOf, requireCurrentPermission, revisionHeaders } from './granting.ts';
import type { PermissionValue } from './graph/changes.ts';
import type { OrgGraph, Permission } from './graph/org-graph.ts';
import { examplePermissions, permissionOutput, toPermissionsResponse } from './permissions.ts';
import { storeOf } from './store/access-store.ts';
import { type Described, readDescriptions, storeDescriptions } from './store/descriptions.ts';

const maxBatchSize = 500;

const namespaceInput = z
  .string()
  .max(126, 'Must be at most 126 characters.')
  .regex(/^[a-z0-9-]+$/, 'Must consist of lower-case letters, digits and dashes.')
  .refine((namespace) => !isReservedNamespace(namespace), 'Must not be a namespace of the platform.');

const permissionInput = z
  .strictObject({
    key: z
      .string()
      .max(128, 'Must be at most 128 characters.')
      .meta({ pattern: permissionKey.source })
      .refine(
        isPermissionKey,
        'Must be 2 to 4 parts of lower-case letters, digits and dashes, such as shop.orders.read.',
      )
      .describe('The permission key: the namespace and up to three more parts, such as `shop.orders.read`.'),
    description: optionalLines(500)
      .optional()
      .describe('What the permission allows, for people; if omitted, the present text stays.'),
  })
  .meta({ id: 'PermissionInput' });

const registration = z
  .strictObject({
    namespace: namespaceInput,
    permissions: z
      .array(permissionInput)
      .min(1, 'Must have at least one permission.')
      .max(maxBatchSize, `Must have at most ${maxBatchSize} permissions.`)
      .describe('The permissions to register. The last entry of a key counts.'),
  })
  .superRefine(({ namespace, permissions }, issues) => {
    for (const [index, { key }] of permissions.entries()) {
      if (namespaceOf(key) === namespace) continue;
      const message = `Must begin with the namespace: ${namespace}.…`;
      issues.addIssue({ code: 'custom', path: ['permissions', index, 'key'], message });
    }
  })
  .meta({ id: 'PermissionRegistrationInput' });

type Given = z.output<typeof permissionInput>;

/** POST /access/permissions: adds keys to a namespace, and replaces descriptions of known ones. It removes nothing. */
export const registerPermissions = defineAction({
  rest: 'POST /access/permissions',
  summary: "Register a namespace's permissions",
  description:
    'Registers up to 500 permission keys of your own applications, so that roles can contain them. All keys begin ' +
    'with `namespace`, which must not be a namespace of the platform. The call can be repeated with every release: ' +
    'a known key stays and gets the new `description`, and no key is ever removed. More keys than the plan allows ' +
    'are refused with `PLAN_LIMIT_EXCEEDED`.',
  permission: 'console.access.write',
  input: { body: registration },
  output: z
    .strictObject({
      namespace: z.string(),
      permissions: z.array(permissionOutput).describe('The permissions of the request, as they are now.'),
      revision: z.number(),
    })
    .meta({ id: 'RegisteredPermissions' }),
  status: 201,
  errors: ['NOT_FOUND', 'PLAN_LIMIT_EXCEEDED', 'CONFLICT'],
  idempotent: {
    async resume({ body: { namespace, permissions }, caller: { orgId }, operation, ctx }) {
      const made = await storeOf(ctx).changeOf(orgId, operation);
      if (made?.change.kind !== 'permissionsRegistered') return null;
      const { revision } = made;
      await complete(ctx, operation, { orgId, namespace, revision, changed: made.change.permissions });
      revisionHeaders(ctx, revision);
      const shown = await toPermissionsResponse(orgId, known(orgOf(ctx, orgId), unique(permissions)));
      return { namespace, permissions: shown, revision };
    },
  },
  // As many keys as one request takes; the answer and the event to other nodes fit into a message of NATS.
  limits: { bodyBytes: 512 * 1024 },
  example: {
    body: { namespace: 'shop', permissions: examplePermissions.map(({ key, description }) => ({ key, description })) },
    output: { namespace: 'shop', permissions: examplePermissions, revision: 2 },
  },
  async handler({ body: { namespace, permissions }, caller, operation, ctx }) {
    const { orgId } = caller;
    const requested = unique(permissions);
    const store = storeOf(ctx);
    const limits = await limitsOf(ctx, orgId);
    const described = await readDescriptions(orgId, known(storeOf(ctx).org(orgId), requested));
    const decide = (graph: OrgGraph) => {
      requireCurrentPermission(graph, caller, 'console.access.write');
      const changed = changesOf(graph, requested, described);
      const added = changed.filter(({ key }) => !graph.permission(key)).length;
      requireRoom(limits, { orgId, name: 'permissions', present: graph.sizes().permissions, added });
      const change = { kind: 'permissionsRegistered', permissions: changed } as const;
      return changed.length === 0 ? { change: null, result: changed } : { change, result: changed };
    };
    const { result, revision, isChanged } = await store.change(ctx, orgId, decide, operation);
    if (isChanged) await complete(ctx, operation, { orgId, namespace, revision, changed: result });
    revisionHeaders(ctx, revision);
    const graph = store.org(orgId);
    if (!graph) throw apiError('NOT_FOUND');
    return { namespace, permissions: await toPermissionsResponse(orgId, known(graph, requested)), revision };
  },
});

/** Removes duplicate keys; the last entry of a key counts. */
function unique(permissions: Given[]): Given[] {
  return [...new Map(permissions.map((permission) => [permission.key, permission])).values()];
}

/** The permissions that differ from the stored ones, as far as the descriptions read are not older than the graph. */
function changesOf(graph: OrgGraph, requested: Given[], described: ReadonlyMap<string, Described>): PermissionValue[] {
  return requested.flatMap(({ key, description }): PermissionValue[] => {
    const permission = graph.permission(key);
    if (!permission) return [{ key, description: description ?? '' }];
    if (description === undefined) return [];
    const stored = described.get(key);
    const isRead = stored !== undefined && stored.revision >= permission.describedIn;
    return isRead && stored.description === description ? [] : [{ key, description }];
  });
}

type Registered = { orgId: string; namespace: string; revision: number; changed: PermissionValue[] };

/** Completes the operation after the change. Idempotent. */
async function complete(ctx: Ctx, operation: Operation, registered: Registered) {
  const { orgId, namespace, revision, changed } = registered;
  await storeDescriptions(orgId, revision, changed);
  await recordAuditEvent(ctx, {
    id: operation.newId('aud'),
    action: 'permission.registered',
    orgId,
    target: { type: 'namespace', id: namespace },
    after: summaryOf(changed),
  });
}

const maxInAudit = 20;

/** The audit log's summary of it, bounded so that a page of the log fits into one answer. */
function summaryOf(changed: PermissionValue[]): Record<string, unknown> {
  const keys = changed.map(({ key }) => key);
  return keys.length > maxInAudit ? { keys: keys.slice(0, maxInAudit), total: keys.length } : { keys };
}

/** The permissions that the organization has, as far as this node knows. */
function known(graph: OrgGraph | undefined, requested: Given[]): Permission[] {
  return requested.flatMap(({ key }) => graph?.permission(key) ?? []);
}
