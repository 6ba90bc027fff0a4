import { type Logger, ServiceBroker, type ServiceSchema } from 'moleculer';
import { logToStandardError } from '../lib/log/logging.ts';
import { settings } from '../lib/settings/settings.ts';
import { StartError } from '../lib/settings/start-error.ts';
import { checkUnusedDatabase } from '../mixins/mongo.ts';
import brokerOptions from '../moleculer.config.ts';
import type { Arguments } from './command-line.ts';
import { enterPool } from './join-pool.ts';
import { announceReadiness, exitOnUncaught, explainFailedStart } from './lifecycle.ts';
import { chooseServices, readServices } from './load-service.ts';
import { serveMetrics } from './metrics.ts';
import { nodeService } from './node-service.ts';
import { openConsole, requireTerminal, runConsole } from './operator/console.ts';
import { executeOn } from './operator/execute.ts';
import { serveConsole } from './operator/socket.ts';
import { stopOnSignals } from './stop.ts';

/** Runs a node with these services, or with all, until a signal stops it; with `console` only a console on the pool. */
export async function runNode(options: Arguments): Promise<void> {
  const { services, repl, console: onlyConsole } = options;
  if (onlyConsole) requirePool(options);
  const files = onlyConsole ? [] : await chooseServices(services);
  const broker = new ServiceBroker(brokerOptions());
  const logger = broker.getLogger('runtime');
  exitOnUncaught(logger);
  stopOnSignals(broker, logger);
  await start(broker, files, logger).catch((error) => explainFailedStart(logger, error));
  if (onlyConsole) return await runConsole(broker, options);
  if (repl) openConsole(broker, logger, options.as).catch((error) => logger.error('The console has ended', { error }));
  if (!settings.NATS_URL) await serveConsole(settings.DATA_DIR, executeOn(broker), logger);
  await announceReadiness(broker, logger);
}

function requirePool(options: Arguments): void {
  if (options.services.length > 0)
    throw new StartError('--console runs no service. Name services or use --console, not both.');
  requireTerminal(options);
  if (options.command !== null) logToStandardError();
}

async function start(broker: ServiceBroker, files: string[], logger: Logger): Promise<void> {
  // A console has no metrics, and their port may be in use by a node on the same machine.
  if (files.length > 0) await serveMetrics(broker);
  const entry = await enterPool(broker, files.length === 0, logger);
  broker.createService(nodeService());
  const schemas = await readServices(files);
  entry.declareServices(schemas);
  createServices(broker, schemas);
  await broker.start();
  // A gateway does not use the database. It checks the database in the background, and is not ready before.
  if (settings.NATS_URL && files.length > 0) {
    checkUnusedDatabase(logger).catch((error) => explainFailedStart(logger, error));
  }
}

/** Creates the services. Missing settings of a service are detected when it is created; all are reported together. */
function createServices(broker: ServiceBroker, schemas: ServiceSchema[]): void {
  const problems: string[] = [];
  for (const schema of schemas) {
    try {
      broker.createService(schema);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new StartError(problems.join('\n'));
}
