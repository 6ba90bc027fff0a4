import { allows, type SystemPermission } from '../lib/contract/permissions.ts';
import type { IconName } from './icons.ts';

/** An area of an organization's console. */
export type Area = {
  /** Path below the organization's console; empty for the overview. */
  path: string;
  icon: IconName;
  /** The permission of a member who sees the area; one of several is enough, and null is every member. */
  permission: SystemPermission | readonly SystemPermission[] | null;
  /** The permission of a member who changes what the area shows, where one permission decides it. */
  writePermission?: SystemPermission;
  /** The area of whose tabs this one is. The side bar shows it where a member may not see that area. */
  tabOf?: string;
};

/**
 * The areas of an organization's console, `/console/:slug/<path>`. Their names are `console.areas` of the texts, by the
 * same keys.
 */
export const areas = {
  overview: { path: '', icon: 'overview', permission: null },
  inbox: { path: 'inbox', icon: 'inbox', permission: 'connect.read' },
  customers: {
    path: 'customers',
    icon: 'story',
    permission: 'context.story.read',
    writePermission: 'context.events.write',
  },
  templates: {
    path: 'templates',
    icon: 'template',
    permission: 'mail.read',
    writePermission: 'mail.templates.write',
  },
  notificationTemplates: {
    path: 'notification-templates',
    icon: 'template',
    permission: 'notification.read',
    writePermission: 'notification.templates.write',
    tabOf: 'templates',
  },
  messages: { path: 'messages', icon: 'send', permission: ['mail.read', 'notification.read'] },
  suppressions: {
    path: 'messages/suppressions',
    icon: 'send',
    permission: 'mail.read',
    writePermission: 'mail.settings.write',
    tabOf: 'messages',
  },
  channels: {
    path: 'channels',
    icon: 'channel',
    permission: 'notification.read',
    writePermission: 'notification.channels.write',
  },
  sender: {
    path: 'sender',
    icon: 'mail',
    permission: 'mail.read',
    writePermission: 'mail.settings.write',
    tabOf: 'channels',
  },
  websites: { path: 'websites', icon: 'globe', permission: 'connect.read', writePermission: 'connect.settings.write' },
  roles: { path: 'roles', icon: 'shield', permission: 'console.access.read', writePermission: 'console.access.write' },
  applications: {
    path: 'applications',
    icon: 'app',
    permission: 'console.apps.read',
    writePermission: 'console.apps.write',
  },
  users: { path: 'users', icon: 'users', permission: 'console.users.read' },
  invitations: {
    path: 'invitations',
    icon: 'member',
    permission: 'console.orgs.read',
    writePermission: 'console.orgs.write',
  },
  files: { path: 'files', icon: 'folder', permission: 'storage.read', writePermission: 'storage.buckets.write' },
  events: {
    path: 'events',
    icon: 'event',
    permission: 'context.story.read',
    writePermission: 'context.events.write',
  },
  logs: { path: 'logs', icon: 'logs', permission: 'console.audit.read' },
  usage: { path: 'usage', icon: 'usage', permission: 'billing.read', writePermission: 'billing.write' },
  settings: {
    path: 'settings',
    icon: 'settings',
    permission: 'console.orgs.read',
    writePermission: 'console.orgs.write',
  },
} as const satisfies Record<string, Area>;

export type AreaKey = keyof typeof areas;

/** The areas of the side bar, by group; the first group has no heading. */
export const areaGroups: readonly (readonly [heading: GroupKey | null, keys: readonly AreaKey[]])[] = [
  [null, ['overview', 'inbox', 'customers']],
  ['identity', ['users', 'invitations', 'roles', 'applications']],
  ['messaging', ['templates', 'notificationTemplates', 'messages', 'channels', 'sender', 'websites']],
  ['data', ['files', 'events', 'logs']],
  ['organization', ['usage', 'settings']],
];

export type GroupKey = 'identity' | 'messaging' | 'data' | 'organization';

/** The permissions of which a member needs one to see an area; empty where every member does. */
export function permissionsOf({ permission }: Area): readonly SystemPermission[] {
  return permission === null ? [] : [permission].flat();
}

/** Whether a member with these scopes sees an area. */
export function isVisible(area: Area, scopes: readonly string[]): boolean {
  return area.permission === null || permissionsOf(area).some((permission) => allows(scopes, permission));
}

/** The areas of which an area is a tab: the one in the side bar, then the others. One alone has no tabs. */
export function tabsWith(key: AreaKey): readonly AreaKey[] {
  const first = mainAreaOf(key);
  return (Object.keys(areas) as AreaKey[]).filter((one) => mainAreaOf(one) === first);
}

function mainAreaOf(key: AreaKey): string {
  const { tabOf = key }: Area = areas[key];
  return tabOf;
}

/** The areas of the thumb bar on phones, before search and menu. */
export const dockAreas = ['overview', 'inbox', 'customers'] as const satisfies readonly AreaKey[];

/**
 * The areas of the operator's console. Their names are `operator.areas` of the texts, by the same keys. The addresses
 * below `/operator` without `/console` are endpoints, such as `GET /operator/organizations`.
 */
export const operatorAreas = {
  overview: { path: '/operator/console', icon: 'overview' },
  organizations: { path: '/operator/console/organizations', icon: 'org' },
  users: { path: '/operator/console/users', icon: 'users' },
  registration: { path: '/operator/console/registration', icon: 'user-plus' },
  nodes: { path: '/operator/console/nodes', icon: 'node' },
  queues: { path: '/operator/console/queues', icon: 'queue' },
  jobs: { path: '/operator/console/jobs', icon: 'clock' },
  backups: { path: '/operator/console/backups', icon: 'download' },
} as const satisfies Record<string, { path: string; icon: IconName }>;

export type OperatorArea = keyof typeof operatorAreas;

/** The areas of the operator's side bar, by group; the first group has no heading. */
export const operatorGroups = [
  [null, ['overview']],
  ['tenants', ['organizations', 'users', 'registration']],
  ['operations', ['nodes', 'queues', 'jobs', 'backups']],
] as const satisfies readonly (readonly [heading: string | null, keys: readonly OperatorArea[]])[];

/** The areas of the operator's thumb bar on phones, before the menu. */
export const operatorDock = ['overview', 'organizations', 'queues'] as const satisfies readonly OperatorArea[];

/** The pages of the user's own account, by their keys in `console.account` of the texts. */
export const accountPages = {
  profile: { path: '/account', icon: 'user' },
  organizations: { path: '/account/organizations', icon: 'org' },
  password: { path: '/account/password', icon: 'lock' },
  contacts: { path: '/account/contacts', icon: 'mail' },
  addresses: { path: '/account/addresses', icon: 'pin' },
  sessions: { path: '/account/sessions', icon: 'device' },
  applications: { path: '/account/applications', icon: 'app' },
  data: { path: '/account/data', icon: 'download' },
} as const satisfies Record<string, { path: string; icon: IconName }>;

export type AccountKey = keyof typeof accountPages;
