import { LRUCache } from 'lru-cache';
import { expireAfter } from './ttl-cache.ts';

/** `threshold` is the number of consecutive failures that opens the circuit; the pauses are in milliseconds. */
export type CircuitBreakerOptions = { threshold: number; firstPause: number; maxPause: number };

type Circuit = { failures: number; pauses: number; openUntil: number; isTrying: boolean };

/**
 * Circuit breakers, one per name. After some consecutive failures to reach the far end the circuit opens for a pause
 * that doubles up to a maximum. Then one trial call decides (half-open).
 */
export type CircuitBreaker = {
  /** Returns the milliseconds until a call may be made; 0 if it may now. */
  pauseOf: (name: string) => number;
  /** Begins a call. The caller must end it with `succeeded`, `failed` or `ended`. */
  begin: (name: string) => void;
  succeeded: (name: string) => void;
  failed: (name: string) => void;
  /** The call ended without a verdict on the far end. */
  ended: (name: string) => void;
};

const maxCircuits = 10_000;
/** Forgets a circuit after this many of its longest pauses without a failure. */
const forgottenAfterPauses = 10;

/** @param read - a monotonic clock in milliseconds. */
export function createCircuitBreaker(
  { threshold, firstPause, maxPause }: CircuitBreakerOptions,
  read: () => number = () => performance.now(),
): CircuitBreaker {
  const circuits = new LRUCache<string, Circuit>({
    max: maxCircuits,
    ...expireAfter(forgottenAfterPauses * maxPause, read),
  });

  return {
    pauseOf(name) {
      const circuit = circuits.get(name);
      if (!circuit || circuit.failures < threshold) return 0;
      return circuit.isTrying ? firstPause : Math.max(0, circuit.openUntil - read());
    },
    begin(name) {
      const circuit = circuits.get(name);
      if (circuit && circuit.failures >= threshold) circuit.isTrying = true;
    },
    ended(name) {
      const circuit = circuits.get(name);
      if (circuit) circuit.isTrying = false;
    },
    succeeded(name) {
      circuits.delete(name);
    },
    failed(name) {
      const circuit = circuits.get(name) ?? { failures: 0, pauses: 0, openUntil: 0, isTrying: false };
      // A call that began before the circuit opened adds no information.
      if (read() < circuit.openUntil) return;
      circuit.failures += 1;
      circuit.isTrying = false;
      if (circuit.failures >= threshold) {
        circuit.openUntil = read() + Math.min(firstPause * 2 ** circuit.pauses, maxPause);
        circuit.pauses += 1;
      }
      circuits.set(name, circuit);
    },
  };
}
