import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Runs a garbage collection. A start leaves a quarter of a node's memory as garbage, and a load of data leaves about
 * its own size; the engine keeps that until it needs the memory. The collection blocks the event loop for about a tenth
 * of the time that the garbage took to make. It does nothing where the runtime has no function for it.
 */
export function giveBackMemory(): void {
  try {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('globalThis.gc');
    if (typeof collect === 'function') collect();
  } catch {
    // The engine collects later by itself.
  }
}

const idleShare = 0.9;

/**
 * The same once the thread has had little to do for a second: the first requests of a node that is ready do not wait for
 * it, and under load the engine collects by itself. A runtime that does not measure its thread collects after a second.
 */
export function giveBackMemoryWhenIdle(lookMilliseconds = 1000): void {
  let lookedAt = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const present = performance.eventLoopUtilization();
    const { idle, active } = performance.eventLoopUtilization(present, lookedAt);
    lookedAt = present;
    if (idle < idleShare * (idle + active)) return;
    clearInterval(timer);
    giveBackMemory();
  }, lookMilliseconds);
  timer.unref();
}
