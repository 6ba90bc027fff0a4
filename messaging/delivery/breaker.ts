import { minute, second } from '../../lib/clock.ts';

const threshold = 5;
const firstPause = 2 * second;
const maxPause = minute;
/** A connection that was not used for so long is forgotten, so that memory follows those in use. */
const forgottenAfter = 10 * minute;

type Circuit = { failures: number; pauses: number; openUntil: number; isTrying: boolean; usedAt: number };

/**
 * Circuit breakers, one for each connection. After five failures in a row to reach the far end nothing is sent for a
 * pause, which doubles up to a minute; then one delivery tries, and decides.
 */
export type Breaker = {
  /** The milliseconds until a delivery may use the connection; 0 for now. */
  pauseOf: (connection: string) => number;
  /** Begins a delivery over the connection, which must then end with one of the three. */
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
      // What had begun before the pause says nothing new.
      if (clock() < circuit.openUntil) return;
      circuit.failures += 1;
      circuit.isTrying = false;
      if (circuit.failures < threshold) return;
      circuit.openUntil = clock() + Math.min(firstPause * 2 ** circuit.pauses, maxPause);
      circuit.pauses += 1;
    },
  };
}
