import { mkdir, open, realpath, rename, rmdir } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { createBatcher } from '../../../lib/batched.ts';

const maxSyncsPerBatch = 1000;
/** The maximum of attempts to move a file whose folder was concurrently removed as empty. */
const maxMoves = 10;

/** Creates a folder and syncs the changed parent folders, without which a file could be lost. */
export async function makeFolder(folder: string, root: string): Promise<void> {
  const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (firstMade === undefined) return;
  const highest = Math.max(dirname(firstMade).length, root.length);
  const changed: string[] = [];
  for (let each = dirname(folder); each.length >= highest; each = dirname(each)) changed.push(each);
  await Promise.all(changed.map((each) => syncBatched(each, null)));
}

/** The final and the temporary path of a file, and their common root. */
export type Places = { path: string; temporary: string; root: string };

/** Moves a file to its final path; `making` resolves when the folder exists. */
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

/** Rejects a folder behind a symbolic link, which the platform does not own. */
async function requireOwn(folder: string): Promise<void> {
  if ((await realpath(folder)) !== folder) throw new Error(`${folder} is or contains a symbolic link.`);
}

/** Concurrent files of a folder share a sync, which begins after all of them were moved. */
const syncBatched = createBatcher(maxSyncsPerBatch, async (files: null[], folder) => {
  await syncFolder(folder);
  return files.map(() => undefined);
});

async function syncFolder(path: string): Promise<void> {
  // Windows syncs folders itself and offers no handle for one.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** If another file arrives concurrently, the folder is not empty and stays. */
export async function removeEmptyFolders(from: string, files: string): Promise<void> {
  for (let folder = from; folder.startsWith(files + sep); folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch {
      return;
    }
  }
}
