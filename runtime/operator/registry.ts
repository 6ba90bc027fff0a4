import type { ServiceBroker } from 'moleculer';
import { registeredServices } from '../../lib/contract/service-declarations.ts';
import { redactText } from '../../lib/log/redact.ts';
import { Secret } from '../../lib/security/secret.ts';
import { declaredSettings } from '../../lib/settings/define-settings.ts';
import { settings } from '../../lib/settings/settings.ts';
import type { Command, Output } from './commands.ts';
import { toTable } from './table.ts';

/** The commands that list the broker's registry, and the commands that call its actions. */
export const registryCommands: Command[] = [
  {
    usage: 'nodes',
    description: 'The nodes of the pool',
    run: describeNodes,
  },
  {
    usage: 'services',
    description: 'The services of the pool, and the nodes that run each',
    run: describeServices,
  },
  {
    usage: 'actions',
    description: 'The actions of the pool, and how many nodes serve each',
    run: describeActions,
  },
  {
    usage: 'events',
    description: 'The events that services listen to',
    run: describeEvents,
  },
  {
    usage: 'info',
    description: 'This node: its name, its versions, its services',
    run: describeNode,
  },
  {
    usage: 'env',
    description: 'The settings in the environment of this node, without secrets',
    run: describeEnvironment,
  },
  {
    usage: 'call <action> [json]',
    description: `Call an action: call access.console.graph '{"body":{"orgId":"org_…"}}'`,
    changes: (broker, { action = '' }) => !isRead(broker, action),
    recorded: ({ action = '' }) => action,
    run: (broker, { action = '', json }) => callAction(broker, action, json),
  },
  {
    usage: 'dcall <node> <action> [json]',
    description: 'Call an action on one node',
    changes: (broker, { action = '' }) => !isRead(broker, action),
    recorded: ({ node = '', action = '' }) => `${node} ${action}`,
    run: (broker, { node = '', action = '', json }) => callAction(broker, action, json, node),
  },
];

/** Formats a table sorted by its first column, with its data. */
function tableOf(head: string[], rows: string[][], data: unknown): Output {
  const sorted = rows.sort(([one = ''], [other = '']) => one.localeCompare(other));
  return { text: toTable(head, sorted).join('\n'), data };
}

type Node = { id: string; available: boolean; hostname?: string; ipList?: string[]; cpu?: number | null };

function describeNodes({ registry, nodeID }: ServiceBroker): Output {
  const nodes = registry.nodes.list({}) as Node[];
  const rows = nodes.map(({ id, available, hostname = '', ipList: [ip = ''] = [], cpu }) => [
    id === nodeID ? `${id} (this node)` : id,
    available ? 'online' : 'offline',
    hostname,
    ip,
    typeof cpu === 'number' ? `${Math.round(cpu)} %` : '',
  ]);
  const data = nodes.map(({ id, available, hostname }) => ({ node: id, isAvailable: available, hostname }));
  return tableOf(['Node', 'State', 'Host', 'IP', 'CPU'], rows, data);
}

function describeServices(broker: ServiceBroker): Output {
  const data = registeredServices(broker).map(({ name, nodeID }) => ({ service: name, node: nodeID }));
  const byName = Map.groupBy(data, ({ service }) => service);
  const rows = [...byName].map(([name, on]) => [name, on.map(({ node }) => node).join(', ')]);
  return tableOf(['Service', 'Nodes'], rows, data);
}

type Listed = { name: string; count: number; group?: string; action?: { rest?: { method: string; fullPath: string } } };

function describeActions({ registry }: ServiceBroker): Output {
  const actions = registry.getActionList({}) as unknown as Listed[];
  const rows = actions.map(({ name, count, action: { rest } = {} }) => [
    name,
    String(count),
    rest ? `${rest.method} ${rest.fullPath}` : '',
  ]);
  return tableOf(['Action', 'Nodes', 'Path'], rows, namesIn(actions));
}

function describeEvents({ registry }: ServiceBroker): Output {
  const events = registry.getEventList({}) as unknown as Listed[];
  const rows = events.map(({ name, group = '', count }) => [name, group, String(count)]);
  return tableOf(['Event', 'Group', 'Nodes'], rows, namesIn(events));
}

function namesIn(listed: Listed[]): string[] {
  return [...new Set(listed.map(({ name }) => name))].sort();
}

function describeNode(broker: ServiceBroker) {
  const data = {
    node: broker.nodeID,
    namespace: broker.namespace,
    runtime: process.version,
    moleculer: broker.MOLECULER_VERSION,
    pid: process.pid,
    uptimeSeconds: Math.round(process.uptime()),
    residentMiB: Math.round(process.memoryUsage.rss() / 2 ** 20),
    nodes: broker.registry.nodes.list({ onlyAvailable: true }).map(({ id }) => id),
    services: broker.services.map(({ name }) => name),
  };
  const lines = Object.entries(data).map(
    ([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : value}`,
  );
  return { text: lines.join('\n'), data };
}

const secretName = /KEY|SECRET|PASSWORD|TOKEN/;

function describeEnvironment() {
  const set = Object.keys(declaredSettings().variables).filter((name) => process.env[name] !== undefined);
  const data = Object.fromEntries(set.map((name) => [name, shownValue(name)]));
  const lines = Object.entries(data).map(([name, value]) => `${name}=${value}`);
  return { text: lines.length === 0 ? 'No setting is set.' : lines.join('\n'), data };
}

function shownValue(name: string): string {
  const parsed = { ...settings, ...declaredSettings().values }[name];
  const isSecret = [parsed].flat().some((value) => value instanceof Secret) || secretName.test(name);
  return isSecret ? '***' : redactText(process.env[name] ?? '');
}

/** Whether an action answers GET requests, which change nothing. */
function isRead(broker: ServiceBroker, name: string): boolean {
  const registered = broker.registry.getActionList({}) as unknown as Listed[];
  return registered.some((one) => one.name === name && one.action?.rest?.method === 'GET');
}

async function callAction(broker: ServiceBroker, action: string, json = '{}', nodeID?: string) {
  const data = await broker.call<unknown, object>(action, paramsOf(json), nodeID === undefined ? {} : { nodeID });
  return { text: JSON.stringify(data, null, 2) ?? 'undefined', data };
}

function paramsOf(json: string): object {
  const params: unknown = JSON.parse(json);
  if (typeof params !== 'object' || params === null) throw new Error('The parameters must be a JSON object.');
  return params;
}
