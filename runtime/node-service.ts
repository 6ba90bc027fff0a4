import { basename } from 'node:path';
import { type Context, Errors, type Service, type ServiceBroker, type ServiceSchema } from 'moleculer';
import { createKeyedMutex } from '../lib/concurrency/keyed-mutex.ts';
import { callTimeout } from '../lib/contract/context.ts';
import {
  type RegisteredService,
  registerDeclaredPermissions,
  registeredServices,
} from '../lib/contract/service-declarations.ts';
import { describeJobs, type JobState, jobRequested, runJob, wakeJob } from '../mixins/cron/cron.ts';
import { type DatabaseOperation, databaseOperations, killDatabaseOperation } from '../mixins/mongo-operations.ts';
import {
  type ReadinessChange,
  readinessEvent,
  recordReadiness,
  unreadyReasons,
  watchReadiness,
} from '../mixins/readiness.ts';
import { findServiceFile, readServiceAgain, removeService, startOrReplaceService } from './load-service.ts';
import { registerPermissionsOfAbsentServices } from './missing-permissions.ts';

type NodesOfVersion = Map<string, string[]>;

/** Lists the code version of a service on each node of the pool, in one sentence. */
export function describeVersions(broker: ServiceBroker, service: string): string {
  const versions = versionsOf(availableServices(broker).filter(({ name }) => name === service));
  const parts = [...versions].map(([version, nodes]) => `${version} on ${nodes.join(', ')}`);
  if (parts.length === 1) return `It runs in version ${parts[0]}.`;
  return `Nodes run different versions of it: ${parts.join('; ')}.`;
}

/** Lists the code versions of all services, a line for each; see {@link describeVersions}. */
export function describeAllVersions(broker: ServiceBroker): string {
  const byName = Map.groupBy(availableServices(broker), ({ name }) => name);
  const names = [...byName.keys()].filter((name) => name !== 'node').sort();
  const lines = names.map((name) => {
    const versions = versionsOf(byName.get(name) ?? []);
    const parts = [...versions].map(([version, nodes]) => `${version} on ${nodes.join(', ')}`);
    return `${name}: ${parts.join('; ')}${parts.length > 1 ? ' (DIFFERENT CODE)' : ''}`;
  });
  return lines.join('\n');
}

function availableServices(broker: ServiceBroker): RegisteredService[] {
  return registeredServices(broker).filter(({ available }) => available);
}

function versionsOf(services: RegisteredService[]): NodesOfVersion {
  const versions: NodesOfVersion = new Map();
  for (const { nodeID, metadata } of services) {
    const version = metadata.codeVersion ?? 'unknown';
    versions.set(version, [...(versions.get(version) ?? []), nodeID].sort());
  }
  return new Map([...versions].sort());
}

const runExclusive = createKeyedMutex();
/** Applies the caller's timeout on this node too. Moleculer's types omit this option. */
const ownTimeout = { timeout: callTimeout } as object;

/**
 * The service that reports a node's own state: whether it is ready, and which services it runs. Its actions have no
 * contract, so the gateway never serves them; they are for the console of operators and for other nodes.
 */
