import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import type { Rendered } from './render.ts';
import { TransformError } from './transform-error.ts';
import type { Transformation } from './transform-query.ts';
import type { Report, WorkerMessage } from './worker.ts';

/** A transform job. The source is in chunks as they were read. Sources with equal names have equal bytes. */
type Job = {
  sourceName: string | null;
  source: readonly Uint8Array[];
  transformation: Transformation;
  timeoutSeconds: number;
};

/** `onBegin` is called when no other job precedes this one in the process. */
type Run = { signal: AbortSignal; onBegin: () => void };

/** A process that transforms one image at a time. */
type WorkerProcess = {
  pid: number | undefined;
  /**
   * Queues a job. When the signal aborts, the process is killed, because libvips cannot be interrupted.
   *
   * @throws TransformError, {@link WorkerExitedError}, {@link WithdrawnError}, and the reason of the signal.
   */
  run: (job: Job, run: Run) => Promise<Rendered>;
  /** The number of unfinished jobs. */
  jobs: () => number;
  /** Withdraws the last job unless it is the only one; returns whether it did. */
  withdraw: () => boolean;
  /** False once it is killed or has exited. */
  isAlive: () => boolean;
  kill: () => void;
  /** Resolves when the process has exited; never rejects. */
  exited: Promise<void>;
};

/** The process exited during the job. */
export class WorkerExitedError extends Error {}

/** The process did not begin the job and will not. */
export class WithdrawnError extends Error {}

/**
 * Excludes this process's environment, which contains secrets. Two arenas keep glibc from retaining memory for every
 * libvips thread. Images are transformed one at a time, so one thread suffices.
 */
const environment = { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '1' };

/** Starts a process. Jobs wait until it is ready. */
function startWorkerProcess(): WorkerProcess {
  const child = forkWorker();
  const state: State = { child, jobs: [], isReady: false, isAlive: true, lastId: 0, lastSource: null };
  child.stdin?.on('error', () => undefined);
  child.on('message', (report: Report) => receive(state, report));
  return {
    pid: child.pid,
    run: (job, options) => run(state, job, options),
    jobs: () => state.jobs.length,
    withdraw: () => withdraw(state),
    isAlive: () => state.isAlive,
    kill: () => kill(state),
    exited: exitOf(state),
  };
}

type Settle = { resolve: (rendered: Rendered) => void; reject: (error: Error) => void };
/** `isWithdrawn`: the process has not yet confirmed that it skipped the job. */
type Running = Settle & { id: number; job: Job; onBegin: () => void; isWithdrawn: boolean };

/**
 * The jobs are in the order in which the process runs and reports them. `lastSource` is the name of the last source
 * sent.
 */
type State = {
  child: ChildProcess;
  jobs: Running[];
  isReady: boolean;
  isAlive: boolean;
  lastId: number;
  lastSource: string | null;
};

function forkWorker(): ChildProcess {
  return fork(join(import.meta.dirname, 'worker.ts'), [], {
    // Does not inherit this process's options, for example a test runner's.
    execArgv: [],
    execPath: process.execPath,
    env: environment,
    serialization: 'advanced',
    // libvips prints warnings about images, which do not belong in the log.
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
  });
}

