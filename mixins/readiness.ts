import type { ServiceBroker } from 'moleculer';
import { isDiskFull } from '../lib/data/disk-space.ts';
import { isAnnounced } from './announced-services.ts';
import { isDatabaseConnected } from './mongo.ts';
import { isNatsConnected } from './nats.ts';
import { isOutsidePool } from './pool-membership.ts';

/** The event by which a node publishes why it is not ready; without reasons it is ready again. */
export const readinessEvent = 'node.readiness.changed';
export type ReadinessChange = { reasons: string[] };

const watchMilliseconds = 1000;
/** Events may be lost: an unready node repeats its event, and others forget one that was not repeated. */
const repeatMilliseconds = 5000;
const expiryMilliseconds = 3 * repeatMilliseconds;

/** The services of the platform that have paths on a gateway. Without a service its paths are unknown. */
const platformServices = ['identity', 'access', 'billing', 'context', 'mail', 'notification', 'connect'];

const draining = new WeakSet<ServiceBroker>();
/** The expiry of the state of unready nodes, by name. */
const unreadyNodes = new WeakMap<ServiceBroker, Map<string, number>>();

/** A service may report unmet needs by a method `lacks`. */
type Lacking = { lacks?: () => string[] };

/** Marks the node as leaving: it still works, but is no longer ready. */
export function beginDraining(broker: ServiceBroker): void {
  draining.add(broker);
}

/**
 * The reasons why this node is not ready: `starting`, until the other nodes know its services, `stopping`, `nats`,
 * `database`, `disk`, `pool`, and the reasons that its services report; empty when it is ready.
 */
export function unreadyReasons(broker: ServiceBroker): string[] {
  if (draining.has(broker)) return ['stopping'];
  if (!broker.started || !isAnnounced(broker)) return ['starting'];
  const isConnected = isDatabaseConnected();
  // Without the database the services would report only consequences of that.
  const services = isConnected ? (broker.services as Lacking[]) : [];
  return [
    ...(isNatsConnected(broker) ? [] : ['nats']),
    ...(isConnected ? [] : ['database']),
    ...(isDiskFull() ? ['disk'] : []),
    ...(isConnected && isOutsidePool(broker) ? ['pool'] : []),
    ...services.flatMap((service) => service.lacks?.() ?? []),
  ];
}

/** The expected services that no node can serve now, to this node's knowledge. Sends no message. */
export function missingServices(broker: ServiceBroker, expected = platformServices): string[] {
  const nodes = broker.registry.nodes.toArray().filter(({ id, available, local }) => {
    // The reasons of this node are reported separately.
    return available && (local || !isUnready(broker, id));
  });
  const isServed = (service: string) => nodes.some(({ id }) => broker.registry.hasService(service, id));
  return expected.filter((service) => !isServed(service));
}

/** Records the published readiness of another node. */
export function recordReadiness(broker: ServiceBroker, nodeID: string, { reasons }: ReadinessChange): void {
  if (nodeID === broker.nodeID) return;
  const nodes = unreadyNodes.get(broker) ?? new Map<string, number>();
  unreadyNodes.set(broker, nodes);
  for (const [id, expiresAt] of nodes) if (expiresAt <= performance.now()) nodes.delete(id);
  if (reasons.length > 0) nodes.set(nodeID, performance.now() + expiryMilliseconds);
  else nodes.delete(nodeID);
}

function isUnready(broker: ServiceBroker, nodeID: string): boolean {
  return (unreadyNodes.get(broker)?.get(nodeID) ?? 0) > performance.now();
}

/**
 * Logs and publishes the changes of this node's readiness, at most once a second. A ready node sends nothing. Returns a
 * function that stops the watch.
 */
export function watchReadiness(broker: ServiceBroker): () => void {
  let known = '';
  let repeatAt = 0;
  const timer = setInterval(() => {
    const reasons = unreadyReasons(broker);
    const text = reasons.join(', ');
    const isChanged = text !== known;
    const isDue = reasons.length > 0 && performance.now() >= repeatAt;
    // The start has its own log line.
    if (text === 'starting' || (!isChanged && !isDue)) return;
    known = text;
    repeatAt = performance.now() + repeatMilliseconds;
    if (isChanged) log(broker, reasons);
    if (broker.transit && isNatsConnected(broker)) {
      broker.broadcast(readinessEvent, { reasons }).catch(() => broker.logger.debug('The readiness was not published'));
    }
  }, watchMilliseconds);
  return () => clearInterval(timer.unref());
}

function log({ logger }: ServiceBroker, reasons: string[]): void {
  if (reasons.length > 0) logger.warn('The node is not ready.', { missing: reasons });
  else logger.info('The node is ready again.');
}
