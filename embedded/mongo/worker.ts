import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { listen, publishAddress, withdrawAddress } from './address.ts';
import { closeIdleCursors } from './cursors.ts';
import { lockFolder } from './lock.ts';
import { createOperations } from './operations.ts';
import { createMongoServer } from './server.ts';
import { isStartFailure } from './start-failure.ts';
import { createStore, type Store } from './store/catalog.ts';
import { type Checkpoints, createCheckpoints } from './store/checkpoints.ts';
import { damagedFile, isDamage } from './store/damage.ts';
import { createLogSync, type LogSync } from './store/log-sync.ts';
import { checkIntegrity, emptyLog, openDatabase } from './store/open.ts';
import { dataFileName } from './store/schema.ts';

export type WorkerOptions = { dir: string; port?: number | undefined };
export type WorkerMessage =
  | { kind: 'ready'; url: string }
  | { kind: 'failed'; code: string; message: string }
  | { kind: 'closed' };

const cursorSweepMilliseconds = 60_000;

async function main(options: WorkerOptions): Promise<void> {
  try {
    const close = await start(options);
    parentPort?.once('message', () => void close());
  } catch (error) {
    const code = isStartFailure(error) ? error.code : 'START_FAILED';
    tell({ kind: 'failed', code, message: error instanceof Error ? error.message : String(error) });
  }
}

async function start({ dir, port }: WorkerOptions): Promise<() => Promise<void>> {
  const lock = lockFolder(dir);
  try {
    const store = openStore(dir);
    const log = createLogSync(store.database);
    const checkpoints = createCheckpoints(store.database, log);
    const cursors = new Map();
    const operations = createOperations();
    const server = createMongoServer({ store, log, checkpoints, cursors, operations, startedAt: Date.now() });
    const url = await listen(server.server, dir, port);
    publishAddress(dir, url);
    const sweep = setInterval(() => closeIdleCursors(cursors), cursorSweepMilliseconds);
    tell({ kind: 'ready', url });
    return async () => {
      clearInterval(sweep);
      await server.close();
      await closeStore(store, log, checkpoints);
      withdrawAddress(dir);
      lock.release();
      tell({ kind: 'closed' });
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function openStore(dir: string): Store {
  const database = openDatabase(dir);
  try {
    checkIntegrity(dir, database);
    const store = createStore(database);
    emptyLog(database);
    return store;
  } catch (error) {
    database.close();
    throw isDamage(error) ? damagedFile(join(dir, dataFileName), error) : error;
  }
}

async function closeStore({ database }: Store, log: LogSync, checkpoints: Checkpoints): Promise<void> {
  await checkpoints.end();
  // Other programs may change a data file that contains the whole log, so the record must require nothing of it.
  if (emptyLog(database)) log.clearRecord();
  database.close();
  log.close();
  checkpoints.close();
}

function tell(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}

await main(workerData as WorkerOptions);
