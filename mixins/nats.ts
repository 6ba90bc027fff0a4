import { setTimeout as wait } from 'node:timers/promises';
import type { BrokerOptions, Context, Middleware, Service, ServiceBroker } from 'moleculer';
import type { NatsConnection } from 'nats';
import { flushOncePerTick } from '../lib/concurrency/batcher.ts';
import { apiError, isError } from '../lib/contract/errors.ts';
import type { Secret } from '../lib/security/secret.ts';

/** The timeout of a connection attempt. By default an attempt to a dead machine would delay the next by 20 seconds. */
const attemptMilliseconds = 2000;
/** The interval of pings to nodes that were not heard since a reconnection. */
const pauseBetweenLooks = 100;

type Watched = { transit?: { tx: { client?: NatsConnection | null } } };

/** The state of this node's connection to NATS. */
type Connection = {
  isConnected: boolean;
  /** `performance.now()` when it was last made. */
  since: number;
  /** Nodes that were not heard since then: NATS drops messages to a node that has not subscribed again yet. */
  unheard: Set<string>;
};

const connections = new WeakMap<ServiceBroker, Connection>();

/** Moleculer's NATS transporter for a URL; it reconnects without limit and detects a silent server within seconds. */
export function natsTransporter(url: Secret): BrokerOptions['transporter'] {
  return { type: 'NATS', options: natsOptions(url) };
}

/** The client's options for NATS_URL: the servers, and their common credentials and TLS. */
export function natsOptions(url: Secret) {
  const urls = url.reveal().split(',');
  const { protocol, username, password } = new URL(urls[0] ?? '');
  const user = decodeURIComponent(username);
  const pass = decodeURIComponent(password);
  return {
    servers: urls.map((one) => new URL(one).host),
    ...(pass ? { user, pass } : user && { token: user }),
    ...(protocol === 'tls:' && { tls: {} }),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: 2000,
    timeout: attemptMilliseconds,
    waitOnFirstConnect: true,
  };
}

/** The event on a broker's local bus after a lost connection to NATS was restored. */
export const natsReconnected = '$nats.reconnected';

/** Whether this node can reach the others now; true for a node that needs no NATS. */
export function isNatsConnected(broker: ServiceBroker): boolean {
  return connections.get(broker)?.isConnected ?? true;
}

/** The time in milliseconds since this node connected; 0 while it is disconnected. */
export function natsConnectedFor(broker: ServiceBroker): number {
  const connection = connections.get(broker);
  return connection?.isConnected ? performance.now() - connection.since : 0;
}

/**
 * Tracks the connection to NATS, which Moleculer does not: its client reconnects silently. A call to another node fails
 * with UNAVAILABLE immediately instead of after its timeout in three cases: while disconnected, when the connection
 * breaks during the call, and after a reconnection until the other node was heard.
 */
export function natsCircuitBreaker(): Middleware {
  return {
    name: 'BreakerOfNats',
    created(broker) {
      if (!broker.options.transporter) return;
      const connection: Connection = { isConnected: false, since: 0, unheard: new Set() };
      connections.set(broker, connection);
      const hear = ({ node }: { node: { id: string } }) => void connection.unheard.delete(node.id);
      for (const event of ['connected', 'updated', 'disconnected']) broker.localBus.on(`$node.${event}`, hear);
      broker.localBus.on('$transporter.connected', () => void watch(broker, connection));
    },
    remoteAction(handler) {
      return async function callAnotherNode(this: Service, ctx: Context) {
        const connection = connections.get(ctx.broker);
        if (!connection?.isConnected || connection.unheard.has(ctx.nodeID ?? '')) throw apiError('UNAVAILABLE');
        try {
          return await handler.call(this, ctx);
        } catch (error) {
          throw asAnswer(error);
        }
      };
    },
  };
}

