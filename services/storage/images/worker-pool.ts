import { type Job, type Run, startWorkerProcess, type WorkerProcess } from './worker-process.ts';

/** How many jobs a process has at most: it reads the source of one while it transforms the one before. */
export const jobsOfProcess = 2;

export type WorkerPool = {
  /**
   * Has the process with the least to do do a job. The caller runs no more than {@link jobsOfProcess} for each process.
   */
  run: WorkerProcess['run'];
  /** The ids of the processes that have not exited. */
  pids: () => number[];
  /** Kills all processes, and resolves when they have exited. */
  close: () => Promise<void>;
};

export type WorkerPoolOptions = {
  /** At most so many; each is started when it is first needed. */
  processes: number;
  /** One without work ends after so many milliseconds. */
  idleMilliseconds: number;
};

/** Processes that exist while they are used. */
export function createWorkerPool({ processes, idleMilliseconds }: WorkerPoolOptions): WorkerPool {
  /** The last used comes last. */
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
    // The last used is taken first, so that those not needed reach the end of their time.
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
    // A job that waits behind a long one need not.
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
