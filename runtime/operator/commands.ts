import type { Context, ServiceBroker } from 'moleculer';
import { type CallInput, type CallOutput, type Calls, call } from '../../lib/contract/context.ts';
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
export function caller(broker: ServiceBroker): Pick<Context, 'call'> {
  return broker as unknown as Pick<Context, 'call'>;
}

/** The actions that answer commands in lines. */
type ConsoleAction = {
  [N in keyof Calls & string]: CallOutput<N> extends { lines: string[] } ? N : never;
}[keyof Calls & string];

/** Defines a command that an action of a service runs. */
function queryService<N extends ConsoleAction>(
  action: N,
  inputOf: (args: Arguments) => CallInput<N>,
): Pick<Command, 'service' | 'run'> {
  const [service = ''] = action.split('.');
  return {
    service,
    async run(broker, args) {
      const { lines } = await call(caller(broker), action, inputOf(args));
      return lines.join('\n');
    },
  };
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
  {
    usage: 'erasures',
    description: 'The services that erase organizations, and the deletions that wait for one of them',
    ...queryService('identity.console.erasures', () => ({ body: {} })),
  },
  {
    usage: 'erasures:forget <service>',
    description: 'Stop waiting for a service that was removed permanently with its data',
    changes: true,
    ...queryService('identity.console.forget-erasure', ({ service = '' }) => ({ body: { service } })),
  },
  {
    usage: 'access:who-can <key> <organization>',
    description: 'Who holds a permission in an organization (org_…)',
    ...queryService('access.console.who-can', ({ key = '', organization: orgId = '' }) => ({ body: { key, orgId } })),
  },
  {
    usage: 'access:why <user> <key> <organization>',
    description: 'Why a user or an application (usr_…, app_…) holds a permission or does not',
    ...queryService('access.console.why', ({ user: subject = '', key = '', organization: orgId = '' }) => ({
      body: { subject, key, orgId },
    })),
  },
  {
    usage: 'access:graph <organization>',
    description: "The size of an organization's access graph, and its roles",
    ...queryService('access.console.graph', ({ organization: orgId = '' }) => ({ body: { orgId } })),
  },
  {
    usage: 'identity:trust <organization>',
    description: 'Let browsers return to the OAuth clients of an organization (org_…) without a confirmation',
    changes: true,
    ...queryService('identity.console.trust', ({ organization: orgId = '' }) => ({ body: { orgId, isTrusted: true } })),
  },
  {
    usage: 'identity:untrust <organization>',
    description: 'Require a confirmation before browsers return to the OAuth clients of an organization (org_…)',
    changes: true,
    ...queryService('identity.console.trust', ({ organization: orgId = '' }) => ({
      body: { orgId, isTrusted: false },
    })),
  },
  {
    usage: 'identity:first-party <client>',
    description: 'Mark an OAuth client (cli_…) as first-party: users need not give consent',
    changes: true,
    ...queryService('identity.console.first-party', ({ client: clientId = '' }) => ({ body: { clientId } })),
  },
  {
    usage: 'identity:third-party <client>',
    description: 'Remove the first-party mark: users must give consent, and the grants of the client end',
    changes: true,
    ...queryService('identity.console.third-party', ({ client: clientId = '' }) => ({ body: { clientId } })),
  },
  {
    usage: 'notify:queue',
    description: 'Queued notifications, and the newest dead letters',
    ...queryService('notification.console.queue', () => ({ body: {} })),
  },
  {
    usage: 'notify:redrive <what>',
    description: 'Retry dead letters: one (ntf_…), all of an organization (org_…), or all',
    changes: true,
    ...queryService('notification.console.redrive', ({ what = '' }) => ({ body: { what } })),
  },
  {
    usage: 'billing:pay <id>',
    description: 'Record that a checkout or an invoice (chk_…, ivc_…) was paid manually',
    changes: true,
    ...queryService('billing.console.pay', ({ id = '' }) => ({ body: { id } })),
  },
  {
    usage: 'billing:decline <id>',
    description: 'Record that a checkout (chk_…) will not be paid manually',
    changes: true,
    ...queryService('billing.console.decline', ({ id = '' }) => ({ body: { id } })),
  },
  {
    usage: 'billing:give <organization> <plan>',
    description: 'Give an organization (org_…) a plan without payment',
    changes: true,
    ...queryService('billing.console.give', ({ organization: orgId = '', plan = '' }) => ({ body: { orgId, plan } })),
  },
  {
    usage: 'billing:show <organization>',
    description: 'The plan, open amounts and pending checkout of an organization (org_…)',
    ...queryService('billing.console.show', ({ organization: orgId = '' }) => ({ body: { orgId } })),
  },
  {
    usage: 'billing:clock [change]',
    description: 'Move the clock of billing ahead (31d, 12h, 90m) or reset it; only with the test provider',
    changes: (_broker, { change = '' }) => change !== '',
    ...queryService('billing.console.clock', ({ change = '' }) => ({ body: { change } })),
  },
  {
    usage: 'mail:queue',
    description: 'Queued mail, its age, and the newest dead letters',
    ...queryService('mail.console.queue', () => ({ body: {} })),
  },
  {
    usage: 'mail:redrive <what>',
    description: 'Retry dead letters: one (msg_…), all of an organization (org_…), or all',
    changes: true,
    ...queryService('mail.console.redrive', ({ what = '' }) => ({ body: { what } })),
  },
  {
    usage: 'audit [organization]',
    description: 'The newest events in the audit log of an organization (org_…), or of the platform',
    ...queryService('identity.console.audit', ({ organization: orgId = null }: { organization?: string | null }) => ({
      body: { orgId },
    })),
  },
];

/** Every command of the console, in the order of its help. */
export const commands: Command[] = [...platformCommands, ...registryCommands];

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
