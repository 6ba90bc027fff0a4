import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { backupEmbeddedMongo, restoreEmbeddedMongo } from '../embedded/mongo/index.ts';
import { isStartFailure } from '../embedded/mongo/start-failure.ts';
import { StartError } from '../lib/start-error.ts';
import { parseSettings, type Settings, SettingsError } from '../lib/variables.ts';

const usage = `Usage: npm run backup -- FILE             saves the embedded database of DATA_DIR, also while the platform runs
       npm run backup -- --restore FILE   brings it back into a DATA_DIR that has no database
`;

/** The entry of `npm run backup`. */
async function main(): Promise<void> {
  const { file, restores, help } = readCommandLine();
  if (help) {
    process.stdout.write(usage);
    return;
  }
  const dir = databaseFolder(parseSettings(process.env));
  if (restores) await restore(dir, file);
  else await backUp(dir, file);
}

function readCommandLine(): { file: string; restores: boolean; help: boolean } {
  const options = { restore: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } } as const;
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    const [file = ''] = positionals;
    if (positionals.length !== 1 && !values.help) throw new Error('Name one file.');
    return { file, restores: values.restore, help: values.help === true };
  } catch (error) {
    throw new StartError(`${error instanceof Error ? error.message : error}\n${usage.trimEnd()}`);
  }
}

function databaseFolder(settings: Settings): string {
  if (settings.MONGO_URL) {
    throw new StartError('MONGO_URL is set, so the data is not here: back that server up with its own tools.');
  }
  return join(settings.DATA_DIR, 'mongo');
}

async function backUp(dir: string, file: string): Promise<void> {
  await backupEmbeddedMongo({ dir, file });
  print(`The database of ${dir} was saved to ${resolve(file)}.`);
  print(
    'It holds what the database holds. Keep SECRET_KEY, or the file secret-key of DATA_DIR, and stored objects too.',
  );
}

async function restore(dir: string, file: string): Promise<void> {
  await restoreEmbeddedMongo({ dir, file });
  print(`${resolve(file)} was restored to ${dir}. Start the platform with the SECRET_KEY it was saved under.`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof StartError || error instanceof SettingsError || isStartFailure(error))) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
