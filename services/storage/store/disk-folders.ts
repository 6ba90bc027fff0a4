import { mkdir, open, realpath, rename, rmdir } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { createBatcher } from '../../../lib/batched.ts';

const maxSyncsPerBatch = 1000;
/** How often a file is moved to its place again, when the folder was removed meanwhile because it was empty. */
const maxMoves = 10;

/** Makes a folder, and synchronizes those in which one was made: a file could be lost with them. */
export async function makeFolder(folder: string, root: string): Promise<void> {
  const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (firstMade === undefined) return;
  const highest = Math.max(dirname(firstMade).length, root.length);
  const changed: string[] = [];
  for (let each = dirname(folder); each.length >= highest; each = dirname(each)) changed.push(each);
  await Promise.all(changed.map((each) => syncBatched(each, null)));
}

/** Where a file is and where it goes to, and the folder that both are in. */
export type Places = { path: string; temporary: string; root: string };

/** Moves a file to its place; `making` is that of its folder. */
export async function moveTo({ path, temporary, root }: Places, making: Promise<void>): Promise<void> {
  const folder = dirname(path);
  for (let [made, moves] = [making, 1]; ; made = makeFolder(folder, root), moves += 1) {
    try {
      await made;
      await requireOwn(folder);
      await rename(temporary, path);
      return await syncBatched(folder, null);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || moves >= maxMoves) throw error;
    }
  }
}

/** A folder behind a symbolic link is not the platform's own. */
async function requireOwn(folder: string): Promise<void> {
  if ((await realpath(folder)) !== folder) throw new Error(`${folder} leads to another place.`);
}

/** Files that come into a folder at the same time share its synchronizations, each of which begins after they came. */
const syncBatched = createBatcher(maxSyncsPerBatch, async (files: null[], folder) => {
  await syncFolder(folder);
  return files.map(() => undefined);
});

async function syncFolder(path: string): Promise<void> {
  // Windows keeps folders itself, and has no handle of one.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Another file may come meanwhile: then the folder is not empty, and stays. */
export async function removeEmptyFolders(from: string, files: string): Promise<void> {
  for (let folder = from; folder.startsWith(files + sep); folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch {
      return;
    }
  }
}
