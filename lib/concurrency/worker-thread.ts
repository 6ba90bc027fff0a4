import { type Transferable, Worker, type WorkerOptions } from 'node:worker_threads';

/** A worker thread, whose first message is `listening`. */
export type WorkerThread<Request> = {
  worker: Worker;
  /** Sends a request when the thread listens: an earlier message may be lost, as on Deno. */
  post: (request: Request, transferred?: Transferable[]) => void;
};

type Options<Answer> = Pick<WorkerOptions, 'resourceLimits' | 'workerData'> & {
  /** The name for errors, as in “The thread of templates”. */
  called: string;
  answered: (answer: Answer) => void;
  /** Called when the thread has failed or exited. */
  ended: (cause: Error) => void;
};

// Two semispaces of 8 MiB, as in the main thread, and as much for large objects; V8's default maximum is 192 MiB.
const youngGenerationMebibytes = 24;

/** Starts a worker thread. Its environment contains only the directory of the compile cache. */
export function startWorkerThread<Request, Answer>(
  file: URL,
  { called, answered, ended, workerData, resourceLimits }: Options<Answer>,
): WorkerThread<Request> {
  const { NODE_COMPILE_CACHE } = process.env;
  const worker = new Worker(file, {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMebibytes, ...resourceLimits },
    env: NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {},
  });
  const { promise: listening, resolve: listens } = Promise.withResolvers<void>();
  worker.on('message', (message: Answer | 'listening') => (message === 'listening' ? listens() : answered(message)));
  worker.on('error', (error) => ended(error as Error));
  worker.on('exit', () => ended(new Error(`${called} ended.`)));
  return {
    worker,
    post: (request, transferred = []) => void listening.then(() => worker.postMessage(request, transferred)),
  };
}
