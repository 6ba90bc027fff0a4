import module from 'node:module';
import { dirname } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a worker thread. It reads no environment, but needs to know where compiled code is kept; Deno has no such
 * function.
 */
export function startWorkerThread(file: URL, options: Pick<WorkerOptions, 'resourceLimits' | 'workerData'>): Worker {
  const folder = module.getCompileCacheDir?.();
  return new Worker(file, { ...options, env: folder ? { NODE_COMPILE_CACHE: dirname(folder) } : {} });
}