function asAnswer(error: unknown): unknown {
  // A body within its limit may still be too large for NATS: the platform's JSON writes `1e20` in full.
  if (error instanceof Error && 'code' in error && error.code === 'MAX_PAYLOAD_EXCEEDED') {
    return apiError('BODY_TOO_LARGE', { cause: error });
  }
  // The connection or the other node is gone. The circuit breaker must not count this, because it would stay open after the reconnection.
  return isRejected(error) ? apiError('UNAVAILABLE', { cause: error }) : error;
}

const isRejected = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && error.type === 'REQUEST_REJECTED';

/** Whether a call to another node was lost in flight with that node or the connection to it. */
export function isLostCall(error: unknown): boolean {
  return isError(error, 'UNAVAILABLE') && error instanceof Error && isRejected(error.cause);
}

async function watch(broker: ServiceBroker, connection: Connection): Promise<void> {
  const client = (broker as Watched).transit?.tx.client;
  Object.assign(connection, { isConnected: true, since: performance.now() });
  // Only the NATS transporter has a client. Other transporters report a lost connection themselves.
  if (!client) return;
  for await (const { type } of client.status()) {
    if (type === 'disconnect') onDisconnect(broker, connection);
    if (type === 'reconnect') void onReconnect(broker, connection);
  }
  connection.isConnected = false;
}

/**
 * NATS delivers at most once: neither side knows whether a message in flight was lost. So calls in flight fail
 * immediately, even those that would have been answered after a short interruption. A call that waits for a lost answer
 * would block all requests that share it, such as all requests with one API key, until its timeout.
 */
function onDisconnect(broker: ServiceBroker, connection: Connection): void {
  if (!connection.isConnected) return;
  connection.isConnected = false;
  broker.logger.warn('The connection to NATS is lost; calls to other nodes fail until it is back.');
  for (const { id, local, available } of broker.registry.nodes.toArray()) {
    if (local) continue;
    if (available) connection.unheard.add(id);
    broker.transit?.removePendingRequestByNodeID(id);
  }
}

/** Makes the nodes introduce themselves again without waiting for a heartbeat. */
async function onReconnect(broker: ServiceBroker, connection: Connection): Promise<void> {
  const since = performance.now();
  Object.assign(connection, { isConnected: true, since });
  broker.logger.warn('The connection to NATS is back.');
  broker.localBus.emit(natsReconnected);
  try {
    const { discoverer } = broker.registry;
    await discoverer.sendLocalNodeInfo();
    // Nodes reconnect one after the other, and messages to a node before its reconnection are lost. A node that is gone
    // is removed from the registry when its heartbeats are missed.
    while (connection.isConnected && connection.since === since && connection.unheard.size > 0) {
      await Promise.all([...connection.unheard].map((nodeID) => discoverer.discoverNode(nodeID)));
      await wait(pauseBetweenLooks, undefined, { ref: false });
    }
  } catch (error) {
    connection.unheard.clear();
    broker.logger.warn('Could not ping the other nodes after the reconnection.', { error });
  }
}

type Send = (topic: string, data: Buffer, meta: object) => Promise<void>;
type Transporter = { client?: NatsConnection | null };
type Waiting = { args: Parameters<Send>; resolve: () => void; reject: (error: unknown) => void };

/**
 * Batches the messages of one turn of the event loop for NATS. Otherwise its client writes to the socket once per
 * request, and with 32 requests in flight those writes were 40 % of the work of both nodes.
 */
export function coalesceNatsWrites(): Middleware {
  return {
    name: 'SendTogether',
    transporterSend(this: Transporter, next: Send) {
      const sendLater = flushOncePerTick<Waiting>((together) => {
        for (const { args, resolve, reject } of together) {
          try {
            next(...args).then(resolve, reject);
          } catch (error) {
            reject(error);
          }
        }
      });

      const send: Send = (...args) => {
        const [, data] = args;
        // A message that is too large must throw immediately, so that the node can send an error answer instead.
        if (data.length > (this.client?.info?.max_payload ?? 0)) return next(...args);
        return new Promise((resolve, reject) => sendLater({ args, resolve, reject }));
      };
      // Moleculer's type of the hook omits that it returns the function that sends.
      return send as never;
    },
  };
}
