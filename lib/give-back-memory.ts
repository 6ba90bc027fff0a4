import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Runs a garbage collection. A start leaves a quarter of a node's memory as garbage, and a load of data leaves about
 * its own size; the engine keeps that until it needs the memory. The collection blocks the event loop for about a tenth
 * of the time that the garbage took to make. It does nothing where the runtime has no function for it.
 */
export function collectGarbage(): void {
  try {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('globalThis.gc');
    if (typeof collect === 'function') collect();
  } catch {
    // The engine collects later by itself.
  }
}
