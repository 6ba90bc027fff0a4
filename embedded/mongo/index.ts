import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { readAddress } from './address.ts';
import type { BackupMessage } from './backup-worker.ts';
import { isFolderLocked } from './lock.ts';
import { dataFileName, restoringSuffix } from './store/schema.ts';
import type { WorkerMessage, WorkerOptions } from './worker.ts';

/**
 * A running server: the URL for MongoDB drivers, a consistent backup into a new file, and a shutdown that answers the
 * requests in flight.
 */
export type EmbeddedMongo = { url: string; backup(file: string): Promise<void>; close(): Promise<void> };

// Two semi-spaces of 2 MiB, and as much for large objects. Garbage of a command, and the off-heap memory of socket
// reads, is freed at the next scavenge: with 8 MiB a node uses 30 MiB more under load.
const resourceLimits = { maxYoungGenerationSizeMb: 6 };

/**
 * Starts the server over `dir` in a worker thread. It listens on a socket in `dir`, on a free loopback port where a
 * socket is not possible, or on the loopback port `port`. Rejects with an Error whose `code` is FOLDER_IN_USE,
 * DATABASE_DAMAGED, DATABASE_FOREIGN, DATABASE_VERSION, RESTORE_UNFINISHED, PORT_IN_USE or START_FAILED and whose
 * message is meant for a person.
 */
export async function startEmbeddedMongo(options: { dir: string; port?: number }): Promise<EmbeddedMongo> {
  const dir = resolve(options.dir);
  const workerData: WorkerOptions = { dir, port: options.port };
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData, resourceLimits });
  const url = await untilReady(worker);
  const keeper = keepLog(dir);
  worker.once('exit', () => {
    if (keeper.isOpen) keeper.close();
  });
  worker.on('error', (error) => {
    // The process cannot work without its database. The uncaught error ends it, and the supervisor restarts it.
    throw error;
  });
  let closing: Promise<void> | undefined;
  return {
    url,
    backup: (file) => backupEmbeddedMongo({ dir, file }),
    close: () => {
      closing ??= closeWorker(worker, keeper);
      return closing;
    },
  };
}

/**
 * Opens a connection that outlives the thread. When a process exits without closing its database, the runtime ends the
 * thread and closes its connections, and SQLite checkpoints and removes the log with the last one, including
 * transactions in flight that the durable record does not name. With another connection open the log stays, as after a
 * kill.
 */
function keepLog(dir: string): DatabaseSync {
  const database = new DatabaseSync(join(dir, dataFileName), { readOnly: true });
  // The first read opens the log.
  database.prepare('PRAGMA schema_version').get();
  return database;
}

async function untilReady(worker: Worker): Promise<string> {
  // Do not wait for a thread that exited without a message.
  const ended = once(worker, 'exit').then(() => [{ kind: 'closed' }]);
  const [message] = (await Promise.race([once(worker, 'message'), ended])) as [WorkerMessage];
  if (message.kind === 'ready') return message.url;
  await worker.terminate();
  const failure =
    message.kind === 'failed' ? message : { code: 'START_FAILED', message: 'The database ended at once.' };
  throw Object.assign(new Error(failure.message), { code: failure.code });
}

async function closeWorker(worker: Worker, keeper: DatabaseSync): Promise<void> {
  keeper.close();
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  const closed = once(worker, 'message');
  worker.postMessage('close');
  await Promise.race([closed, ended]);
  await worker.terminate();
}

/** Returns the URL of a server that runs over `dir` on this machine, or null. */
export function findEmbeddedMongo(dir: string): Promise<string | null> {
  const folder = resolve(dir);
  return Promise.resolve(isFolderLocked(folder) ? readAddress(folder) : null);
}

/** Whether `dir` has a database, including one whose restore was interrupted. */
export function hasDatabase(dir: string): boolean {
  return existsSync(join(resolve(dir), dataFileName)) || isRestoreUnfinished(dir);
}

/** Whether a restore into `dir` was interrupted before the database got its final name. */
export function isRestoreUnfinished(dir: string): boolean {
  const path = join(resolve(dir), dataFileName);
  return existsSync(`${path}${restoringSuffix}`) && !existsSync(path);
}

/**
 * Restores a verified backup into a folder without a database, and calls `restoreBeside` before the database gets its
 * final name. Rejects with an Error whose `code` is FOLDER_NOT_EMPTY, FOLDER_IN_USE, DATABASE_DAMAGED,
 * DATABASE_FOREIGN, DATABASE_VERSION or NO_DATABASE.
 */
export async function restoreEmbeddedMongo(options: {
  dir: string;
  file: string;
  restoreBeside?: () => Promise<void>;
}): Promise<void> {
  // Imported on demand: otherwise only the thread of the server loads the database code.
  const { restoreDatabase } = await import('./backup.ts');
  await restoreDatabase(resolve(options.dir), options.file, options.restoreBeside);
}

/**
 * Copies the database of `dir`, whether a server runs over it or not, into the new file `file`, in a separate thread.
 * Rejects with an Error whose `code` is NO_DATABASE, FILE_EXISTS, DATABASE_DAMAGED or BACKUP_FAILED.
 */
export async function backupEmbeddedMongo(options: { dir: string; file: string }): Promise<void> {
  const workerData = { dir: resolve(options.dir), file: resolve(options.file) };
  const worker = new Worker(new URL('./backup-worker.ts', import.meta.url), { workerData, resourceLimits });
  const [message] = (await once(worker, 'message')) as [BackupMessage];
  await worker.terminate();
  if (message.kind === 'failed') throw Object.assign(new Error(message.message), { code: message.code });
}
