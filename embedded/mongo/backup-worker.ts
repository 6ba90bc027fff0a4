import { parentPort, workerData } from 'node:worker_threads';
import { copyDatabase } from './backup.ts';
import { isStartFailure } from './start-failure.ts';

export type BackupMessage = { kind: 'done' } | { kind: 'failed'; code: string; message: string };

function main({ dir, file }: { dir: string; file: string }): BackupMessage {
  try {
    copyDatabase(dir, file);
    return { kind: 'done' };
  } catch (error) {
    const code = isStartFailure(error) ? error.code : 'BACKUP_FAILED';
    return { kind: 'failed', code, message: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.postMessage(main(workerData as { dir: string; file: string }));
