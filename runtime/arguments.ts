import { parseArgs } from 'node:util';
import { StartError } from '../lib/start-error.ts';

export type Arguments = {
  services: string[];
  help: boolean;
  repl: boolean;
  console: boolean;
  /** A command of the console to run without a terminal; null for none. */
  command: string | null;
  /** The operator who types commands, by email address or id; null for the system user. */
  as: string | null;
  /** Confirms commands that change data. */
  yes: boolean;
  json: boolean;
};

const flag = { type: 'boolean', default: false } as const;

/** Parses the command line of a node: names of services, and options. `-c` starts a console. */
export function readArguments(commandLine: string[]): Arguments {
  try {
    const { values, positionals } = parseArgs({
      args: commandLine,
      allowPositionals: true,
      options: {
        help: { ...flag, short: 'h' },
        repl: flag,
        console: flag,
        command: { type: 'string', short: 'c' },
        as: { type: 'string' },
        yes: { ...flag, short: 'y' },
        json: flag,
      },
    });
    const { command = null, as = null, ...flags } = values;
    if (command === null && (flags.json || flags.yes)) throw new Error('--json and --yes need -c with a command.');
    return { services: positionals, ...flags, command, as, console: flags.console || command !== null };
  } catch (error) {
    throw new StartError(`${error instanceof Error ? error.message : error} See --help.`);
  }
}
