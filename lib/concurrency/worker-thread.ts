import { parentPort, type Transferable, Worker, type WorkerOptions } from 'node:worker_threads';

/** A worker thread that answers requests. It starts with the first request and ends after some time without one. */
export type WorkerThread<Request, Result> = {
  /**
   * Sends a request and resolves with its result.
   *
   * @throws Error the thread reported a failure; ThreadEndedError it ended without an answer.
   */
  call: (request: Request, options?: CallOptions) => Promise<Result>;
  /** The number of requests in flight. */
  pending: () => number;
  /** Ends the thread after the requests in flight. The next request starts another. */
  close: () => void;
};

/**
 * `timeout`: ends the thread when this request is the oldest in flight for longer, in milliseconds, not counting the
 * start of the thread; no limit if absent.
 */
type CallOptions = { timeout?: number; transferred?: readonly Transferable[] };

type Options = Pick<WorkerOptions, 'resourceLimits' | 'workerData'> & {
  /** The name for errors, as in “The mail thread”. */
  name: string;
  /** The start of the message when the thread reports a failure. */
  failure: string;
  idleMilliseconds: number;
};

/** The thread ended without an answer: it failed, as `cause` says, or it was too slow. */
export class ThreadEndedError extends Error {
  override name = 'ThreadEndedError';
  readonly isTimeout: boolean;
  constructor(message: string, isTimeout: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isTimeout = isTimeout;
  }
}

type Message<Request> = { id: number; request: Request } | 'close';
type Answer<Result> = { id: number; result: Result } | { id: number; failure: string } | 'listening' | 'closed';

type Pending<Result> = {
  resolve: (result: Result) => void;
  reject: (error: Error) => void;
  timeout: number | undefined;
};
type Running<Result> = {
  worker: Worker;
  listening: Promise<void>;
  isListening: boolean;
  pending: Map<number, Pending<Result>>;
  timer: NodeJS.Timeout | undefined;
};

// Two semispaces of 8 MiB, as in the main thread, and as much for large objects; V8's default maximum is 192 MiB.
const youngGenerationMebibytes = 24;

/** The environment of the thread contains only the directory of the compile cache. */
function startWorker(file: URL, { workerData, resourceLimits }: Options): Worker {
  const { NODE_COMPILE_CACHE } = process.env;
  return new Worker(file, {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMebibytes, ...resourceLimits },
    env: NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {},
  });
}

/** @param file - a module that calls {@link answerRequests}. */
export function createWorkerThread<Request, Result>(file: URL, options: Options): WorkerThread<Request, Result> {
  const { name, failure, idleMilliseconds } = options;
  let current: Running<Result> | null = null;
  let lastId = 0;

  function start(): Running<Result> {
    const worker = startWorker(file, options);
    const { promise: listening, resolve: listens } = Promise.withResolvers<void>();
    const started: Running<Result> = { worker, listening, isListening: false, pending: new Map(), timer: undefined };
    worker.on('message', (answer: Answer<Result>) => {
      if (answer === 'listening') {
        started.isListening = true;
        listens();
        watch(started);
      } else if (answer === 'closed') void worker.terminate();
      else settle(started, answer);
    });
    const ended = (cause?: Error) => end(started, new ThreadEndedError(`${name} ended.`, false, { cause }));
    worker.on('error', (error) => ended(error as Error));
    worker.on('exit', () => ended());
    return started;
  }

  function settle(running: Running<Result>, answer: Exclude<Answer<Result>, string>): void {
    const request = running.pending.get(answer.id);
    running.pending.delete(answer.id);
    if ('failure' in answer) request?.reject(new Error(`${failure}: ${answer.failure}`));
    else request?.resolve(answer.result);
    if (running === current && running.pending.size === 0) rest(running);
    else watch(running);
  }

  /** Limits the time of the oldest request in flight. */
  function watch(running: Running<Result>): void {
    clearTimeout(running.timer);
    const [oldest] = running.pending.values();
    if (!running.isListening || oldest?.timeout === undefined) return;
    const slow = new ThreadEndedError(`${name} did not answer within ${oldest.timeout} ms.`, true);
    running.timer = setTimeout(() => end(running, slow), oldest.timeout).unref();
  }

  function rest(running: Running<Result>): void {
    clearTimeout(running.timer);
    running.worker.unref();
    const closeIfCurrent = () => (running === current ? close() : undefined);
    running.timer = setTimeout(closeIfCurrent, idleMilliseconds).unref();
  }

  function end(running: Running<Result>, error: ThreadEndedError): void {
    clearTimeout(running.timer);
    if (current === running) current = null;
    for (const { reject } of running.pending.values()) reject(error);
    running.pending.clear();
    void running.worker.terminate();
  }

  function close(): void {
    if (current) post(current, 'close');
    current = null;
  }

  /** Sends when the thread listens: an earlier message may be lost, as on Deno. */
  function post({ worker, listening }: Running<Result>, message: Message<Request>, transferred: Transferable[] = []) {
    void listening.then(() => worker.postMessage(message, transferred));
  }

  return {
    call(request, { timeout, transferred = [] } = {}) {
      current ??= start();
      const running = current;
      lastId += 1;
      const id = lastId;
      const answered = new Promise<Result>((resolve, reject) => {
        running.pending.set(id, { resolve, reject, timeout });
      });
      running.worker.ref();
      if (running.pending.size === 1) watch(running);
      post(running, { id, request }, [...transferred]);
      return answered;
    },
    pending: () => current?.pending.size ?? 0,
    close,
  };
}

/**
 * Answers the requests of {@link createWorkerThread}, in the thread.
 *
 * @param close - called before the thread ends, after all answers.
 */
export function answerRequests<Request, Result>(handle: (request: Request) => Promise<Result>, close?: () => void) {
  const port = parentPort;
  const running = new Set<Promise<void>>();

  async function answer(id: number, request: Request): Promise<void> {
    try {
      port?.postMessage({ id, result: await handle(request) } satisfies Answer<Result>);
    } catch (error) {
      const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
      port?.postMessage({ id, failure } satisfies Answer<Result>);
    }
  }

  async function end(): Promise<void> {
    await Promise.all(running);
    close?.();
    port?.postMessage('closed' satisfies Answer<Result>);
  }

  port?.on('message', (message: Message<Request>) => {
    if (message === 'close') return void end();
    const answered = answer(message.id, message.request).finally(() => running.delete(answered));
    running.add(answered);
  });
  port?.postMessage('listening' satisfies Answer<Result>);
}
