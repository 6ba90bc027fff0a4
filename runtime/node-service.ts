import { basename } from 'node:path';
import type { Context, Service, ServiceBroker, ServiceSchema } from 'moleculer';
import { callTimeout } from '../lib/calls.ts';
import { registerDeclaredPermissions } from '../lib/declarations.ts';
import { Errors } from '../lib/moleculer.ts';
import { createKeyedMutex } from '../lib/one-at-a-time.ts';
import { describeJobs, type JobState, runJob } from '../mixins/cron.ts';
import { type DatabaseOperation, databaseOperations, killDatabaseOperation } from '../mixins/mongo-operations.ts';
import {
  type ReadinessChange,
  readinessEvent,
  recordReadiness,
  unreadyReasons,
  watchReadiness,
} from '../mixins/readiness.ts';
import { registerPermissionsOfAbsentServices } from './absent-permissions.ts';
import { removeService, startOrReplaceService } from './replace-service.ts';
import { describeAllVersions, describeVersions } from './service-versions.ts';
import { findServiceFile, readServiceAgain } from './services.ts';

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
  [readinessEvent]: {
    handler(this: Service, ctx: Context<ReadinessChange>) {
      recordReadiness(this.broker, ctx.nodeID ?? '', ctx.params);
    },
  },
};

async function load(broker: ServiceBroker, given: unknown): Promise<string> {
  if (typeof given !== 'string') throw refusal('Name a service, its folder or its file.');
  const file = await findServiceFile(given).catch((error: Error) => {
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
