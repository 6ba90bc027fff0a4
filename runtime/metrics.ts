import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ServiceBroker } from 'moleculer';
import { collectDefaultMetrics, Gauge, type MetricObject, register } from 'prom-client';
import { nodeReadiness, sendAlive, sendReadiness } from '../http/health.ts';
import { createListener } from '../http/listener.ts';
import { settings } from '../lib/settings/settings.ts';
import { unreadyReasons } from '../mixins/readiness.ts';

/**
 * Serves Prometheus metrics at /metrics, and this node's health at /health/alive and /health/ready, on
 * METRICS_HOST:METRICS_PORT; null when METRICS_PORT is 0.
 */
export async function serveMetrics(broker: ServiceBroker): Promise<Server | null> {
  if (settings.METRICS_PORT === 0) return null;
  collectDefaultMetrics();
  describeBroker(broker);
  const { logger } = broker;
  const { METRICS_HOST: host, METRICS_PORT: port } = settings;
  const listener = createListener((request, response) => {
    answer(broker, request, response).catch((error) => {
      logger.error('The metrics could not be read', error);
      response.writeHead(500).end();
    });
  }, logger);
  const problem = `Port ${port} for metrics is already in use.`;
  const advice = 'Stop what uses it, choose another with METRICS_PORT, or turn metrics off with 0.';
  await listener.listen({ host, port }, `${problem} ${advice}`);
  // The metrics server must not keep the process alive.
  return listener.server.unref();
}

async function answer(broker: ServiceBroker, { url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path] = url.split('?');
  if (path === '/health/alive') return sendAlive(response);
  if (path === '/health/ready') return sendReadiness(response, nodeReadiness(broker));
  if (path !== '/metrics') {
    response.writeHead(404).end();
    return;
  }
  const text = await register.metrics();
  response.writeHead(200, { 'Content-Type': register.contentType }).end(text);
}

function describeBroker(broker: ServiceBroker): void {
  const { registry } = broker;
  gauge('broker_nodes', 'Nodes of the pool that are available, this one included.', () => registry.nodes.onlineCount());
  gauge('broker_services', 'Services that some node of the pool offers.', () => countServices(broker));
  gauge('broker_pending_calls', 'Calls to other nodes that wait for their answer.', () => countPending(broker));
  gauge('node_ready', '1 when this node lacks nothing to do its work.', () =>
    unreadyReasons(broker).length === 0 ? 1 : 0,
  );
}

function gauge(name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    collect() {
      this.set(read());
    },
  });
}

function countServices({ registry }: ServiceBroker): number {
  const listed = registry.getServiceList({ onlyAvailable: true, skipInternal: true }) as { name: string }[];
  return new Set(listed.map(({ name }) => name)).size;
}

function countPending(broker: ServiceBroker): number {
  const { transit } = broker as { transit?: { pendingRequests: Map<string, unknown> } };
  return transit?.pendingRequests.size ?? 0;
}

type Registered = ReturnType<typeof register.getSingleMetric>;
type Metrics = Map<string, NonNullable<Registered>>;

/** The service whose load first registered a metric, by the metric's name. */
const owners = new Map<string, string>();

/**
 * Loads the code of a service, and returns the result with a function that restores the service's previous metrics. Its
 * metrics are registered again, so that their counters start at zero as after a restart. Metrics of shared code, which
 * the load does not define again, are kept.
 */
export async function loadWithMetrics<T>(service: string, load: () => Promise<T>): Promise<[T, () => void]> {
  const before = allMetrics();
  for (const name of before.keys()) if (owners.get(name) === service) register.removeSingleMetric(name);
  const restore = () => {
    for (const name of allMetrics().keys()) if (owners.get(name) === service) register.removeSingleMetric(name);
    addMissing(before);
  };
  try {
    const result = await load();
    for (const name of allMetrics().keys()) if (!owners.has(name) && !before.has(name)) owners.set(name, service);
    addMissing(before);
    return [result, restore];
  } catch (error) {
    for (const [name, metric] of allMetrics()) if (before.get(name) !== metric) register.removeSingleMetric(name);
    addMissing(before);
    throw error;
  }
}

function allMetrics(): Metrics {
  const named = register.getMetricsAsArray() as unknown as MetricObject[];
  return new Map(named.flatMap(({ name }) => entryOf(name)));
}

function entryOf(name: string): [string, NonNullable<Registered>][] {
  const metric = register.getSingleMetric(name);
  return metric ? [[name, metric]] : [];
}

function addMissing(metrics: Metrics): void {
  for (const [name, metric] of metrics) if (!register.getSingleMetric(name)) register.registerMetric(metric);
}
