import { startWorkerProcess, type WorkerProcess } from './worker-process.ts';

export type WorkerPool = {
  /** A process without work, started when there is none. */
  take: () => WorkerProcess;
  giveBack: (worker: WorkerProcess) => void;
  /** The ids of the processes that have not exited. */
  pids: () => number[];
  /** Kills all processes, and resolves when they have exited. */
  close: () => Promise<void>;
};

/** Processes that exist while they are used. One without work ends after so many milliseconds. */
export function createWorkerPool(idleMilliseconds: number): WorkerPool {
  const all = new Set<WorkerProcess>();
  const idle: { worker: WorkerProcess; timer: NodeJS.Timeout }[] = [];

  const start = () => {
    const worker = startWorkerProcess();
    all.add(worker);
    worker.exited.then(() => all.delete(worker)).catch(() => undefined);
    return worker;
  };
  const end = (worker: WorkerProcess) => {
    const place = idle.findIndex((entry) => entry.worker === worker);
    if (place >= 0) idle.splice(place, 1);
    worker.kill();
  };

  return {
    take() {
      // The last used comes first, so that those not needed reach the end of their time.
      for (let entry = idle.pop(); entry; entry = idle.pop()) {
        clearTimeout(entry.timer);
        if (entry.worker.isAlive()) return entry.worker;
      }
      return start();
    },
    giveBack(worker) {
      if (!worker.isAlive()) return;
      idle.push({ worker, timer: setTimeout(() => end(worker), idleMilliseconds) });
    },
    pids: () => [...all].flatMap(({ pid }) => pid ?? []),
    async close() {
      for (const { timer } of idle.splice(0)) clearTimeout(timer);
      for (const worker of all) worker.kill();
      await Promise.all([...all].map(({ exited }) => exited));
    },
  };
}
