import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, rename, rm, rmdir, utimes } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { backupEmbeddedMongo, isRestoreUnfinished, restoreEmbeddedMongo } from '../embedded/mongo/index.ts';
import { StartError } from '../lib/settings/start-error.ts';
import { parseSettings, type Settings } from '../lib/settings/variables.ts';
import { databaseFolder } from '../mixins/embedded-server.ts';
import { print, readUsing, runCommand } from './run-command.ts';

/** The folder in which a disk store keeps whole files, below DATA_DIR. */
const filesOf = (dataDir: string): string => join(dataDir, 'objects', 'files');

/** The folder of objects that belongs to a backup of the database. */
export const objectsOf = (file: string): string => `${file}.objects`;

/** Throws a StartError when a backup's folder of objects exists already. */
export function requireNoObjects(file: string): void {
  if (existsSync(objectsOf(file))) throw new StartError(`${objectsOf(file)} exists already; choose another file.`);
}

/** In milliseconds. The store removes the folder of a backup that was killed, once it is two days old. */
const renewHoldEvery = 60_000;

/**
 * Saves the database by `saveDatabase` and the objects of DATA_DIR, and returns the number of their files. Files are
 * immutable. From before the database is read until the files are saved, the store moves removed files into a folder of
 * this backup, so that the backup has each file that the saved database references, however long it takes.
 */
export async function saveWithObjects(
  dataDir: string,
  file: string,
  saveDatabase: () => Promise<void>,
): Promise<number> {
  const held = join(dataDir, 'objects', 'held', randomUUID());
  await mkdir(held, { recursive: true, mode: 0o700 });
  const renewal = setInterval(() => void utimes(held, new Date(), new Date()), renewHoldEvery);
  try {
    await saveDatabase();
    return (await saveFiles(filesOf(dataDir), file)) + (await saveFiles(held, file));
  } finally {
    clearInterval(renewal);
    await rm(held, { recursive: true, force: true });
    // Fails while other backups are in progress, or when there are objects.
    for (const folder of [dirname(held), dirname(dirname(held))]) await rmdir(folder).catch(() => undefined);
  }
}

async function saveFiles(folder: string, file: string): Promise<number> {
  let saved = 0;
  for (const path of await filesBelow(folder)) {
    if (await copyOnce(join(folder, path), join(objectsOf(file), path))) saved += 1;
  }
  return saved;
}

/** Throws a StartError when a DATA_DIR has objects already, and the backup has some. */
export function requireRoomForObjects(dataDir: string, file: string): void {
  const target = filesOf(dataDir);
  if (!existsSync(target) || !existsSync(objectsOf(file))) return;
  throw new StartError(`${target} exists already: restore into a DATA_DIR without objects.`);
}

/**
 * Restores the objects of a backup into a DATA_DIR, and returns how many there are. Replaces the objects of an
 * interrupted restore: the caller has checked that the folder holds only such objects.
 */
export async function restoreObjects(dataDir: string, file: string): Promise<number> {
  const target = filesOf(dataDir);
  const paths = await filesBelow(objectsOf(file));
  const unfinished = `${target}.restored`;
  for (const folder of [unfinished, target]) await rm(folder, { recursive: true, force: true });
  if (paths.length === 0) return 0;
  for (const path of paths) await copyOnce(join(objectsOf(file), path), join(unfinished, path));
  await rename(unfinished, target);
  return paths.length;
}

async function filesBelow(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}

/**
 * Copies a file unless the target exists or the source is gone; on the same disk by a hard link, because files are
 * immutable.
 */
async function copyOnce(from: string, to: string): Promise<boolean> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  try {
    await link(from, to).catch((error) => {
      if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') throw error;
      return copyToDisk(from, to);
    });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function copyToDisk(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_EXCL);
  const handle = await open(to, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

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
  if (objects > 0) print(`${objects} files of objects were saved to ${resolve(objectsOf(file))}.`);
  print(
    S3_URL === undefined
      ? 'Keep SECRET_KEY, or the file secret-key of DATA_DIR, too.'
      : 'Keep SECRET_KEY, or the file secret-key of DATA_DIR, too, and back the objects at S3_URL up with its own tools.',
  );
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
