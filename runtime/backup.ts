import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { backupEmbeddedMongo, isRestoreUnfinished, restoreEmbeddedMongo } from '../embedded/mongo/index.ts';
import { recordBackup } from '../lib/data/backup-log.ts';
import { StartError } from '../lib/settings/start-error.ts';
import { parseSettings, type Settings } from '../lib/settings/variables.ts';
import { databaseFolder } from '../mixins/embedded-server.ts';
import {
  objectsOf,
  requireNoObjects,
  requireRoomForObjects,
  restoreObjects,
  saveWithObjects,
} from './backup-objects.ts';
import { print, readUsing, runCommand } from './run-command.ts';

const usage = `Usage: npm run backup -- FILE             saves the embedded database of DATA_DIR to FILE, and its objects to
                                          FILE.objects, also while the platform runs
       npm run backup -- --restore FILE   brings them back into a DATA_DIR that has neither
                 --erasures LIST          and repeats the erasures of a list that \`npm run erasures\` has saved
`;

/** The entry of `npm run backup`. */
async function main(): Promise<void> {
  const { file, restores, erasures, help } = readCommandLine();
  if (help) {
    process.stdout.write(usage);
    return;
  }
  const settings = parseSettings(process.env);
  const dir = folderToSave(settings);
  if (!restores) await backUp(dir, file, settings);
  else if (erasures === undefined) await restoreWithErased(dir, file, settings);
  else await restoreAndApply(dir, file, settings, erasures);
}

type CommandLine = { file: string; restores: boolean; erasures: string | undefined; help: boolean };

function readCommandLine(): CommandLine {
  const options = {
    restore: { type: 'boolean', default: false },
    erasures: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  return readUsing(usage, () => {
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    const [file = ''] = positionals;
    if (positionals.length !== 1 && !values.help) throw new Error('Name one file.');
    const { restore: restores, erasures, help } = values;
    if (erasures !== undefined && !restores) throw new Error('--erasures is for a restore.');
    return { file, restores, erasures, help };
  });
}

function folderToSave(settings: Settings): string {
  if (settings.MONGO_URL) {
    throw new StartError('MONGO_URL is set, so the data is on that server: back it up with its own tools.');
  }
  return databaseFolder(settings.DATA_DIR);
}

async function backUp(dir: string, file: string, { DATA_DIR, S3_URL }: Settings): Promise<void> {
  requireNoObjects(file);
  const saveDatabase = () => backupEmbeddedMongo({ dir, file });
  const objects =
    S3_URL === undefined ? await saveWithObjects(DATA_DIR, file, saveDatabase) : await saveDatabase().then(() => 0);
  print(`The database of ${dir} was saved to ${resolve(file)}.`);
  await record(DATA_DIR, file, objects);
  if (objects > 0) print(`${objects} files of objects were saved to ${resolve(objectsOf(file))}.`);
  print(
    S3_URL === undefined
      ? 'Keep SECRET_KEY, or the file secret-key of DATA_DIR, too.'
      : 'Keep SECRET_KEY, or the file secret-key of DATA_DIR, too, and back the objects at S3_URL up with its own tools.',
  );
}

/** For the operators of the platform, who see the backups in their console. The backup is complete without it. */
async function record(dataDir: string, file: string, objects: number): Promise<void> {
  const { size } = await stat(file);
  const backup = { savedAt: new Date().toISOString(), file: resolve(file), bytes: size, objects };
  await recordBackup(dataDir, backup).catch((error) => print(`The backup is not in the operators' list: ${error}`));
}

async function restoreWithErased(dir: string, file: string, settings: Settings): Promise<void> {
  await restore(dir, file, settings);
  print(
    'What was erased since the backup is there again: customers, users and organizations. Before you start the platform, ' +
      'apply the newest list that `npm run erasures -- FILE` has saved: npm run erasures -- --apply FILE',
  );
}

async function restoreAndApply(dir: string, file: string, settings: Settings, list: string): Promise<void> {
  // Imported late, because these modules read the settings on load and the environment must be checked first.
  const { requireSoundList } = await import('./erasure-list.ts');
  const { applyErasures, outcomeOf } = await import('./apply-erasures.ts');
  await requireSoundList(list);
  await restore(dir, file, settings);
  try {
    print(outcomeOf(await applyErasures(list)));
  } catch (error) {
    print(`The list was not applied. Apply it before you start the platform: npm run erasures -- --apply ${list}`);
    throw error;
  }
}

async function restore(dir: string, file: string, { DATA_DIR }: Settings): Promise<void> {
  if (!isRestoreUnfinished(dir)) requireRoomForObjects(DATA_DIR, file);
  let objects = 0;
  const restoreBeside = async () => {
    objects = await restoreObjects(DATA_DIR, file);
  };
  await restoreEmbeddedMongo({ dir, file, restoreBeside });
  const what = objects > 0 ? `${resolve(file)} and ${objects} files of objects were` : `${resolve(file)} was`;
  print(`${what} restored to ${DATA_DIR}. Start the platform with the SECRET_KEY of the backup.`);
}

await runCommand(main);
