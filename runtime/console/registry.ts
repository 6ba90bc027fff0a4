import { createRequire } from 'node:module';
import { format, stripVTControlCharacters } from 'node:util';
import type { ServiceBroker } from 'moleculer';
import { registeredServices } from '../../lib/declarations.ts';
import { redactText } from '../../lib/redact.ts';
import { Secret } from '../../lib/secret.ts';
import { settings } from '../../lib/settings.ts';
import { variables } from '../../lib/variables.ts';
import type { Command } from './commands.ts';

type View = { handler: (broker: ServiceBroker, args: { options: object }) => Promise<void> };

const require = createRequire(import.meta.url);

/** The commands that show the broker's registry, and those that call its actions. */
export const registryCommands: Command[] = [
  view('nodes', 'The nodes of the pool', ({ registry }) =>
    registry.nodes.list({}).map(({ id, available, hostname }) => ({ node: id, isAvailable: available, hostname })),
  ),
  view('services', 'The services of the pool, and how many nodes run each', (broker) =>
    registeredServices(broker).map(({ name, nodeID }) => ({ service: name, node: nodeID })),
  ),
  view('actions', 'The actions of the pool', ({ registry }) => namesIn(registry.getActionList({}))),
  view('events', 'The events that services listen to', ({ registry }) => namesIn(registry.getEventList({}))),
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

function namesIn(listed: { name?: string }[]): string[] {
  return [...new Set(listed.flatMap(({ name }) => name ?? []))].sort();
}

/** A command of Moleculer's console that only prints, and the same as data. */
function view(name: string, description: string, dataOf: (broker: ServiceBroker) => unknown): Command {
  return {
    usage: name,
    description,
    async run(broker) {
      const { handler } = require(`moleculer-repl/src/commands/${name}.js`) as View;
      const lines: string[] = [];
      const { log } = console;
      console.log = (...texts: unknown[]) => lines.push(format(...texts));
      // It prints before it returns its promise.
      const printing = handler(broker, { options: {} });
      console.log = log;
      await printing;
      return { text: stripVTControlCharacters(lines.join('\n')).trim(), data: dataOf(broker) };
    },
  };
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
  const set = Object.keys(variables).filter((name) => process.env[name] !== undefined);
  const data = Object.fromEntries(set.map((name) => [name, shownValue(name)]));
  const lines = Object.entries(data).map(([name, value]) => `${name}=${value}`);
  return { text: lines.length === 0 ? 'No setting is set.' : lines.join('\n'), data };
}

function shownValue(name: string): string {
  const parsed = (settings as Record<string, unknown>)[name];
  const isSecret = [parsed].flat().some((value) => value instanceof Secret) || secretName.test(name);
  return isSecret ? '***' : redactText(process.env[name] ?? '');
}

type Registered = { name: string; action?: { rest?: { method?: string } } };

/** Whether an action answers GET requests, which change nothing. */
function isRead(broker: ServiceBroker, name: string): boolean {
  const registered = broker.registry.getActionList({}) as unknown as Registered[];
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
