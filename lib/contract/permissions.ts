import { z } from 'zod';

/** The description of a permission; `reads`: whether the scope `svc:read` includes it. */
export type PermissionInfo = { reads: boolean; description: string };

/** The platform's permissions. Their namespaces are reserved: no tenant can register keys in them. */
export const systemPermissions = {
  'console.apps.read': { reads: true, description: 'List and read applications, OAuth clients and API keys' },
  'console.apps.write': { reads: false, description: 'Create, change and delete applications, clients and keys' },
  'console.users.read': { reads: true, description: 'List and read users' },
  'console.users.write': { reads: false, description: 'Change users' },
  'console.orgs.read': { reads: true, description: 'Read the organization and its members' },
  'console.orgs.write': { reads: false, description: 'Change the organization, its members and invitations' },
  'console.access.read': { reads: true, description: 'Read permissions, roles and assignments' },
  'console.access.write': { reads: false, description: 'Change permissions, roles and assignments' },
  'console.audit.read': { reads: true, description: 'Read the audit log' },
  'access.check': { reads: true, description: 'Ask whether a user holds a permission' },
  'billing.read': { reads: true, description: 'Read entitlements, subscription, usage and invoices' },
  'billing.write': { reads: false, description: 'Check out, cancel and resume' },
  'storage.read': { reads: true, description: 'Read objects and buckets' },
  'storage.upload': { reads: false, description: 'Upload objects' },
  'storage.delete': { reads: false, description: 'Delete objects' },
  'storage.buckets.write': { reads: false, description: 'Create and delete buckets' },
  'context.events.write': { reads: false, description: 'Send business events and erase a person' },
  'context.story.read': { reads: true, description: 'Read customer stories and their events' },
  'mail.send': { reads: false, description: 'Send mail' },
  'mail.read': { reads: true, description: 'Read sent mail and templates' },
  'mail.templates.write': { reads: false, description: 'Create and change mail templates' },
  'mail.settings.write': { reads: false, description: 'Change the sender of mail and the suppression list' },
  'notification.send': { reads: false, description: 'Send notifications' },
  'notification.read': { reads: true, description: 'Read notifications and channels' },
  'notification.channels.write': { reads: false, description: 'Connect and change channels' },
  'notification.templates.write': { reads: false, description: 'Create and change notification templates' },
  'connect.read': { reads: true, description: 'Read conversations' },
  'connect.write': { reads: false, description: 'Answer and change conversations' },
  'connect.settings.write': {
    reads: false,
    description: 'Change websites, their secrets, agents, blocks and saved replies',
  },
} as const satisfies Record<string, PermissionInfo>;

export type SystemPermission = keyof typeof systemPermissions;

export const permissionKey = /^[a-z0-9-]+(?:\.[a-z0-9-]+){1,3}$/;
const groupScopes = ['svc:read', 'svc:write', 'svc:admin'];
const maxPermissionKeyLength = 128;

/**
 * For `.meta` of a scope: the pattern of {@link isScope} or one of the other names. Unknown keys of the reserved
 * namespaces match too; the handler rejects them.
 */
export function scopeFormat(others: readonly string[] = []): { pattern: string; maxLength: number } {
  const names = [...groupScopes, ...others, permissionKey.source.slice(1, -1)];
  return { pattern: `^(?:${names.join('|')})$`, maxLength: maxPermissionKeyLength };
}

const builtInNamespaces = new Set(Object.keys(systemPermissions).map(namespaceOf));

/**
 * The permissions that services declare, by key. The permissions of an absent service are kept, because roles and keys
 * name them.
 */
const declaredPermissions = new Map<string, PermissionInfo>();
const maxDeclared = 256;
let generation = 0;

const declaration = z.record(
  z.string(),
  z.strictObject({ reads: z.boolean(), description: z.string().min(1).max(500) }),
);

/**
 * Parses the declaration of a service in `metadata.permissions`: `{ 'hello.greet': { reads, description } }`. The
 * namespace is the service's name, so that two services cannot share one.
 *
 * @throws Error naming the invalid part.
 */
