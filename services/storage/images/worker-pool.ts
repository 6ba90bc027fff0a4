import { type Job, type Run, startWorkerProcess, type WorkerProcess } from './worker-process.ts';

/** The maximum of jobs per process: it reads the source of one while it transforms the previous one. */
export const jobsOfProcess = 2;

export type WorkerPool = {
  /** Runs a job on the least loaded process. The caller must not run more than {@link jobsOfProcess} per process. */
  run: WorkerProcess['run'];
  /** The ids of the processes that have not exited. */
  pids: () => number[];
  /** Kills all processes, and resolves when they have exited. */
  close: () => Promise<void>;
};

export type WorkerPoolOptions = {
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
