import type { Context, Logger, ServiceBroker } from 'moleculer';
import { call } from '../lib/calls.ts';
import { describeDatabaseOperations, killDatabaseOperation } from '../mixins/mongo-operations.ts';
import { describeJobsOfPool, runJobInPool } from './jobs-console.ts';
import { describeAllVersions } from './service-versions.ts';

type Parameters = Record<string, string>;
type Command = {
  command: string;
  description: string;
  run: (broker: ServiceBroker, args: Parameters) => Promise<string>;
};

/** No timeout here: the node that loads has deadlines for each step, and its crash fails the call. */
const endsByItself = { timeout: 0 };

const commands: Command[] = [
  {
    command: 'platform-ready',
    description: 'What each node of the pool lacks to be ready',
    run: describeReadiness,
  },
  {
    command: 'platform-load <node> <service>',
    description: 'Add or replace a service on a node, by name, folder or file: platform-load worker-1 hello',
    run: (broker, { node, service: file }) =>
      broker.call<string, object>('node.load', { file }, { nodeID: node, ...endsByItself }),
  },
  {
    command: 'platform-unload <node> <service>',
    description: 'Stop and remove a service on a node',
    run: (broker, { node, service }) =>
      broker.call<string, object>('node.unload', { name: service }, { nodeID: node, ...endsByItself }),
  },
  {
    command: 'platform-versions',
    description: 'Which version of which service each node of the pool runs',
    run: async (broker) => describeAllVersions(broker),
  },
  {
    command: 'jobs',
    description: 'The scheduled work of all services: what was done last, what comes next, and what failed',
    run: describeJobsOfPool,
  },
  {
    command: 'jobs:run <name>',
    description: 'Do scheduled work once now, on a node that has it',
    run: (broker, { name = '' }) => runJobInPool(broker, name),
  },
  {
    command: 'db:ops',
    description: 'What the database works on that takes long: number, time, kind, collection, command',
    run: describeDatabaseOperations,
  },
  {
    command: 'db:kill <operation>',
    description: 'End an operation of the database, by its number of db:ops',
    run: (_broker, { operation = '' }) => killDatabaseOperation(operation),
  },
  {
    command: 'erasures',
    description: 'The services that erase organizations, and the deletions that wait for one of them',
    run: (broker) => say(call(caller(broker), 'identity.console.erasures', { body: {} })),
  },
  {
    command: 'erasures:forget <service>',
    description: 'Let deletions wait no longer for a service that is gone for good with all it kept',
    run: (broker, { service = '' }) =>
      say(call(caller(broker), 'identity.console.forget-erasure', { body: { service } })),
  },
  {
    command: 'access:who-can <key> <organization>',
    description: 'Who holds a permission in an organization (org_…)',
    run: (broker, { key = '', organization: orgId = '' }) =>
      say(call(caller(broker), 'access.console.who-can', { body: { key, orgId } })),
  },
  {
    command: 'access:why <user> <key> <organization>',
    description: 'Why a user or an application (usr_…, app_…) holds a permission or does not',
    run: (broker, { user: subject = '', key = '', organization: orgId = '' }) =>
      say(call(caller(broker), 'access.console.why', { body: { subject, key, orgId } })),
  },
  {
    command: 'access:graph <organization>',
    description: "How large an organization's access is, and its roles",
    run: (broker, { organization: orgId = '' }) =>
      say(call(caller(broker), 'access.console.graph', { body: { orgId } })),
  },
  {
    command: 'identity:trust <organization>',
    description: 'Let browsers return to the OAuth clients of an organization (org_…) without asking their users',
    run: (broker, { organization: orgId = '' }) =>
      say(call(caller(broker), 'identity.console.trust', { body: { orgId, isTrusted: true } })),
  },
  {
    command: 'identity:untrust <organization>',
    description: 'Ask people before a browser returns to the OAuth clients of an organization (org_…)',
    run: (broker, { organization: orgId = '' }) =>
      say(call(caller(broker), 'identity.console.trust', { body: { orgId, isTrusted: false } })),
  },
  {
    command: 'identity:first-party <client>',
    description: "Mark an OAuth client (cli_…) as one of the platform's own: users are not asked for consent",
    run: (broker, { client: clientId = '' }) =>
      say(call(caller(broker), 'identity.console.first-party', { body: { clientId } })),
  },
  {
    command: 'identity:third-party <client>',
    description: 'Take that mark away: users are asked for consent, and what the client holds ends',
    run: (broker, { client: clientId = '' }) =>
      say(call(caller(broker), 'identity.console.third-party', { body: { clientId } })),
  },
  {
    command: 'notify:queue',
    description: 'What waits to be sent as a notification, and the newest dead letters',
    run: (broker) => say(call(caller(broker), 'notification.console.queue', { body: {} })),
  },
  {
    command: 'notify:redrive <what>',
    description: 'Send dead letters again: one (ntf_…), those of an organization (org_…), or all',
    run: (broker, { what = '' }) => say(call(caller(broker), 'notification.console.redrive', { body: { what } })),
  },
  {
    command: 'billing:pay <id>',
    description: 'Note that a checkout or an invoice (chk_…, ivc_…) was paid by hand',
    run: (broker, { id = '' }) => say(call(caller(broker), 'billing.console.pay', { body: { id } })),
  },
  {
    command: 'billing:decline <id>',
    description: 'Note that a checkout (chk_…) will not be paid by hand',
    run: (broker, { id = '' }) => say(call(caller(broker), 'billing.console.decline', { body: { id } })),
  },
  {
    command: 'billing:give <organization> <plan>',
    description: 'Give an organization (org_…) a plan that nobody pays for',
    run: (broker, { organization: orgId = '', plan = '' }) =>
      say(call(caller(broker), 'billing.console.give', { body: { orgId, plan } })),
  },
  {
    command: 'billing:show <organization>',
    description: 'What an organization (org_…) has, owes, and is about to buy',
    run: (broker, { organization: orgId = '' }) =>
      say(call(caller(broker), 'billing.console.show', { body: { orgId } })),
  },
  {
    command: 'billing:clock [change]',
    description: 'Move the clock of billing ahead (31d, 12h, 90m) or reset it; only with the test provider',
    run: (broker, { change = '' }) => say(call(caller(broker), 'billing.console.clock', { body: { change } })),
  },
  {
    command: 'mail:queue',
    description: 'How much mail waits, for how long, and the newest dead letters',
    run: (broker) => say(call(caller(broker), 'mail.console.queue', { body: {} })),
  },
  {
    command: 'mail:redrive <what>',
    description: 'Send dead letters again: one (msg_…), those of an organization (org_…), or all',
    run: (broker, { what = '' }) => say(call(caller(broker), 'mail.console.redrive', { body: { what } })),
  },
];

