import { day } from '../../lib/clock.ts';
import { oneAtATime } from '../../lib/one-at-a-time.ts';

/** From which networks each client proved its secret within the last day. */
export type ProvenNetworks = {
  /**
   * Whether `check` finds the secret of a client right. From a network where it was not lately, `takeGuess` comes first,
   * and such checks run one after the other: requests that a client begins with at once are one guess.
   */
  prove: (
    clientId: string,
    network: string,
    takeGuess: () => Promise<void>,
    check: () => Promise<boolean>,
  ) => Promise<boolean>;
};

const memory = day;
const maxClients = 10_000;
const maxNetworksOfClient = 64;

/**
 * Bounded for each client, so that none displaces another's networks by its own.
 *
 * @param read milliseconds of a clock that never goes back.
 */
export function createProvenNetworks(read: () => number = () => performance.now()): ProvenNetworks {
  const clients = new Map<string, Map<string, number>>();
  const inTurn = oneAtATime();

  function isProven(clientId: string, network: string): boolean {
    const provenAt = clients.get(clientId)?.get(network);
    return provenAt !== undefined && read() - provenAt < memory;
  }

  async function checkAndRemember(clientId: string, network: string, check: () => Promise<boolean>): Promise<boolean> {
    if (!(await check())) return false;
    const networks = clients.get(clientId) ?? new Map<string, number>();
    putLast(networks, network, read(), maxNetworksOfClient);
    putLast(clients, clientId, networks, maxClients);
    return true;
  }

  return {
    prove(clientId, network, takeGuess, check) {
      const checked = () => checkAndRemember(clientId, network, check);
      if (isProven(clientId, network)) return checked();
      return inTurn(`${clientId} ${network}`, async () => {
        if (!isProven(clientId, network)) await takeGuess();
        return await checked();
      });
    },
  };
}

/** Sets an entry of a map that keeps as many as `entriesMax`, those set last. */
function putLast<V>(map: Map<string, V>, key: string, value: V, entriesMax: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= entriesMax) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