function exitOf(state: State): Promise<void> {
  return new Promise((resolve) => {
    const onExit = (how: string) => {
      state.isAlive = false;
      const [first, ...others] = state.jobs.splice(0);
      first?.reject(new WorkerExitedError(`The worker process ended: ${how}.`));
      for (const other of others) other.reject(new WithdrawnError('The worker process ended before the job began.'));
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
    for (const running of state.jobs) send(state, running);
    return;
  }
  const ended = state.jobs.shift();
  state.jobs[0]?.onBegin();
  if (report.kind === 'rendered') ended?.resolve(received(report.rendered));
  else if (report.kind === 'failed') ended?.reject(new TransformError(report.reason, report.message));
}

async function run(state: State, job: Job, { signal, onBegin }: Run): Promise<Rendered> {
  let abort = () => kill(state);
  signal.addEventListener('abort', () => abort(), { once: true });
  try {
    return await new Promise<Rendered>((resolve, reject) => {
      abort = () => {
        reject(signal.reason);
        kill(state);
      };
      const running = { id: ++state.lastId, job, onBegin, isWithdrawn: false, resolve, reject };
      state.jobs.push(running);
      if (state.isReady) send(state, running);
      if (state.jobs.length === 1) onBegin();
    });
  } finally {
    abort = () => undefined;
  }
}

function withdraw({ child, jobs, isReady }: State): boolean {
  const last = jobs.at(-1);
  if (!last || jobs.length === 1 || last.isWithdrawn) return false;
  if (isReady) child.send({ dropped: last.id } satisfies WorkerMessage, () => undefined);
  else jobs.pop();
  last.isWithdrawn = true;
  last.onBegin = () => undefined;
  last.reject(new WithdrawnError('Another process is free for the job.'));
  return true;
}

function kill(state: State): void {
  state.isAlive = false;
  state.child.kill('SIGKILL');
}

/** Sending to an exited process does nothing; its exit ends the job. */
function send(state: State, { id, job }: Running): void {
  const { sourceName, source, transformation, timeoutSeconds } = job;
  const isLast = sourceName !== null && sourceName === state.lastSource;
  const size = isLast ? null : source.reduce((total, chunk) => total + chunk.length, 0);
  state.child.send({ id, size, transformation, timeoutSeconds } satisfies WorkerMessage, () => undefined);
  if (isLast) return;
  state.lastSource = sourceName;
  for (const chunk of source) state.child.stdin?.write(chunk);
}

/** Deno passes a Uint8Array. */
function received({ bytes, ...about }: Rendered): Rendered {
  return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), ...about };
}

/** The maximum of jobs per process: it reads the source of one while it transforms the previous one. */
export const jobsOfProcess = 2;

type WorkerPool = {
  /** Runs a job on the least loaded process. The caller must not run more than {@link jobsOfProcess} per process. */
  run: WorkerProcess['run'];
  /** The ids of the processes that have not exited. */
  pids: () => number[];
  /** Kills all processes, and resolves when they have exited. */
  close: () => Promise<void>;
};

type WorkerPoolOptions = {
  /** The maximum of processes; each is started when it is first needed. */
  processes: number;
  /** A process ends after this many milliseconds without work. */
  idleMilliseconds: number;
};

/** A pool of processes, started on demand and ended when idle. */
export function createWorkerPool({ processes, idleMilliseconds }: WorkerPoolOptions): WorkerPool {
  /** In order of last use, the most recent last. */
  const all = new Set<WorkerProcess>();
  const idle = new Map<WorkerProcess, NodeJS.Timeout>();

  const start = () => {
    const worker = startWorkerProcess();
    all.add(worker);
    worker.exited.then(() => all.delete(worker)).catch(() => undefined);
    return worker;
  };

  function choose(): WorkerProcess {
    const alive = [...all].filter((worker) => worker.isAlive());
    // Prefers the most recently used process, so that unneeded ones reach their idle timeout.
    const free = alive.findLast((worker) => worker.jobs() === 0);
    if (free) return free;
    if (alive.length < processes) return start();
    return alive.reduce((least, worker) => (worker.jobs() < least.jobs() ? worker : least));
  }

  function rest(worker: WorkerProcess): void {
    if (!worker.isAlive() || worker.jobs() > 0) return;
    clearTimeout(idle.get(worker));
    idle.set(
      worker,
      setTimeout(() => worker.kill(), idleMilliseconds),
    );
    all.delete(worker);
    all.add(worker);
    // Moves a job that waits behind another one to this free process.
    for (const other of all) if (other !== worker && other.isAlive() && other.withdraw()) return;
  }

  return {
    async run(job: Job, run: Run) {
      const worker = choose();
      clearTimeout(idle.get(worker));
      idle.delete(worker);
      try {
        return await worker.run(job, run);
      } finally {
        rest(worker);
      }
    },
    pids: () => [...all].flatMap(({ pid }) => pid ?? []),
    async close() {
      for (const timer of idle.values()) clearTimeout(timer);
      for (const worker of all) worker.kill();
      await Promise.all([...all].map(({ exited }) => exited));
    },
  };
}
