import './env-file.js';
import { isStartFailure } from '../embedded/mongo/start-failure.ts';
import { StartError } from '../lib/settings/start-error.ts';

/** Runs the entry of a command of package.json. A known failure is printed as one sentence; the exit code is then 1. */
export async function runCommand(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof StartError || isStartFailure(error))) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/** Parses a command line. Throws a StartError with the problem and the usage. */
export function readUsing<T>(usage: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new StartError(`${error instanceof Error ? error.message : error}\n${usage.trimEnd()}`);
  }
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
