import { setTimeout as wait } from 'node:timers/promises';
import type { Logger, ServiceBroker } from 'moleculer';
import { StartError } from '../../lib/settings/start-error.ts';
import type { Arguments } from '../command-line.ts';
import { executeOn } from './execute.ts';
import { connectConsole } from './socket.ts';
import { runOnce, runTerminal } from './terminal.ts';

/** The console options of the command line. */
export type ConsoleOptions = Pick<Arguments, 'command' | 'as' | 'yes' | 'json'>;

/** Opens the console of a serving node on a terminal. Resolves when it is closed; the node keeps running. */
export async function openConsole(broker: ServiceBroker, logger: Logger, as: string | null): Promise<void> {
  if (!process.stdin.isTTY) {
    logger.warn('--repl is ignored: the standard input is not a terminal.');
    return;
  }
  const { stdin: input, stdout: output } = process;
  const stop = () => void process.kill(process.pid, 'SIGTERM');
  await runTerminal({ execute: executeOn(broker), as, input, output, stop });
}

/** Runs the console of a pool, on a broker without services; with a command it runs only that. Ends the process. */
export async function runConsole(broker: ServiceBroker, options: ConsoleOptions): Promise<void> {
  if (options.command !== null) await discover(broker);
  const code = await runWith(executeOn(broker), options);
  await broker.stop();
  process.exit(code);
}

/**
 * Runs the console of a single-process platform from another process.
 *
 * @throws StartError no platform runs on the folder.
 */
export async function runRemoteConsole(dataDir: string, options: ConsoleOptions): Promise<void> {
  requireTerminal(options);
  const execute = await connectConsole(dataDir);
  if (!execute) {
    throw new StartError(
      `No platform runs on DATA_DIR ${dataDir}. Start it, or set NATS_URL for the console of a pool.`,
    );
  }
  process.exit(await runWith(execute, options));
}

/** @throws StartError the console has neither a terminal nor a command. */
export function requireTerminal({ command }: ConsoleOptions): void {
  if (command === null && !process.stdin.isTTY) {
    throw new StartError("--console needs a terminal. Without one, run a command with -c 'command'.");
  }
}

async function runWith(
  execute: ReturnType<typeof executeOn>,
  { command, as, yes, json }: ConsoleOptions,
): Promise<number> {
  if (command !== null) return await runOnce(execute, { line: command, as, isConfirmed: yes, json });
  const { stdin: input, stdout: output } = process;
  await runTerminal({ execute, as, input, output, stop: null });
  return 0;
}

const discoveryMilliseconds = 3000;
const pollMilliseconds = 100;

/** Waits until other nodes have introduced themselves: no new one since the last poll. */
async function discover(broker: ServiceBroker): Promise<void> {
  const count = () => broker.registry.nodes.list({ onlyAvailable: true, withServices: true }).length;
  let known = 1;
  for (let waited = 0; waited < discoveryMilliseconds; waited += pollMilliseconds) {
    await wait(pollMilliseconds);
    const now = count();
    if (now > 1 && now === known) return;
    known = now;
  }
}
