import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lockFolder } from './lock.ts';
import { isStartFailure, startFailure } from './start-failure.ts';
import { isDamage } from './store/damage.ts';
import { flushFile, flushFolder } from './store/flush.ts';
import { requireOurFile, requireSound } from './store/open.ts';
import { dataFileName, restoringSuffix } from './store/schema.ts';
import { requireConsistentDocuments } from './store/verify.ts';

/**
 * Copies the database of `dir` into `file` while a server may keep writing: a second connection reads one snapshot of
 * the write-ahead log. Throws NO_DATABASE, FILE_EXISTS, DATABASE_DAMAGED.
 */
export function copyDatabase(dir: string, file: string): void {
  const source = join(dir, dataFileName);
  const target = resolve(file);
  if (!existsSync(source)) throw startFailure('NO_DATABASE', `There is no database in ${dir} to back up.`);
  if (existsSync(target))
    throw startFailure('FILE_EXISTS', `${target} exists. A backup overwrites nothing; choose another name.`);
  mkdirSync(dirname(target), { recursive: true });
  const unfinished = `${target}.unfinished`;
  rmSync(unfinished, { force: true });
  try {
    vacuumInto(source, unfinished);
    verifyFile(unfinished);
    chmodSync(unfinished, 0o600);
    flushFile(unfinished);
    renameSync(unfinished, target);
    flushFolder(dirname(target));
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw isStartFailure(error)
      ? error
      : startFailure('BACKUP_FAILED', `The backup of ${dir} was not made: ${String(error)}`, error);
  }
}

function vacuumInto(source: string, target: string): void {
  const database = new DatabaseSync(source);
  try {
    database.exec('PRAGMA busy_timeout = 5000');
    requireOurFile(database, source);
    database.prepare('VACUUM INTO ?').run(target);
  } finally {
    database.close();
  }
}

function verifyFile(path: string): void {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    requireOurFile(database, path);
    requireSound(database, path);
    requireConsistentDocuments(database);
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw startFailure('DATABASE_DAMAGED', `${path} is damaged or is no backup of this database.`, error);
  } finally {
    database.close();
  }
}

/**
 * Restores a verified backup into an empty folder. `restoreBeside` restores the files that belong to the database. The
 * database is renamed to its final name after that, so that a start rejects an interrupted restore, which can be
 * repeated. Throws FOLDER_NOT_EMPTY, FOLDER_IN_USE, DATABASE_DAMAGED, DATABASE_FOREIGN or NO_DATABASE and then leaves
 * the folder unchanged.
 */
export async function restoreDatabase(dir: string, file: string, restoreBeside?: () => Promise<void>): Promise<void> {
  const source = resolve(file);
  if (!existsSync(source)) throw startFailure('NO_DATABASE', `There is no backup file ${source}.`);
  verifyFile(source);
  const lock = lockFolder(dir);
  try {
    const unfinished = join(dir, `${dataFileName}${restoringSuffix}`);
    // Overwrite the file of an interrupted restore.
    if (readdirSync(dir).some((name) => name.startsWith(dataFileName) && name !== basename(unfinished))) {
      throw startFailure('FOLDER_NOT_EMPTY', `${dir} has a database already. Restore into an empty folder.`);
    }
    copyFileSync(source, unfinished);
    chmodSync(unfinished, 0o600);
    flushFile(unfinished);
    // From here the file name marks an unfinished restore, also after a power loss.
    flushFolder(dir);
    await restoreBeside?.();
    renameSync(unfinished, join(dir, dataFileName));
    flushFolder(dir);
  } finally {
    lock.release();
  }
}
