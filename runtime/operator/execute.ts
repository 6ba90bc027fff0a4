import { setTimeout as wait } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import { call } from '../../lib/contract/context.ts';
import { isError } from '../../lib/contract/errors.ts';
import { registeredServices } from '../../lib/contract/permissions.ts';
import { second } from '../../lib/data/clock.ts';
import { idPattern } from '../../lib/data/ids.ts';
import { type Arguments, type Command, caller, commands, nameOf, type Output } from './commands.ts';

/** `as`: the operator, by their email address or id; null for the system user. */
export type ConsoleRequest = { line: string; as: string | null; isConfirmed: boolean };

export type ConsoleReply =
  | { kind: 'done'; text: string; data: unknown }
  | { kind: 'confirm'; question: string }
  | { kind: 'failed'; code: string; message: string };

/** Runs a command line for a terminal or a script, in this process or in the serving process. */
export type Execute = (request: ConsoleRequest) => Promise<ConsoleReply>;

const organizationId = idPattern('org');

/** How long a command waits for a service of the pool that a newly joined node does not know yet. */
const discoveryTime = 5 * second;

/** Runs command lines on this broker. Never throws: an error is a reply of one line. */
export function executeOn(broker: ServiceBroker): Execute {
  return async (request) => {
    try {
      return await execute(broker, request);
    } catch (error) {
      const { message, type } = error as Error & { type?: string };
      return { kind: 'failed', code: type ?? 'COMMAND_FAILED', message: message.replace(/\s+/g, ' ').trim() };
    }
  };
}

async function execute(broker: ServiceBroker, request: ConsoleRequest): Promise<ConsoleReply> {
  const { words, as = request.as, isConfirmed } = readLine(request.line);
  const [name = '', ...typed] = words;
  if (name === '') return done('');
  if (name === 'help') return done(helpOf(typed[0]));
  const command = commandNamed(name);
  const args = argumentsOf(command, typed);
  if (isChange(broker, command, args)) {
    if (!request.isConfirmed && !isConfirmed) return { kind: 'confirm', question: questionOf(words, as) };
    await record(broker, command, args, { typed, as });
  }
  if (command.service !== undefined) await requireService(broker, command.service);
  return done(await command.run(broker, args));
}

function done(output: Output): ConsoleReply {
  return typeof output === 'string' ? { kind: 'done', text: output, data: null } : { kind: 'done', ...output };
}

type Line = { words: string[]; as?: string; isConfirmed: boolean };

/** Parses the words of a line; a quoted word may contain spaces. `--as` and `--yes` may be anywhere. */
function readLine(line: string): Line {
  const words: string[] = [];
  const options: { as?: string; isConfirmed: boolean } = { isConfirmed: false };
  const all = [...line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double?.replace(/\\(.)/g, '$1') ?? single ?? plain ?? '',
  );
  for (const word of all.values()) {
    if (word === '--yes' || word === '-y') options.isConfirmed = true;
    else if (word.startsWith('--as=')) options.as = word.slice('--as='.length);
    else words.push(word);
  }
  const place = words.indexOf('--as');
  if (place === -1) return { words, ...options };
  const [, as] = words.splice(place, 2);
  if (as === undefined) throw invalid('--as needs the email address or the id of a user.');
  return { words, ...options, as };
}

function invalid(message: string): Error {
  return Object.assign(new Error(message), { type: 'COMMAND_INVALID' });
}

function commandNamed(name: string): Command {
  const command = commands.find((one) => nameOf(one) === name);
  if (!command) throw invalid(`There is no command ${name}; help lists them.`);
  return command;
}

function argumentsOf({ usage }: Command, typed: string[]): Arguments {
  const places = [...usage.matchAll(/([<[])([^>\]]+)[>\]]/g)].map(([, bracket, name = '']) => ({
    name,
    isRequired: bracket === '<',
  }));
  const required = places.filter(({ isRequired }) => isRequired).length;
  if (typed.length < required || typed.length > places.length) throw invalid(`Usage: ${usage}`);
  return Object.fromEntries(typed.map((value, place) => [places[place]?.name ?? '', value]));
}

function isChange(broker: ServiceBroker, { changes = false }: Command, args: Arguments): boolean {
  return typeof changes === 'function' ? changes(broker, args) : changes;
}

function questionOf(words: string[], as: string | null): string {
  return `${words.join(' ')} changes the platform, as ${as ?? 'the system user'}. Continue?`;
}

/**
 * Records a command in the audit log before it runs.
 *
 * @throws the error of the record, unless the command may be needed to repair its cause.
 */
async function record(
  broker: ServiceBroker,
  command: Command,
  args: Arguments,
  { typed, as }: { typed: string[]; as: string | null },
): Promise<void> {
  const name = nameOf(command);
  const text = (command.recorded?.(args) ?? typed.join(' ')).slice(0, 500);
  broker.getLogger('console').warn(`${name} ${text}`, { operator: as ?? 'system' });
  try {
    await requireService(broker, 'identity');
    const orgId = Object.values(args).find((value) => organizationId.test(value)) ?? null;
    await call(caller(broker), 'identity.console.record', { body: { command: name, arguments: text, as, orgId } });
  } catch (error) {
    if (!command.isRepair || isError(error, 'NOT_FOUND')) throw error;
    broker.getLogger('console').warn('The command is not in the audit log.', { error });
  }
}

async function requireService(broker: ServiceBroker, name: string): Promise<void> {
  const isKnown = () => registeredServices(broker).some((service) => service.name === name);
  const pause = 50;
  // A single node has no other services to wait for.
  for (let waited = 0; broker.transit && !isKnown() && waited < discoveryTime; waited += pause) await wait(pause);
  if (!isKnown()) throw new Error(`No node runs the service ${name}.`);
}

function helpOf(name: string | undefined): string {
  const shown = name === undefined ? commands : [commandNamed(name)];
  const width = Math.max(...shown.map(({ usage }) => usage.length));
  const lines = shown.map(({ usage, description, changes }) => {
    return `${usage.padEnd(width)}  ${description}${changes === true ? ' (asks first)' : ''}`;
  });
  const own = ['', 'exit closes the console. --as <user> names the operator, --yes answers the question.'];
  return [...lines, ...(name === undefined ? own : [])].join('\n');
}
