import { parseArgs } from 'node:util';
import { StartError } from '../lib/start-error.ts';

export type Arguments = { services: string[]; help: boolean; repl: boolean; console: boolean };

const flag = { type: 'boolean', default: false } as const;

/** Reads the command line of a node: names of services, `--repl`, `--console`, `--help`. */
export function readArguments(commandLine: string[]): Arguments {
  try {
    const { values, positionals } = parseArgs({
      args: commandLine,
      allowPositionals: true,
      options: { help: { ...flag, short: 'h' }, repl: flag, console: flag },
    });
    return { services: positionals, ...values };
  } catch (error) {
    throw new StartError(`${error instanceof Error ? error.message : error} See --help.`);
  }
}
