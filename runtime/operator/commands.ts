import type { ServiceBroker } from 'moleculer';
import type { CallContext } from '../../lib/contract/context.ts';
import type { CommandDeclaration } from '../../lib/contract/contract.ts';
import type { ConsoleOutput } from '../../lib/contract/define-command.ts';
import { describeAllVersions } from '../node-service.ts';
import { endDatabaseOperation, listDatabaseOperations } from './database.ts';
import { describeJobsOfPool, runJobInPool } from './jobs.ts';
import { registryCommands } from './registry.ts';

/** The arguments of a command by the names in its usage; optional ones may be absent. */
export type Arguments = Record<string, string>;

/** The output of a command, with structured data where it has more information than the text. */
export type Output = string | { text: string; data: unknown };

export type Command = {
  /** Its name and arguments: `jobs:run <name>`, `help [command]`. */
  usage: string;
  description: string;
  /** The service that runs it. */
  service?: string;
  /** Whether it changes data. Then the operator must confirm it, and it is recorded in the audit log. */
  changes?: boolean | ((broker: ServiceBroker, args: Arguments) => boolean);
  /** The arguments as recorded in the audit log; all of them when absent. */
  recorded?: (args: Arguments) => string;
  /** Whether it may repair the audit log's dependencies, so that it also runs without a record. */
  isRepair?: boolean;
  run: (broker: ServiceBroker, args: Arguments) => Promise<Output> | Output;
};

/** A broker has the same `call` as a context; only the types of its overloads differ. */
export function caller(broker: ServiceBroker): CallContext {
  return broker as unknown as CallContext;
}

const platformCommands: Command[] = [
  {
    usage: 'platform-ready',
    description: 'Why nodes of the pool are not ready',
    run: describeReadiness,
  },
  {
    usage: 'platform-load <node> <service>',
    description: 'Add or replace a service on a node, by name, folder or file: platform-load worker-1 hello',
    changes: true,
    isRepair: true,
    run: (broker, { node = '', service: file = '' }) => callNode(broker, 'load', node, { file }),
  },
  {
    usage: 'platform-unload <node> <service>',
    description: 'Stop and remove a service on a node',
    changes: true,
    isRepair: true,
    run: (broker, { node = '', service = '' }) => callNode(broker, 'unload', node, { name: service }),
  },
  {
    usage: 'platform-versions',
    description: 'The service versions of each node of the pool',
    run: async (broker) => describeAllVersions(broker),
  },
  {
    usage: 'jobs',
    description: 'The scheduled work of all services: last run, next run and failures',
    run: describeJobsOfPool,
  },
  {
    usage: 'jobs:run <name>',
    description: 'Run scheduled work once now, on a node that has it',
    changes: true,
    run: (broker, { name = '' }) => runJobInPool(broker, name),
  },
  {
    usage: 'db:ops',
    description: 'Long-running operations of the database: number, time, kind, collection, command',
    run: listDatabaseOperations,
  },
  {
    usage: 'db:kill <operation>',
    description: 'End an operation of the database, by its number in db:ops',
    changes: true,
    run: (broker, { operation = '' }) => endDatabaseOperation(broker, operation),
  },
];

/** Every command of the console that the pool has now, in the order of its help. */
export function commandsOf({ registry }: ServiceBroker): Command[] {
  return commandsWith(registry.getActionList({ withEndpoints: false }) as unknown as Listed[]);
}

/** The commands of the platform, and those that these actions declare. */
export function commandsWith(actions: Listed[]): Command[] {
  const own = [...platformCommands, ...registryCommands];
  const names = new Set(own.map(nameOf));
  const declared = declaredCommands(actions).filter((command) => !names.has(nameOf(command)));
  return [...platformCommands, ...declared, ...registryCommands];
}

/** The commands that actions declare, by name. The first of several versions of a command is taken. */
function declaredCommands(actions: Listed[]): Command[] {
  const commands = actions.flatMap(({ name, action }) =>
    (action?.contract?.commands ?? []).map((declaration): [string, Command] => [
      declaration.usage,
      toCommand(name, declaration),
    ]),
  );
  return [...new Map(commands.reverse()).values()].sort((one, other) => one.usage.localeCompare(other.usage));
}

type Listed = { name: string; action?: { contract?: { commands?: CommandDeclaration[] } } };

function toCommand(action: string, declaration: CommandDeclaration): Command {
  const { usage, description, changes = false, fields = {}, fixed = {} } = declaration;
  return {
    usage,
    description,
    service: action.slice(0, action.indexOf('.')),
    changes: changes === 'withArguments' ? (_broker, args) => Object.keys(args).length > 0 : changes,
    async run(broker, args) {
      const typed = Object.entries(args).map(([name, value]) => [fields[name] ?? name, value]);
      const body = { ...Object.fromEntries(typed), ...fixed };
      const { lines } = await broker.call<ConsoleOutput, object>(action, { body });
      return lines.join('\n');
    },
  };
}

export const nameOf = ({ usage }: Command): string => usage.split(' ')[0] ?? '';

function callNode(broker: ServiceBroker, action: 'load' | 'unload', node: string, params: object): Promise<string> {
  const nodes = broker.registry.nodes.list({ onlyAvailable: true });
  const names = nodes.map(({ id }) => id);
  if (!names.includes(node)) throw new Error(`There is no node ${node}. There are: ${names.join(', ')}.`);
  // No timeout: the node has a deadline for each step of a load, and its crash fails the call.
  return broker.call<string, object>(`node.${action}`, params, { nodeID: node, timeout: 0 });
}

async function describeReadiness(broker: ServiceBroker): Promise<Output> {
  const nodes = broker.registry.nodes.list({ onlyAvailable: true });
  const answers = nodes.map(async ({ id }) => {
    const missing = await broker
      .call<string[], object>('node.readiness', {}, { nodeID: id, timeout: 1000 })
      .catch((error: Error) => [error.message]);
    return { node: id, missing };
  });
  const data = await Promise.all(answers);
  const lines = data.map(({ node, missing }) => `${node}: ${missing.length === 0 ? 'ready' : missing.join(', ')}`);
  return { text: lines.join('\n'), data };
}
