import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { declaredSettings, type Variables } from '../lib/settings/define-settings.ts';
import { StartError } from '../lib/settings/start-error.ts';
import '../lib/settings/variables.ts';

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

const usage = `Usage: npm start                          all services in one process
       npm run node -- SERVICE…           a node of a pool with these services; gateway is one of them
       npx deno task node SERVICE…        the same on Deno, with the permissions of deno.json
       npm run backup -- FILE             saves the embedded database while the platform runs
       npm run backup -- --restore FILE   restores it into an empty DATA_DIR
       npm run admin                      gives the first user a new password
       npm run seed                       fills a platform in development with a business to look around in
       npm run reset                      deletes all data of a platform in development
       npm run erasures -- FILE           saves the list of erasures while the platform runs
       npm run erasures -- --apply FILE   applies them to a restored database

Options: --repl         opens a console on the node; exit and Ctrl-D close it, and the node keeps running
         --console      opens the console of a pool, or of the platform that runs on DATA_DIR, from another process
         -c 'COMMAND'   runs one command of the console without a terminal: npm run node -- -c 'jobs'
         --json         prints the answer to -c as one line of JSON
         --yes          confirms a command that changes something
         --as USER      names the operator in the audit log, by email address or id
         --help         shows this page

Settings come from the environment, and from .env where the environment has none:
`;

const services = join(import.meta.dirname, '..', 'services');

/** The variables of the platform, then those that its services declare in their `settings.ts`. */
export async function allVariables(): Promise<Variables> {
  await importServiceSettings();
  return declaredSettings().variables;
}

/** Throws a StartError that names every invalid variable of the services, also of those that the node does not run. */
export async function checkServiceSettings(): Promise<void> {
  const problems = await importServiceSettings();
  if (problems.length > 0) throw new StartError(problems.join('\n'));
}

async function importServiceSettings(): Promise<string[]> {
  const problems: string[] = [];
  for (const name of (await readdir(services)).sort()) {
    const file = join(services, name, 'settings.ts');
    if (!existsSync(file)) continue;
    await import(pathToFileURL(file).href).catch((error: unknown) => {
      if (!(error instanceof StartError)) throw error;
      problems.push(error.message);
    });
  }
  return problems;
}

/** The output of `--help`: how to start, and every setting with an example. */
export function helpPage(variables: Variables): string {
  const width = Math.max(...Object.keys(variables).map((name) => name.length));
  const lines = Object.entries(variables).map(([name, { about, example }]) => {
    const margin = ' '.repeat(width + 4);
    return `  ${name.padEnd(width)}  ${about}\n${margin}Example: ${example}`;
  });
  return `${usage}\n${lines.join('\n')}\n`;
}

const heading = `# Every setting of the platform with an example; settings that are not set have their defaults. Copy this file to
# .env, which npm start reads, and uncomment what you set. The environment takes precedence over the file.
`;

/** The text of `.env.example`. */
export function exampleEnvironment(variables: Variables): string {
  const entries = Object.entries(variables).map(([name, { about, example }]) => {
    return `# ${about}\n# ${name}=${/\s/.test(example) ? `"${example}"` : example}\n`;
  });
  return [heading, ...entries].join('\n');
}
