import { readFileSync } from 'node:fs';

/** The resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  const kibibytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kibibytes) * 1024;
}

/** Watches how much memory a process has; gives the most that it had. */
export function watchPeak(pid: number): () => number {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, residentBytes(pid));
  }, 20);
  return () => {
    clearInterval(timer);
    return peak;
  };
}