export function readDeclaration(service: string, permissions: unknown): Record<string, PermissionInfo> {
  const { data, error } = declaration.safeParse(permissions);
  if (!data) throw new Error(`its declaration of permissions is invalid: ${z.prettifyError(error)}`);
  const keys = Object.keys(data);
  if (keys.length > 0 && builtInNamespaces.has(service)) {
    throw new Error(`the namespace ${service} of its permissions is reserved for the platform`);
  }
  const wrong = keys.find((key) => !isPermissionKey(key) || namespaceOf(key) !== service);
  if (wrong !== undefined) throw new Error(`its permission ${wrong} is not in its namespace: ${service}.…`);
  return data;
}

/** Throws an Error unless the total of these permissions and those declared by other services is within the limit. */
export function requireRoomFor(permissions: Record<string, PermissionInfo>): void {
  const added = Object.keys(permissions).filter((key) => !declaredPermissions.has(key));
  if (declaredPermissions.size + added.length <= maxDeclared) return;
  throw new Error(`services can declare at most ${maxDeclared} permissions in total`);
}

/** Registers permissions of a service in this process; see {@link readDeclaration}. */
export function declarePermissions(permissions: Record<string, PermissionInfo>): void {
  for (const [key, { reads, description }] of Object.entries(permissions)) {
    const known = declaredPermissions.get(key);
    if (known ? known.reads === reads && known.description === description : declaredPermissions.size === maxDeclared) {
      continue;
    }
    declaredPermissions.set(key, { reads, description });
    generation += 1;
  }
}

/**
 * A version that grows with every new or changed permission. It invalidates caches of values computed from permissions.
 */
export function permissionsGeneration(): number {
  return generation;
}

/** A permission of the platform, its own or declared by a service; undefined for other keys. */
export function platformPermission(key: string): PermissionInfo | undefined {
  if (isSystemPermission(key)) return systemPermissions[key];
  return declaredPermissions.get(key);
}

/** The keys of the platform's permissions, then of the permissions that services declare. */
export function platformPermissions(): string[] {
  return [...Object.keys(systemPermissions), ...declaredPermissions.keys()];
}

/** The keys that services declare, in the order of their registration in this process. */
export function declaredKeys(): Iterable<string> {
  return declaredPermissions.keys();
}

/**
 * Whether a text can be a scope of a credential: `svc:read`, `svc:write`, `svc:admin` or a permission key. In the
 * reserved namespaces only known keys are valid, so a mistyped one is rejected; keys of tenants are not checked.
 */
export function isScope(text: string): boolean {
  if (groupScopes.includes(text)) return true;
  if (!isPermissionKey(text)) return false;
  return platformPermission(text) !== undefined || !isReservedNamespace(namespaceOf(text));
}

/** Whether a text is a permission key: 2 to 4 parts of lower-case letters, digits and dashes, separated by dots. */
export function isPermissionKey(text: string): boolean {
  return text.length <= maxPermissionKeyLength && permissionKey.test(text);
}

/** Whether a permission is a key of {@link systemPermissions}. */
export function isSystemPermission(key: string): key is SystemPermission {
  return Object.hasOwn(systemPermissions, key);
}

/** Whether a namespace is the platform's or a service's, in which organizations cannot register keys. */
export function isReservedNamespace(namespace: string): boolean {
  if (builtInNamespaces.has(namespace)) return true;
  return [...declaredPermissions.keys()].some((key) => namespaceOf(key) === namespace);
}

/** The first part of a permission key. */
export function namespaceOf(permission: string): string {
  return permission.slice(0, permission.indexOf('.'));
}

/**
 * Whether scopes allow a permission: they name it, or a group of it. `svc:admin` allows the platform's permissions,
 * `svc:write` all of these outside `console.*`, `svc:read` the read-only ones among the permissions of `svc:write`.
 */
export function allows(scopes: readonly string[], permission: string): boolean {
  if (scopes.includes(permission)) return true;
  const system = platformPermission(permission);
  if (!system) return false;
  if (scopes.includes('svc:admin')) return true;
  if (permission.startsWith('console.')) return false;
  return scopes.includes('svc:write') || (system.reads && scopes.includes('svc:read'));
}

/**
 * Whether a holder of `held` may grant `requested`: only held permissions can be granted. A group counts as held when all
 * of its present permissions are held; permissions added to it later are covered by `svc:admin` only.
 */
export function covers(held: readonly string[], requested: string): boolean {
  if (held.includes(requested) || held.includes('svc:admin')) return true;
  if (requested !== 'svc:read' && requested !== 'svc:write') return allows(held, requested);
  return platformPermissions().every((permission) => !allows([requested], permission) || allows(held, permission));
}
