import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Runs a garbage collection. A start leaves a quarter of a node's memory as garbage, and a load of data about its own
 * size; the engine keeps it until it needs the memory. The collection blocks the event loop for about a tenth of the
 * time in which the garbage was produced. Does nothing where the runtime does not expose `gc`.
 */
export function collectGarbage(): void {
  try {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('globalThis.gc');
    if (typeof collect === 'function') collect();
  } catch {
    // The engine collects later without it.
  }
}
