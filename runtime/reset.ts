import { readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { hasDatabase } from '../embedded/mongo/index.ts';
import { lockFolder } from '../embedded/mongo/lock.ts';
import { StartError } from '../lib/settings/start-error.ts';
import { parseSettings, type Settings } from '../lib/settings/variables.ts';
import { databaseFolder } from '../mixins/embedded-server.ts';
import { print, readUsing, runCommand } from './run-command.ts';

const usage = `Usage: npm run reset            deletes all data of a platform in development, after a confirmation
       npm run reset -- --yes   deletes it without a confirmation
The platform must be stopped, and its data must be in DATA_DIR alone.
`;

/** Settings that place data outside of DATA_DIR, or in a pool. */
const elsewhere = ['MONGO_URL', 'NATS_URL', 'REDIS_URL', 'S3_URL'] as const;

/** The entry of `npm run reset`. */
async function main(): Promise<void> {
  const { isConfirmed, help } = readCommandLine();
  if (help) {
    process.stdout.write(usage);
    return;
  }
  const settings = parseSettings(process.env);
  requireDevelopment(settings);
  const dir = resolve(settings.DATA_DIR);
  if (!hasDatabase(databaseFolder(dir))) throw new StartError(`There is no database in ${dir}: nothing to delete.`);
  await requireOwnFolder(dir);
  // Refuses before the question while a platform runs.
  lockFolder(databaseFolder(dir)).release();
  if (!isConfirmed && !(await confirm(dir))) throw new StartError('Nothing was deleted.');
  await empty(dir);
  print(`${dir} is empty.`);
  print('The next start creates a new user, organization, application and API key, and prints them once.');
  print('npm run seed then fills the organization with a business to look around in.');
}

function readCommandLine(): { isConfirmed: boolean; help: boolean } {
  const options = {
    yes: { type: 'boolean', short: 'y', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  return readUsing(usage, () => {
    const { yes: isConfirmed, help } = parseArgs({ options }).values;
    return { isConfirmed, help };
  });
}

function requireDevelopment(settings: Settings): void {
  const set = elsewhere.filter((name) => settings[name] !== undefined);
  if (set.length > 0) {
    throw new StartError(`${set.join(' and ')} must not be set: reset deletes the data of DATA_DIR alone.`);
  }
  if (process.env.NODE_ENV === 'production') throw new StartError('NODE_ENV is production: reset is for development.');
}

/** Entries that the platform creates in DATA_DIR, and drafts of them, which end with a process id. */
const ownEntry = /^(?:mongo|objects|console\.sock|(?:secret-key|first-run\.json)(?:\.\d+)?)$/;

/** Guards against a DATA_DIR that names a folder with files of other programs, such as a home folder. */
async function requireOwnFolder(dir: string): Promise<void> {
  const foreign = (await readdir(dir)).filter((name) => !ownEntry.test(name));
  if (foreign.length === 0) return;
  throw new StartError(`${dir} has files that the platform did not create: ${foreign.join(', ')}. Move them first.`);
}

/** Removes the content of the folder, the lock last: until then no platform starts on it. */
async function empty(dir: string): Promise<void> {
  const database = databaseFolder(dir);
  const lock = lockFolder(database);
  try {
    for (const name of await readdir(dir)) if (join(dir, name) !== database) await remove(join(dir, name));
    for (const name of await readdir(database)) if (!name.startsWith('lock.')) await remove(join(database, name));
  } finally {
    lock.release();
  }
  await remove(database);
}

const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true });

async function confirm(dir: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new StartError('Add --yes to delete the data without a terminal.');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question(`Delete all data in ${dir}, with its keys? Type yes: `);
    return answer.trim().toLowerCase() === 'yes';
  } finally {
    terminal.close();
  }
}

await runCommand(main);
