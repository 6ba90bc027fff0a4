import { minute, second } from '../../lib/data/clock.ts';

const threshold = 5;
const firstPause = 2 * second;
const maxPause = minute;
/** Drops the state of a connection after this much time without use, to bound memory. */
const forgottenAfter = 10 * minute;

type Circuit = { failures: number; pauses: number; openUntil: number; isTrying: boolean; usedAt: number };

/**
 * Circuit breakers, one per connection. After five consecutive failures to reach the far end, the circuit opens for a
 * pause that doubles up to a minute. Then one trial delivery decides (half-open).
 */
export type Breaker = {
  /** Returns the milliseconds until a delivery may use the connection; 0 if it may now. */
  pauseOf: (connection: string) => number;
  /** Begins a delivery over the connection. The caller must end it with `succeeded`, `failed` or `ended`. */
  begin: (connection: string) => void;
  succeeded: (connection: string) => void;
  failed: (connection: string) => void;
  /** The delivery ended without a verdict on the connection. */
  ended: (connection: string) => void;
};

export function createBreaker(clock: () => number = () => performance.now()): Breaker {
  const circuits = new Map<string, Circuit>();

  function circuitOf(connection: string): Circuit {
    const circuit = circuits.get(connection) ?? { failures: 0, pauses: 0, openUntil: 0, isTrying: false, usedAt: 0 };
    circuit.usedAt = clock();
    circuits.delete(connection);
    circuits.set(connection, circuit);
    for (const [name, { usedAt }] of circuits) {
      if (circuit.usedAt - usedAt < forgottenAfter) break;
      circuits.delete(name);
    }
    return circuit;
  }

  return {
    pauseOf(connection) {
      const circuit = circuits.get(connection);
      if (!circuit || circuit.failures < threshold) return 0;
      return circuit.isTrying ? firstPause : Math.max(0, circuit.openUntil - clock());
    },
    begin(connection) {
      const circuit = circuits.get(connection);
      if (circuit && circuit.failures >= threshold) circuit.isTrying = true;
    },
    ended(connection) {
      const circuit = circuits.get(connection);
      if (circuit) circuit.isTrying = false;
    },
    succeeded(connection) {
      circuits.delete(connection);
    },
    failed(connection) {
      const circuit = circuitOf(connection);
      // A delivery that started before the circuit opened adds no information.
      if (clock() < circuit.openUntil) return;
      circuit.failures += 1;
      circuit.isTrying = false;
      if (circuit.failures < threshold) return;
      circuit.openUntil = clock() + Math.min(firstPause * 2 ** circuit.pauses, maxPause);
      circuit.pauses += 1;
    },
  };
}