export function nodeService(): ServiceSchema {
  let stopLearning: (() => void) | undefined;
  let stopWatching: (() => void) | undefined;
  return {
    name: 'node',
    events,
    started(this: Service) {
      stopLearning = registerPermissionsOfAbsentServices(this.broker);
      stopWatching = watchReadiness(this.broker);
    },
    stopped() {
      stopLearning?.();
      stopWatching?.();
    },
    actions: {
      readiness: {
        handler(this: Service): string[] {
          return unreadyReasons(this.broker);
        },
      },
      load: {
        handler(this: Service, ctx: Context<{ file?: unknown }>): Promise<string> {
          return load(this.broker, ctx.params.file);
        },
      },
      unload: {
        handler(this: Service, ctx: Context<{ name?: unknown }>): Promise<string> {
          return runExclusive('load', () => unload(this.broker, ctx.params.name));
        },
      },
      versions: {
        handler(this: Service): string {
          return describeAllVersions(this.broker);
        },
      },
      jobs: {
        ...ownTimeout,
        handler(this: Service): Promise<JobState[]> {
          return describeJobs(this.broker);
        },
      },
      describe: {
        handler(this: Service) {
          return {
            missing: unreadyReasons(this.broker),
            uptimeSeconds: Math.round(process.uptime()),
            residentMiB: Math.round(process.memoryUsage.rss() / 2 ** 20),
            runtime: process.version,
          };
        },
      },
      'database-operations': {
        handler(): Promise<DatabaseOperation[]> {
          return databaseOperations();
        },
      },
      'kill-operation': {
        handler(ctx: Context<{ operation?: unknown }>): Promise<string> {
          return killDatabaseOperation(String(ctx.params.operation));
        },
      },
      'run-job': {
        handler(this: Service, ctx: Context<{ name?: unknown }>): Promise<string> {
          return runScheduled(this.broker, ctx.params.name);
        },
      },
    },
  };
}

const events: ServiceSchema['events'] = {
  '$services.changed'(this: Service) {
    registerDeclaredPermissions(this.broker);
  },
  [jobRequested]: {
    handler(this: Service, ctx: Context<{ name?: unknown }>) {
      void wakeJob(this.broker, String(ctx.params.name));
    },
  },
  [readinessEvent]: {
    handler(this: Service, ctx: Context<ReadinessChange>) {
      recordReadiness(this.broker, ctx.nodeID ?? '', ctx.params);
    },
  },
};

async function load(broker: ServiceBroker, fileOrName: unknown): Promise<string> {
  if (typeof fileOrName !== 'string') throw refusal('Name a service, its folder or its file.');
  const file = await findServiceFile(fileOrName).catch((error: Error) => {
    throw refusal(error.message);
  });
  // Loads must not run concurrently, because models and metrics are attributed to the service that is being loaded.
  return runExclusive('load', () => loadFile(broker, file));
}

async function loadFile(broker: ServiceBroker, file: string): Promise<string> {
  try {
    const { schema, begin, discard } = await readServiceAgain(file);
    const outcome = await startOrReplaceService(broker, schema, begin).catch((error: unknown) => {
      discard();
      throw error;
    });
    broker.logger.warn(`The service ${schema.name} was ${outcome} at run time.`, { file });
    return `${schema.name} was ${outcome} on ${broker.nodeID}. ${describeVersions(broker, schema.name)}`;
  } catch (error) {
    broker.logger.error('Reload failed; keeping the running version.', { file, error });
    throw refusal(`${basename(file)} could not be loaded: ${error instanceof Error ? error.message : error}.`);
  }
}

async function unload(broker: ServiceBroker, name: unknown): Promise<string> {
  const isLoadable = typeof name === 'string' && name !== 'node' && !name.startsWith('$');
  const service = isLoadable ? broker.getLocalService(name) : undefined;
  if (!service) throw refusal(`There is no service ${name} on ${broker.nodeID} that could be unloaded.`);
  await removeService(broker, service);
  broker.logger.warn(`The service ${name} was unloaded at run time.`);
  return `${name} no longer runs on ${broker.nodeID}.`;
}

async function runScheduled(broker: ServiceBroker, name: unknown): Promise<string> {
  try {
    const period = await runJob(broker, String(name));
    return `${name} was done on ${broker.nodeID}, for the period that began at ${period.toISOString()}.`;
  } catch (error) {
    throw refusal(`${name} was not done: ${error instanceof Error ? error.message : error}`);
  }
}

/** An error for the operator. Its message is sent to the operator's node unchanged. */
function refusal(message: string): Error {
  return new Errors.MoleculerClientError(message, 400, 'CONTROL_REFUSED');
}
