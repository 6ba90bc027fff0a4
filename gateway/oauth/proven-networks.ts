import { day } from '../../lib/clock.ts';
import { createKeyedMutex } from '../../lib/one-at-a-time.ts';

/** The networks from which each client has proved its secret within the last day. */
export type TrustedNetworks = {
  /**
   * Whether `check` accepts the secret of a client. For a network that has not proved it within the last day,
   * `takeGuess` runs first, and such checks run one at a time, so that the concurrent first requests of a client count
   * as one guess.
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
 * Bounds the number of networks per client, so that one client cannot evict the networks of another.
 *
 * @param read a monotonic clock in milliseconds.
 */
export function createProvenNetworks(read: () => number = () => performance.now()): TrustedNetworks {
  const clients = new Map<string, Map<string, number>>();
  const runExclusive = createKeyedMutex();

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
      return runExclusive(`${clientId} ${network}`, async () => {
        if (!isProven(clientId, network)) await takeGuess();
        return await checked();
      });
    },
  };
}

/** Sets an entry of a map and evicts the oldest beyond `entriesMax`. */
function putLast<V>(map: Map<string, V>, key: string, value: V, entriesMax: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= entriesMax) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
