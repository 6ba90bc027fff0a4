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
  /** The milliseconds until a delivery may use the connection; 0 for now. Then the delivery must end with one of the two. */
  pauseOf: (connection: string) => number;
  succeeded: (connection: string) => void;
  failed: (connection: string) => void;
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
      if (circuit.isTrying) return firstPause;
      const left = circuit.openUntil - clock();
      if (left > 0) return left;
      circuit.isTrying = true;
      return 0;
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
