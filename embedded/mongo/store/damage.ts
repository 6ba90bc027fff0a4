import { type StartFailure, startFailure } from '../start-failure.ts';

/** SQLITE_CORRUPT, a file with invalid content, and SQLITE_NOTADB, a file that is not a database. */
const [corrupt, notDatabase] = [11, 26];

/** Creates an error in the form of SQLite's errors, for damage that SQLite cannot detect. */
export function damage(message: string): Error {
  return Object.assign(new Error(message), { errcode: corrupt });
}

/** Whether an error reports a file with invalid content. */
export function isDamage(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return false;
  const code = Number(error.errcode) & 0xff;
  return code === corrupt || code === notDatabase;
}

/** Creates the start failure for a damaged file. */
export function damagedFile(path: string, cause?: unknown): StartFailure {
  return startFailure(
    'DATABASE_DAMAGED',
    `The database file ${path} is damaged and was left as it is. Move the folder away and restore a backup.`,
    cause,
  );
}

/** Creates the start failure for a log without its last transactions. */
export function shortenedLog(path: string): StartFailure {
  return startFailure(
    'DATABASE_DAMAGED',
    `The log ${path} lacks transactions that were acknowledged: it was removed, cut or damaged. Nothing was changed. Move the folder away and restore a backup.`,
  );
}