/** Opens Moleculer's console with the platform's commands, when the standard input is a terminal. */
export function openConsole(broker: ServiceBroker, logger: Logger): void {
  if (!process.stdin.isTTY) {
    // Moleculer's console stops the node at the end of its input.
    logger.warn('--repl is ignored, for the standard input is no terminal.');
    return;
  }
  broker.options.replOptions = { delimiter: 'platform $', customCommands: commands.map(toCustomCommand) };
  broker.repl();
}

function toCustomCommand({ command, description, run }: Command) {
  return {
    command,
    description,
    async action(broker: ServiceBroker, args: unknown): Promise<void> {
      const said = await run(broker, args as Parameters).catch((error: Error) => error.message);
      process.stdout.write(`${said}\n`);
    },
  };
}

/** A broker has the same `call` as a context; only the types of its overloads differ. */
function caller(broker: ServiceBroker): Pick<Context, 'call'> {
  return broker as unknown as Pick<Context, 'call'>;
}

async function say(answer: Promise<{ lines: string[] }>): Promise<string> {
  return (await answer).lines.join('\n');
}

async function describeReadiness(broker: ServiceBroker): Promise<string> {
  const nodes = broker.registry.nodes.list({ onlyAvailable: true });
  const lines = nodes.map(async ({ id }) => {
    const lacks = await broker
      .call<string[], object>('node.readiness', {}, { nodeID: id, timeout: 1000 })
      .catch((error: Error) => [error.message]);
    return `${id}: ${lacks.length === 0 ? 'ready' : lacks.join(', ')}`;
  });
  return (await Promise.all(lines)).join('\n');
}
