import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { MongoError } from '../errors.ts';
import { isDamage } from './damage.ts';

/** SQLITE_READONLY, SQLITE_IOERR and SQLITE_FULL; the second has extended codes for the failed operation. */
const [readOnly, inputOutput, diskFull] = [8, 10, 13];
/** Extended codes of a failed sync of a file and of a folder. */
const failedSyncs = new Set([1034, 1290]);

/**
 * Converts a storage failure to the error for the client. Rethrows a failed sync: the disk may have dropped earlier
 * writes and would not report it again, so nothing more may be acknowledged.
 */
export function failureOf(database: DatabaseSync, error: unknown): MongoError {
  if (isDamage(error)) {
    return new MongoError(
      'DataCorruptionDetected',
      `The database file ${database.location()} is damaged: ${String(error)}. Restore a backup.`,
    );
  }
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
  if (failedSyncs.has(code)) throw error;
  switch (code & 0xff) {
    case diskFull:
      return full(String(error));
    case readOnly:
    case inputOutput: {
      const reason = whyNoRoom(database);
      if (reason) return full(`${String(error)} (${reason})`);
      return new MongoError('FileStreamFailed', `The disk failed to read or write: ${String(error)}`);
    }
  }
  return new MongoError('InternalError', `The embedded database failed: ${String(error)}`);
}

function full(reason: string): MongoError {
  return new MongoError('OutOfDiskSpace', `The write failed because the disk is full: ${reason}`);
}

const probeBytes = 64 * 1024;
const noRoom = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * SQLite reports a disk quota and a file size limit as a plain write error, like a broken disk. A write at the same
 * offset of another file hits the same limit, and the system names it.
 */
function whyNoRoom(database: DatabaseSync): string | undefined {
  const path = database.location();
  if (path === null) return undefined;
  const probe = `${path}.probe`;
  try {
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
    const descriptor = openSync(probe, 'w', 0o600);
    try {
      writeSync(descriptor, Buffer.alloc(probeBytes), 0, probeBytes, log?.size ?? 0);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    return undefined;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    return noRoom.has(code) ? code : undefined;
  } finally {
    rmSync(probe, { force: true });
  }
}
