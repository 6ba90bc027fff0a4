import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startFailure } from './start-failure.ts';

const lockFileName = 'lock.db';
/** Process id of the current or last owner; only used in the error message. */
const ownerFileName = 'lock.pid';
/** Longer than {@link isFolderLocked} in another process holds its read lock. */
const patienceMilliseconds = 300;

type FolderLock = { release: () => void };

/**
 * Locks a folder for this thread until it is released or the process ends, even by a crash: a SQLite lock on a separate
 * file, which the operating system releases with the process. Throws FOLDER_IN_USE when another thread or process holds
 * the lock.
 */
export function lockFolder(dir: string): FolderLock {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(join(dir, lockFileName));
  try {
    database.exec(`PRAGMA busy_timeout = ${patienceMilliseconds}`);
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw startFailure(
      'FOLDER_IN_USE',
      `The database folder ${dir} is in use by another running server${ownerOf(dir)}. Stop that one, or choose another folder.`,
      error,
    );
  }
  writeFileSync(join(dir, ownerFileName), String(process.pid), { mode: 0o600 });
  return {
    release: () => {
      rmSync(join(dir, ownerFileName), { force: true });
      database.close();
    },
  };
}

function ownerOf(dir: string): string {
  const path = join(dir, ownerFileName);
  return existsSync(path) ? `, the process ${readFileSync(path, 'utf8')}` : '';
}

/** Whether a running server owns the folder. */
export function isFolderLocked(dir: string): boolean {
  const path = join(dir, lockFileName);
  if (!existsSync(path)) return false;
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

const busyCode = 5;

function isBusy(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return false;
  return (Number(error.errcode) & 0xff) === busyCode;
}
