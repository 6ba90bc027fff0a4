import { readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../lib/net/address.ts';
import { settings } from '../lib/settings/settings.ts';

/** Applies also where more files may be open, because each connection takes memory. */
const maxByDefault = 10_000;
/** The share of the process's file descriptors for connections: files and databases need the others. */
const shareOfDescriptors = 0.75;
const descriptorsAssumed = 1024;
/** The maximum share of all connections for one network. */
const shareOfNetwork = 1 / 8;
/** The share of the maximum that is closed in one batch, so that a flood costs one search for many connections. */
const shareClosedTogether = 1 / 32;
const pauseAfterVain = 500;

type Limits = { max: number; maxOfNetwork: number };
/** The responses in flight of each listener: a socket without any is idle. */
type InFlight = Iterable<ServerResponse>;

/**
 * Limits the open connections of a process, in total and for one network, over all listeners. At a limit the oldest
 * idle connections are closed; at the total limit only connections of the network with the most, so that connections
 * without requests cannot lock others out. Where none is idle, the new connection is closed.
 */
function createConnectionLimit({ max, maxOfNetwork }: Limits) {
  const open = createRegister();
  const listeners = new Set<InFlight>();
  let vainUntil = 0;

  /** Closes some of these connections if idle, the oldest first; returns whether there were any. */
  function closeIdle(sockets: Socket[], maxClosed: number): boolean {
    const busy = new Set([...listeners].flatMap((inFlight) => [...inFlight].map(({ socket }) => socket)));
    const idle = sockets.filter((socket) => !busy.has(socket)).slice(0, Math.ceil(maxClosed));
    for (const socket of idle) {
      open.remove(socket);
      socket.destroy();
    }
    if (idle.length === 0) vainUntil = performance.now() + pauseAfterVain;
    return idle.length > 0;
  }

  function makeRoom(network: string): boolean {
    const own = open.of(network);
    const isOwnFull = own.size >= maxOfNetwork;
    if (!isOwnFull && open.total() < max) return true;
    if (performance.now() < vainUntil) return false;
    if (isOwnFull) return closeIdle([...own], maxOfNetwork * shareClosedTogether);
    return closeIdle(open.byLargestNetwork(), max * shareClosedTogether);
  }

  return {
    /** Counts the connections of a server. */
    watch(server: Server, inFlight: InFlight): void {
      listeners.add(inFlight);
      server.once('close', () => listeners.delete(inFlight));
      server.on('connection', (socket) => {
        const network = networkOf(socket.remoteAddress ?? '');
        if (!makeRoom(network)) return void socket.destroy();
        open.add(socket, network);
        socket.once('close', () => open.remove(socket));
      });
    },
  };
}

/** The open sockets by network, each in the order of their age. */
function createRegister() {
  const networks = new Map<string, Set<Socket>>();
  const networkOfSocket = new Map<Socket, string>();
  return {
    total: () => networkOfSocket.size,
    of: (network: string): ReadonlySet<Socket> => networks.get(network) ?? new Set(),
    byLargestNetwork: () =>
      [...networks.values()].sort((one, other) => other.size - one.size).flatMap((sockets) => [...sockets]),
    add(socket: Socket, network: string): void {
      const own = networks.get(network) ?? new Set();
      networks.set(network, own.add(socket));
      networkOfSocket.set(socket, network);
    },
    remove(socket: Socket): void {
      const network = networkOfSocket.get(socket) ?? '';
      if (!networkOfSocket.delete(socket)) return;
      const own = networks.get(network);
      own?.delete(socket);
      if (own?.size === 0) networks.delete(network);
    },
  };
}

/** The limits of this process. Behind proxies all connections are the proxies', so only their total is limited. */
function limitsOfProcess(): Limits {
  const max = settings.MAX_CONNECTIONS || Math.min(maxByDefault, Math.floor(maxDescriptors() * shareOfDescriptors));
  const ofNetwork = Math.max(1, Math.floor(max * shareOfNetwork));
  return { max, maxOfNetwork: settings.TRUSTED_PROXIES > 0 ? max : ofNetwork };
}

/**
 * The maximum number of open files of the process, where the system reports it; Node raises the soft limit to the hard
 * one.
 */
function maxDescriptors(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return Number(soft) || descriptorsAssumed;
  } catch {
    return descriptorsAssumed;
  }
}

/** All listeners of the process share one limit, because they share the file descriptors. */
export const connectionLimit = createConnectionLimit(limitsOfProcess());
