import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import type { Rendered } from './render.ts';
import { TransformError } from './transform-error.ts';
import type { Transformation } from './transform-query.ts';
import type { JobMessage, Report } from './worker.ts';

/** The source is in chunks as they were read. */
export type Job = { source: readonly Uint8Array[]; wanted: Transformation; timeoutSeconds: number };

/** A process that transforms one image at a time. */
export type WorkerProcess = {
  pid: number | undefined;
  /**
   * Has the process do a job. When the signal aborts, the process is killed, because nothing else ends what libvips
   * does.
   *
   * @throws TransformError, {@link WorkerExitedError}, and the reason of the signal.
   */
  run: (job: Job, signal: AbortSignal) => Promise<Rendered>;
  /** False from the moment it is killed or found to have exited. */
  isAlive: () => boolean;
  kill: () => void;
  /** Resolves when the process has exited; never rejects. */
  exited: Promise<void>;
};

/** The process exited in the midst of a job. */
export class WorkerExitedError extends Error {}

/**
 * Nothing of this process's environment, which has secrets. Two arenas keep glibc from holding memory for each thread
 * that libvips ever had. Images are transformed one at a time, so one thread is enough.
 */
const environment = { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '1' };

/** Starts a process. A job waits until it is ready. */
export function startWorkerProcess(): WorkerProcess {
  const child = forkWorker();
  const state: State = { child, current: null, isReady: false, isAlive: true };
  child.stdin?.on('error', () => undefined);
  child.on('message', (report: Report) => receive(state, report));
  return {
    pid: child.pid,
    run: (job, signal) => run(state, job, signal),
    isAlive: () => state.isAlive,
    kill: () => kill(state),
    exited: exitOf(state),
  };
}

type Current = { job: Job; resolve: (rendered: Rendered) => void; reject: (error: Error) => void };

type State = { child: ChildProcess; current: Current | null; isReady: boolean; isAlive: boolean };

function forkWorker(): ChildProcess {
  return fork(join(import.meta.dirname, 'worker.ts'), [], {
    // The options of this process, such as those of a test runner, are not for the worker.
    execArgv: [],
    execPath: process.execPath,
    env: environment,
    serialization: 'advanced',
    // libvips prints warnings about images, which are not for the log.
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
  });
}

function exitOf(state: State): Promise<void> {
  return new Promise((resolve) => {
    const onExit = (how: string) => {
      state.isAlive = false;
      takeCurrent(state)?.reject(new WorkerExitedError(`The worker process ended: ${how}.`));
      resolve();
    };
    state.child.once('error', (error) => onExit(error.message));
    // Deno does not always emit `close`.
    state.child.once('exit', (code, signal) => onExit(String(signal ?? code)));
  });
}

function receive(state: State, report: Report): void {
  if (report.kind === 'ready') {
    state.isReady = true;
    if (state.current) send(state.child, state.current.job);
  } else if (report.kind === 'rendered') {
    takeCurrent(state)?.resolve(received(report.rendered));
  } else {
    takeCurrent(state)?.reject(new TransformError(report.reason, report.message));
  }
}

async function run(state: State, job: Job, signal: AbortSignal): Promise<Rendered> {
  const abort = () => {
    kill(state);
    takeCurrent(state)?.reject(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await new Promise<Rendered>((resolve, reject) => {
      state.current = { job, resolve, reject };
      if (state.isReady) send(state.child, job);
    });
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function kill(state: State): void {
  state.isAlive = false;
  state.child.kill('SIGKILL');
}

function takeCurrent(state: State): Current | null {
  const { current } = state;
  state.current = null;
  return current;
}

/** A process that is gone receives nothing; its exit ends the job. */
function send(child: ChildProcess, { source, ...others }: Job): void {
  const size = source.reduce((total, chunk) => total + chunk.length, 0);
  child.send({ size, ...others } satisfies JobMessage, () => undefined);
  for (const chunk of source) child.stdin?.write(chunk);
}

/** Deno hands over a Uint8Array. */
function received({ bytes, ...about }: Rendered): Rendered {
  return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), ...about };
}
