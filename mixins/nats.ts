import type { BrokerOptions, Context, Middleware, Service, ServiceBroker } from 'moleculer';
import type { NatsConnection } from 'nats';
import { fail } from '../lib/errors.ts';
import type { Secret } from '../lib/secret.ts';

/** How long a call in flight may wait for a connection that broke before it is given up. */
const graceMilliseconds = 1000;

type Watched = { transit?: { tx: { client?: NatsConnection | null } } };

const connected = new WeakMap<ServiceBroker, boolean>();

/** Moleculer's NATS transporter for a URL; it reconnects for ever and notices a silent server within seconds. */
export function natsTransporter(url: Secret): BrokerOptions['transporter'] {
  return { type: 'NATS', options: natsOptions(url) };
}

/** The client's options that a URL stands for: server, credentials and TLS. */
export function natsOptions(url: Secret) {
  const { protocol, host, username, password } = new URL(url.reveal());
  const user = decodeURIComponent(username);
  const pass = decodeURIComponent(password);
  return {
    servers: host,
    ...(pass ? { user, pass } : user && { token: user }),
    ...(protocol === 'tls:' && { tls: {} }),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: 2000,
    waitOnFirstConnect: true,
  };
}

/** Whether this node reaches the others now; true for a node that needs no NATS. */
export function isNatsConnected(broker: ServiceBroker): boolean {
  return connected.get(broker) ?? true;
}

/**
 * Knows whether NATS answers, which Moleculer does not: its client reconnects silently. While the connection is gone,
 * calls to other nodes fail at once with UNAVAILABLE instead of waiting for their timeout, and when it is back the
 * nodes introduce themselves again without waiting for a heartbeat.
 */
export function breakerOfNats(): Middleware {
  return {
    name: 'BreakerOfNats',
    created(broker) {
      if (!broker.options.transporter) return;
      connected.set(broker, false);
      broker.localBus.on('$transporter.connected', () => void watch(broker));
    },
    remoteAction(handler) {
      return async function callAnotherNode(this: Service, ctx: Context) {
        if (!connected.get(ctx.broker)) throw fail('UNAVAILABLE');
        try {
          return await handler.call(this, ctx);
        } catch (error) {
          throw isTooLargeForNats(error) ? fail('BODY_TOO_LARGE', { cause: error }) : error;
        }
      };
    },
  };
}

/** A body within its limit may still be too large for NATS: JSON of ours writes `1e20` in full. */
function isTooLargeForNats(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'MAX_PAYLOAD_EXCEEDED';
}

async function watch(broker: ServiceBroker): Promise<void> {
  const client = (broker as Watched).transit?.tx.client;
  connected.set(broker, true);
  // Only NATS has a client; any other transporter itself says when it is cut off.
  if (!client) return;
  for await (const { type } of client.status()) {
    if (type === 'disconnect') lose(broker);
    if (type === 'reconnect') await regain(broker);
  }
  connected.set(broker, false);
}

function lose(broker: ServiceBroker): void {
  if (!connected.get(broker)) return;
  connected.set(broker, false);
  broker.logger.warn('The connection to NATS is lost; calls to other nodes fail until it is back.');
  setTimeout(() => {
    if (!connected.get(broker)) giveUpCallsInFlight(broker);
  }, graceMilliseconds).unref();
}

function giveUpCallsInFlight(broker: ServiceBroker): void {
  for (const { id, local } of broker.registry.nodes.toArray()) {
    if (!local) broker.transit?.removePendingRequestByNodeID(id);
  }
}

async function regain(broker: ServiceBroker): Promise<void> {
  connected.set(broker, true);
  broker.logger.info('The connection to NATS is back.');
  await broker.registry.discoverer.sendLocalNodeInfo();
  await broker.registry.discoverer.discoverAllNodes();
}
