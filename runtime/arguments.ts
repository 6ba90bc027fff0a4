import { parseArgs } from 'node:util';
import { StartError } from '../lib/start-error.ts';

export type Arguments = { services: string[]; help: boolean; repl: boolean };

/** Reads the command line of a node: names of services, `--repl`, `--help`. */
export function readArguments(commandLine: string[]): Arguments {
  try {
    const { values, positionals } = parseArgs({
      args: commandLine,
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h', default: false }, repl: { type: 'boolean', default: false } },
    });
    return { services: positionals, ...values };
  } catch (error) {
    throw new StartError(`${error instanceof Error ? error.message : error} See --help.`);
  }
}
