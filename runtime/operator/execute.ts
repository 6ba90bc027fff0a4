import { setTimeout as wait } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import { call } from '../../lib/contract/context.ts';
import { isError } from '../../lib/contract/errors.ts';
import { registeredServices } from '../../lib/contract/service-declarations.ts';
import { second } from '../../lib/data/clock.ts';
import { idPattern } from '../../lib/data/ids.ts';
import { type Arguments, type Command, caller, commandsOf, nameOf, type Output } from './commands.ts';

/** `as`: the operator, by their email address or id; null for the system user. */
export type ConsoleRequest = { line: string; as: string | null; isConfirmed: boolean };

export type ConsoleReply =
  | { kind: 'done'; text: string; data: unknown }
  | { kind: 'confirm'; question: string }
  | { kind: 'failed'; code: string; message: string };

/** Runs a command line for a terminal or a script, in this process or in the serving process. */
export type Execute = (request: ConsoleRequest) => Promise<ConsoleReply>;

const organizationId = idPattern('org');

/** How long commands wait, after the console was opened, for services that a newly joined node does not know yet. */
const discoveryTime = 5 * second;

/** Runs command lines on this broker. Never throws: an error is a reply of one line. */
export function executeOn(broker: ServiceBroker): Execute {
  const place: Place = { broker, discoversUntil: performance.now() + discoveryTime };
  return async (request) => {
    try {
      return await execute(place, request);
    } catch (error) {
      const { message, type } = error as Error & { type?: string };
      return { kind: 'failed', code: type ?? 'COMMAND_FAILED', message: message.replace(/\s+/g, ' ').trim() };
    }
  };
}

type Place = { broker: ServiceBroker; discoversUntil: number };

async function execute(place: Place, request: ConsoleRequest): Promise<ConsoleReply> {
  const { words, as = request.as, isConfirmed } = readLine(request.line);
  const [name = '', ...typed] = words;
  if (name === '') return done('');
  if (name === 'help') return done(await describeCommands(place, typed[0]));
  const command = await findCommand(place, name);
  const { broker } = place;
  const args = argumentsOf(command, typed);
  if (isChange(broker, command, args)) {
    if (!request.isConfirmed && !isConfirmed) return { kind: 'confirm', question: questionOf(words, as) };
    await record(place, command, args, { typed, as });
  }
  if (command.service !== undefined) await requireService(place, command.service);
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

/** Finds a command. On a node that has just joined a pool, it waits for the services that declare it. */
async function findCommand(place: Place, name: string): Promise<Command> {
  const find = () => commandsOf(place.broker).find((one) => nameOf(one) === name);
  const command = await untilKnown(place, find);
  if (!command) throw invalid(`No command ${name}, and no running service declares it; help lists all.`);
  return command;
}

/** Polls until a value is known, for as long as a newly joined node may not know the services of the pool. */
async function untilKnown<T>({ broker, discoversUntil }: Place, find: () => T | undefined): Promise<T | undefined> {
  let found = find();
  // A single node has no other services to wait for.
  while (!found && broker.transit && performance.now() < discoversUntil) {
    await wait(50);
    found = find();
  }
  return found;
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
  place: Place,
  command: Command,
  args: Arguments,
  { typed, as }: { typed: string[]; as: string | null },
): Promise<void> {
  const { broker } = place;
  const name = nameOf(command);
  const text = (command.recorded?.(args) ?? typed.join(' ')).slice(0, 500);
  broker.getLogger('console').warn(`${name} ${text}`, { operator: as ?? 'system' });
  try {
    await requireService(place, 'identity');
    const orgId = Object.values(args).find((value) => organizationId.test(value)) ?? null;
    await call(caller(broker), 'identity.console.record', { body: { command: name, arguments: text, as, orgId } });
  } catch (error) {
    if (!command.isRepair || isError(error, 'NOT_FOUND')) throw error;
    broker.getLogger('console').warn('The command is not in the audit log.', { error });
  }
}

async function requireService(place: Place, name: string): Promise<void> {
  const find = () => registeredServices(place.broker).find((service) => service.name === name && service.available);
  if (!(await untilKnown(place, find))) throw new Error(`No node runs the service ${name}.`);
}

/** The help of one command or of all, with their declarations as data. */
async function describeCommands(place: Place, name: string | undefined): Promise<Output> {
  const shown = name === undefined ? commandsOf(place.broker) : [await findCommand(place, name)];
  const width = Math.max(...shown.map(({ usage }) => usage.length));
  const lines = shown.map(({ usage, description, changes }) => {
    return `${usage.padEnd(width)}  ${description}${changes === true ? ' (asks first)' : ''}`;
  });
  const own = ['', 'exit closes the console. --as <user> names the operator, --yes answers the question.'];
  const data = shown.map((command) => ({
    name: nameOf(command),
    usage: command.usage,
    description: command.description,
  }));
  return { text: [...lines, ...(name === undefined ? own : [])].join('\n'), data };
}
