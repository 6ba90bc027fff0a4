import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { CommandDeclaration, Contract } from './contract.ts';
import { type DeclaredLimit, type LimitDeclarations, mergeLimits, readLimits } from './declared-limits.ts';
import {
  declarePermissions,
  isSystemPermission,
  type PermissionInfo,
  readDeclaration,
  requireRoomFor,
} from './permissions.ts';

type PermissionsOf = Record<string, PermissionInfo>;

/**
 * The declarations of a service in the `metadata` of its schema, which the registry carries to every node.
 * `permissions`: the permissions it declares. `meters` and `limits`: the limits of plans on its usage and on its
 * resources; a service with meters has the internal action `quota.settle` of lib/clients/quota.ts. `erases`: its action
 * that removes its data of an organization; it takes `{ body: { orgId } }`, must be idempotent, and is called until it
 * answers `{ isComplete: true }`. `erasesCustomers`: the action that removes its data of one customer; its body also has
 * the `identifiers` (`id:…`, `email:…`, `phone:…`) of business context. `common`: values, by name, that must be equal on
 * all nodes that run the service, such as hashes of its tables.
 */
export type ServiceDeclarations = LimitDeclarations & {
  permissions?: PermissionsOf;
  erases?: string;
  erasesCustomers?: string;
  common?: Record<string, string>;
};

/** A service as a node of the pool registered it. */
export type RegisteredService = {
  name: string;
  nodeID: string;
  available: boolean;
  metadata: ServiceDeclarations & { codeVersion?: string };
};

type Actions = Record<string, { contract?: Pick<Contract, 'permission' | 'commands'> } | boolean | undefined>;

const kinds = new Set(['authenticated', 'user', 'session', 'operator', 'public', 'internal']);

/** First words of commands that are older than the rule that a command begins with the name of its service. */
const olderWords: Record<string, string> = { notify: 'notification', audit: 'identity', erasures: 'identity' };

/** Throws an Error that names an invalid declaration of a service, or an action whose permission is not declared. */
export function requireDeclarations({ name, metadata = {}, actions = {} }: ServiceSchema): void {
  const permissions = readDeclaration(name, metadata.permissions ?? {});
  requireRoomFor(permissions);
  requireLimits(name, metadata, actions as Actions);
  const known = (permission: string) =>
    kinds.has(permission) || isSystemPermission(permission) || Object.hasOwn(permissions, permission);
  for (const [action, definition] of Object.entries(actions as Actions)) {
    const contract = typeof definition === 'object' ? definition.contract : undefined;
    if (contract === undefined) continue;
    if (!known(contract.permission)) {
      throw new Error(`its action ${action} requires the permission ${contract.permission}, which it does not declare`);
    }
    for (const command of contract.commands ?? []) requireCommand(name, action, contract, command);
  }
  const { erases, erasesCustomers } = metadata;
  requireInternal(actions as Actions, erases, 'erases organizations');
  requireInternal(actions as Actions, erasesCustomers, 'erases customers');
}

/** Without its settlement, the units of a service that died during the work would be charged in full after a day. */
function requireLimits(name: string, metadata: ServiceDeclarations, actions: Actions): void {
  const isMetered = Object.values(readLimits(name, metadata)).some(({ kind }) => kind !== 'count');
  if (isMetered) requireInternal(actions, 'quota.settle', 'settles its meters');
}

function requireCommand(
  service: string,
  action: string,
  { permission }: Pick<Contract, 'permission'>,
  { usage }: CommandDeclaration,
): void {
  if (permission !== 'internal') throw new Error(`its action ${action} is not internal, so ${usage} cannot call it`);
  const [, word = ''] = /^([a-z][a-z-]*)(?::[a-z-]+)?(?: <[a-z-]+>)*(?: \[[a-z-]+\])*$/.exec(usage) ?? [];
  if (word === '') throw new Error(`its command ${usage} must read name <required> [optional]`);
  if (word === service || olderWords[word] === service) return;
  throw new Error(`its command ${usage} must begin with ${service}:`);
}

