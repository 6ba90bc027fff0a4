import { constants, existsSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { StartError } from '../lib/start-error.ts';

/** Where a disk store keeps whole files, below DATA_DIR. */
const filesOf = (dataDir: string): string => join(dataDir, 'objects', 'files');

/** The folder of objects that belongs to a backup of the database. */
export const objectsOf = (file: string): string => `${file}.objects`;

/** Throws a StartError when a backup's folder of objects is there already. */
export function requireNoObjects(file: string): void {
  if (existsSync(objectsOf(file))) throw new StartError(`${objectsOf(file)} exists already; choose another file.`);
}

/**
 * Saves the objects of a folder beside a backup, and returns how many files were added. Call it before the database is
 * saved and again afterwards: a file never changes, and is kept for a minute after its object is gone, so together they
 * have each file that the saved database names.
 */
export async function saveObjects(dataDir: string, file: string): Promise<number> {
  let saved = 0;
  for (const path of await filesBelow(filesOf(dataDir))) {
    if (await copyOnce(join(filesOf(dataDir), path), join(objectsOf(file), path))) saved += 1;
  }
  return saved;
}

/** Throws a StartError when a DATA_DIR has objects already, and the backup has some. */
export function requireRoomForObjects(dataDir: string, file: string): void {
  const target = filesOf(dataDir);
  if (!existsSync(target) || !existsSync(objectsOf(file))) return;
  throw new StartError(`${target} exists already: restore into a DATA_DIR without objects.`);
}

/** Brings the objects of a backup back into a DATA_DIR that has none, and returns how many there are. */
export async function restoreObjects(dataDir: string, file: string): Promise<number> {
  const target = filesOf(dataDir);
  const paths = await filesBelow(objectsOf(file));
  if (paths.length === 0) return 0;
  const unfinished = `${target}.restored`;
  await rm(unfinished, { recursive: true, force: true });
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

/** Copies a file unless it is there or gone; on the same disk by a link, which costs nothing because files never change. */
async function copyOnce(from: string, to: string): Promise<boolean> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  try {
    await link(from, to).catch((error) => {
      if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') throw error;
      return copyFile(from, to, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
