import { chmodSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startFailure } from '../start-failure.ts';
import { damagedFile, isDamage } from './damage.ts';
import { recordPath } from './durable-record.ts';
import { failureOf } from './failure.ts';
import { flushFile, flushFolder } from './flush.ts';
import { verifyLog } from './log-check.ts';
import { dataFileName, restoringSuffix, schemaVersion, schemaVersionWithBuilds } from './schema.ts';

/** "EMGO" as SQLite's application_id, which identifies our files. */
const applicationId = 0x454d474f;
const busyMilliseconds = 5000;
const cacheKibibytes = 8 * 1024;
const walLimitBytes = 64 * 1024 * 1024;

/**
 * Opens or creates the data file of `dir`. Throws DATABASE_DAMAGED, DATABASE_FOREIGN or DATABASE_VERSION instead of
 * changing a file it cannot read.
 */
export function openDatabase(dir: string): DatabaseSync {
  const path = join(dir, dataFileName);
  if (!existsSync(path)) createFile(dir, path);
  if (statSync(path).size === 0) throw damagedFile(path);
  verifyLog(path);
  try {
    return openFile(path);
  } catch (error) {
    throw isDamage(error) ? damagedFile(path, error) : error;
  }
}

/** Creates the file under a temporary name and renames it, so that a data file is never incomplete. */
function createFile(dir: string, path: string): void {
  if (existsSync(`${path}-wal`) || existsSync(recordPath(path))) throw damagedFile(path);
  if (existsSync(`${path}${restoringSuffix}`)) {
    throw startFailure(
      'RESTORE_UNFINISHED',
      `The restore of a backup into ${dir} was interrupted, and there is no database yet. Restore the backup again.`,
    );
  }
  const unfinished = `${path}.new`;
  rmSync(unfinished, { force: true });
  const database = new DatabaseSync(unfinished);
  createSchema(database);
  database.close();
  chmodSync(unfinished, 0o600);
  flushFile(unfinished);
  renameSync(unfinished, path);
  flushFolder(dir);
}

function openFile(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${busyMilliseconds}`);
    database.exec(`PRAGMA cache_size = -${cacheKibibytes}`);
    requireOurFile(database, path);
    database.exec('PRAGMA journal_mode = WAL');
    // createLogSync syncs the log before a write is acknowledged, and createCheckpoints copies it.
    database.exec('PRAGMA synchronous = NORMAL');
    database.exec('PRAGMA wal_autocheckpoint = 0');
    database.exec(`PRAGMA journal_size_limit = ${walLimitBytes}`);
    database.exec('PRAGMA temp_store = MEMORY');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Copies the log into the data file and truncates it, which removes the remains of a transaction that a kill or a power
 * loss interrupted. Does not wait for readers, and leaves the log when the disk is full. Returns whether the log is
 * empty.
 */
export function emptyLog(database: DatabaseSync): boolean {
  database.exec('PRAGMA busy_timeout = 0');
  let isEmpty = false;
  try {
    isEmpty = Number(database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy) === 0;
  } catch (error) {
    if (isDamage(error)) throw error;
    // Rethrows a failed sync.
    failureOf(database, error);
  }
  database.exec(`PRAGMA busy_timeout = ${busyMilliseconds}`);
  return isEmpty;
}

const checkedFileBytes = 32 * 1024 * 1024;

/** Checks a small file completely; damage in a large one is detected when it is read. */
export function checkIntegrity(dir: string, database: DatabaseSync): void {
  const path = join(dir, dataFileName);
  if (statSync(path).size > checkedFileBytes) return;
  requireSound(database, path);
}

/** Throws DATABASE_DAMAGED when SQLite finds the file inconsistent. Takes seconds for gigabytes. */
export function requireSound(database: DatabaseSync, path: string): void {
  try {
    const row = database.prepare('PRAGMA quick_check(1)').get();
    if (row && Object.values(row)[0] === 'ok') return;
  } catch (error) {
    throw isDamage(error) ? damagedFile(path, error) : error;
  }
  throw damagedFile(path);
}

function createSchema(database: DatabaseSync): void {
  database.exec('PRAGMA journal_mode = WAL');
  database.exec(`
    BEGIN IMMEDIATE;
    CREATE TABLE collections (id INTEGER PRIMARY KEY, database TEXT NOT NULL, name TEXT NOT NULL,
      UNIQUE (database, name));
    CREATE TABLE indexes (id INTEGER PRIMARY KEY, collection INTEGER NOT NULL, spec BLOB NOT NULL,
      multikey_fields INTEGER NOT NULL);
    PRAGMA application_id = ${applicationId};
    PRAGMA user_version = ${schemaVersion};
    COMMIT;
  `);
}

/** Throws DATABASE_FOREIGN or DATABASE_VERSION for a SQLite file that this program did not create. */
export function requireOurFile(database: DatabaseSync, path: string): void {
  const application = pragma(database, 'application_id');
  const version = pragma(database, 'user_version');
  if (application !== applicationId) {
    throw startFailure('DATABASE_FOREIGN', `${path} is a SQLite file of another program. It was left as it is.`);
  }
  if (version !== schemaVersion && version !== schemaVersionWithBuilds) {
    throw startFailure(
      'DATABASE_VERSION',
      `${path} has the format ${version} and this program reads format ${schemaVersion}. It was left as it is.`,
    );
  }
}

/** Reads an integer pragma. */
function pragma(database: DatabaseSync, name: string): number {
  const row = database.prepare(`PRAGMA ${name}`).get();
  return Number(row ? Object.values(row)[0] : 0);
}
