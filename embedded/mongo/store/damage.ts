import { type StartFailure, startFailure } from '../start-failure.ts';

/** SQLite's result code for a file whose content is wrong, and the one for a file that is no database. */
const [corrupt, notDatabase] = [11, 26];

/** An error like those of SQLite for damage that SQLite cannot see. */
export function damage(message: string): Error {
  return Object.assign(new Error(message), { errcode: corrupt });
}

/** True when an error tells that the content of a file is wrong. */
export function isDamage(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return false;
  const code = Number(error.errcode) & 0xff;
  return code === corrupt || code === notDatabase;
}

/** Why a server does not start over a damaged file. */
export function damagedFile(path: string, cause?: unknown): StartFailure {
  return startFailure(
    'DATABASE_DAMAGED',
    `The database file ${path} is damaged and was left as it is. Move the folder away and restore a backup.`,
    cause,
  );
}

/** Why a server does not start over a log without its last transactions. */
export function shortenedLog(path: string): StartFailure {
  return startFailure(
    'DATABASE_DAMAGED',
    `The log ${path} lacks transactions that were acknowledged: it was removed, cut or damaged. Nothing was changed. Move the folder away and restore a backup.`,
  );
}
