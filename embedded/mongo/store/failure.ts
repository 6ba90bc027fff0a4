import type { DatabaseSync } from 'node:sqlite';
import { MongoError } from '../errors.ts';
import { isDamage } from './damage.ts';

/** SQLite's result codes, the last with what it says about the operation that failed. */
const [readOnly, inputOutput, diskFull] = [8, 10, 13];
const failedSync = 1034;

/**
 * What a client learns of a failure of storage. Rethrows a sync that failed: the disk may have dropped what it was given
 * before, and would not say so again, so that nothing more may be acknowledged.
 */
export function failureOf(database: DatabaseSync, error: unknown): MongoError {
  if (isDamage(error)) {
    return new MongoError(
      'DataCorruptionDetected',
      `The database file ${database.location()} is damaged: ${String(error)}. Restore a backup.`,
    );
  }
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
  if (code === failedSync) throw error;
  switch (code & 0xff) {
    case diskFull:
      return new MongoError('OutOfDiskSpace', `The write was refused because the disk is full: ${String(error)}`);
    case readOnly:
    case inputOutput:
      return new MongoError('FileStreamFailed', `The disk failed to read or write: ${String(error)}`);
  }
  return new MongoError('InternalError', `The embedded database failed: ${String(error)}`);
}