function requireInternal(actions: Actions, name: string | undefined, does: string): void {
  if (name === undefined) return;
  const action = actions[name];
  if (typeof action === 'object' && action.contract?.permission === 'internal') return;
  throw new Error(`it ${does} by ${name}, which is not an internal action of the service`);
}

/** The registered services of the pool, once for each node that runs them. */
export function registeredServices(broker: ServiceBroker): RegisteredService[] {
  return broker.registry.getServiceList({ skipInternal: true }) as RegisteredService[];
}

/**
 * Registers the permissions that the services of the pool declare, and returns them by service. When nodes run
 * different versions of a service, a permission counts as read-only if all versions declare it so.
 */
export function registerDeclaredPermissions(broker: ServiceBroker): Map<string, PermissionsOf> {
  const byService = new Map<string, PermissionsOf>();
  for (const service of registeredServices(broker)) {
    const known = byService.get(service.name) ?? {};
    for (const [key, { reads, description }] of Object.entries(declaredBy(broker, service))) {
      known[key] = { reads: reads && known[key]?.reads !== false, description };
    }
    if (Object.keys(known).length > 0) byService.set(service.name, known);
  }
  for (const permissions of byService.values()) declarePermissions(permissions);
  return byService;
}

/** Reads the declared permissions of a service. A declaration of another version that is invalid here is ignored. */
function declaredBy(broker: ServiceBroker, { name, nodeID, metadata }: RegisteredService): PermissionsOf {
  try {
    return readDeclaration(name, metadata.permissions ?? {});
  } catch (error) {
    broker.logger.error(`The permissions of ${name} on ${nodeID} are ignored`, { error });
    return {};
  }
}

/**
 * The limits that the running services of the pool declare, by name. While nodes run different versions of a service,
 * its declarations are merged; one of another kind is ignored and logged.
 */
export function registeredLimits(broker: ServiceBroker): Map<string, DeclaredLimit> {
  const found = new Map<string, DeclaredLimit>();
  for (const service of registeredServices(broker).filter(({ available }) => available)) {
    for (const [name, limit] of Object.entries(limitsOf(broker, service))) {
      const known = found.get(name);
      if (known && known.kind !== limit.kind) {
        broker.logger.error(`${name} of ${service.nodeID} is ignored: another node declares it as ${known.kind}`);
        continue;
      }
      found.set(name, known ? mergeLimits(known, limit) : limit);
    }
  }
  return found;
}

/**
 * Throws an Error where a service declares a meter or limit of another kind than its running version: billing keeps the
 * kind with which a limit was first declared, because its counters are of that kind.
 */
export function requireSameKinds(broker: ServiceBroker, { name, metadata = {} }: ServiceSchema): void {
  const running = registeredLimits(broker);
  for (const [limit, { kind }] of Object.entries(readLimits(name, metadata))) {
    const known = running.get(limit)?.kind ?? kind;
    if (known !== kind) throw new Error(`${limit} is of the kind ${known}: declare another name for the kind ${kind}`);
  }
}

function limitsOf(broker: ServiceBroker, { name, nodeID, metadata }: RegisteredService): Record<string, DeclaredLimit> {
  try {
    return readLimits(name, metadata);
  } catch (error) {
    broker.logger.error(`The meters and limits of ${name} on ${nodeID} are ignored`, { error });
    return {};
  }
}

/** The actions that erase an organization, by service, of the registered services. */
export function registeredErasures(broker: ServiceBroker): Map<string, string> {
  return registeredActions(broker, 'erases');
}

/** The actions that erase a customer, by service, of the registered services. */
export function registeredCustomerErasures(broker: ServiceBroker): Map<string, string> {
  return registeredActions(broker, 'erasesCustomers');
}

function registeredActions(broker: ServiceBroker, key: 'erases' | 'erasesCustomers'): Map<string, string> {
  const declared = registeredServices(broker).map(({ name, metadata }) => [name, metadata[key]] as const);
  return new Map(declared.filter((one): one is [string, string] => typeof one[1] === 'string'));
}
