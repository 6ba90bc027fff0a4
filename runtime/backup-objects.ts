import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, rename, rm, rmdir, utimes } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { StartError } from '../lib/settings/start-error.ts';

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
