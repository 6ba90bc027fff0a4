import { type Transferable, Worker, type WorkerOptions } from 'node:worker_threads';

/** A worker thread, whose first message is `listening`. */
export type WorkerThread<Request> = {
  worker: Worker;
  /** Sends a request when the thread listens: what is sent before may be lost, and is on Deno. */
  post: (request: Request, transferred?: Transferable[]) => void;
};

type Options<Answer> = Pick<WorkerOptions, 'resourceLimits' | 'workerData'> & {
  /** As in “The thread of templates”, for errors. */
  called: string;
  answered: (answer: Answer) => void;
  /** Called when the thread has failed, and when it has exited. */
  ended: (cause: Error) => void;
};

// Two halves of 8 MiB, as the main thread has, and as much for large objects; by itself V8 lets it grow to 192 MiB.
const youngGenerationMebibytes = 24;

/** Starts a worker thread. Of the environment it gets where compiled code is kept, and nothing else. */
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
