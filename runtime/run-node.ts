import { type Logger, ServiceBroker } from 'moleculer';
import { settings } from '../lib/settings.ts';
import brokerOptions from '../moleculer.config.ts';
import { removeAbsentNodes } from './absent-nodes.ts';
import { announceReadiness } from './announce.ts';
import { openConsole } from './console.ts';
import { exitOnUncaught, explainFailedStart } from './failures.ts';
import { serveMetrics } from './metrics.ts';
import { nodeService } from './node-service.ts';
import { claimNodeId } from './presence.ts';
import { chooseServices, readService } from './services.ts';
import { stopOnSignals } from './stop.ts';

export type NodeOptions = { services: string[]; repl: boolean };

/** Runs a node with these services, or with all, until it is told to stop. */
export async function runNode({ services, repl }: NodeOptions): Promise<void> {
  const files = await chooseServices(services);
  const broker = new ServiceBroker(brokerOptions());
  const logger = broker.getLogger('runtime');
  exitOnUncaught(logger);
  stopOnSignals(broker, logger);
  await start(broker, files, logger).catch((error) => explainFailedStart(logger, error));
  if (repl) openConsole(broker, logger);
  await announceReadiness(broker, logger);
}

async function start(broker: ServiceBroker, files: string[], logger: Logger): Promise<void> {
  await serveMetrics(broker);
  if (settings.NATS_URL) await joinPool(broker, settings.NATS_URL, logger);
  broker.createService(nodeService());
  for (const file of files) broker.createService(await readService(file));
  await broker.start();
}

async function joinPool(broker: ServiceBroker, url: NonNullable<typeof settings.NATS_URL>, logger: Logger) {
  const presence = await claimNodeId({ url, namespace: broker.namespace, nodeID: broker.nodeID }, logger);
  broker.metadata.holdsName = true;
  removeAbsentNodes(broker, presence);
}
