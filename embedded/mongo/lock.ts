import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startFailure } from './start-failure.ts';

const lockFileName = 'lock.db';
/** Only for the message: who holds the lock, or held it last. */
const ownerFileName = 'lock.pid';
/** Long enough for somebody who only looks whether there is an owner to be gone again. */
const patienceMilliseconds = 300;

export type FolderLock = { release: () => void };

/**
 * Makes this thread the owner of a folder until it releases it or its process ends in whatever way: the lock is one
 * that SQLite takes on a file of its own, which the operating system gives up with the process.
 * Throws FOLDER_IN_USE when there is an owner, in this process or another.
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
